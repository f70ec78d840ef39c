#include "workloads/trace/tct_cursor.hpp"

#include <algorithm>
#include <charconv>

#include "models/isa/name_text.hpp"
#include "sim/files/shown_text.hpp"

namespace tcsim::trace {
namespace {

using isa::continues_word;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

void Cursor::skip_blanks() {
  while (position_ < line_.size() && is_blank(line_[position_])) ++position_;
  if (position_ < line_.size() && line_[position_] == '#') line_ = line_.substr(0, position_);
}

bool Cursor::sees(std::string_view text) const { return line_.substr(position_).starts_with(text); }

bool Cursor::accept(std::string_view text) {
  // A word must match as a whole.
  if (isa::is_word(text) ? word() != text : !sees(text)) return false;
  position_ += text.size();
  skip_blanks();
  return true;
}

void Cursor::take(std::string_view text, std::string_view what) {
  if (!accept(text)) fail(what, "expected '" + std::string(text) + "', got " + seen());
}

bool Cursor::sees_word() const { return !at_end() && isa::begins_word(line_[position_]); }

std::string_view Cursor::word() const {
  if (!sees_word()) return {};
  const std::string_view rest = line_.substr(position_);
  const auto* const end = std::ranges::find_if_not(rest, continues_word);
  return rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
}

std::string_view Cursor::take_word(std::string_view what) {
  const std::string_view result = word();
  if (result.empty()) fail(what, "expected a word, got " + seen());
  position_ += result.size();
  skip_blanks();
  return result;
}

std::string Cursor::take_name(std::string_view what) {
  if (sees("\"")) return take_quoted(what);
  const std::string_view bare = word();
  if (bare.empty()) fail(what, "expected a name, bare or in quotes, got " + seen());
  position_ += bare.size();
  skip_blanks();
  return std::string(bare);
}

std::string Cursor::take_quoted(std::string_view what) {
  const std::size_t start = position_;
  std::string text;
  for (++position_; position_ < line_.size() && line_[position_] != '"'; ++position_) {
    if (line_[position_] != '\\') {
      text += line_[position_];
      continue;
    }
    ++position_;
    const char escaped = position_ < line_.size() ? line_[position_] : '\0';
    if (escaped == '"' || escaped == '\\') {
      text += escaped;
      continue;
    }
    unsigned byte = 0;
    const std::string_view digits = line_.substr(std::min(position_ + 1, line_.size()), 2);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
    if (escaped != 'x' || digits.size() != 2 || error != std::errc{} ||
        end != digits.data() + digits.size()) {
      --position_;
      fail(what, R"(unknown escape; write \", \\ or \x and two digits)");
    }
    text += static_cast<char>(byte);
    position_ += 2;
  }
  if (position_ >= line_.size()) {
    position_ = start;
    fail(what, "the quote is not closed");
  }
  ++position_;
  skip_blanks();
  return text;
}

bool Cursor::sees_number() const { return !at_end() && is_digit(line_[position_]); }

std::uint64_t Cursor::take_unsigned(std::string_view what, std::uint64_t largest) {
  if (!sees_number()) fail(what, "expected a number, got " + seen());
  const std::string_view rest = line_.substr(position_);
  const bool hexadecimal = rest.starts_with("0x");
  const char* const first = rest.data() + (hexadecimal ? 2 : 0);
  std::uint64_t value = 0;
  const auto [end, error] =
      std::from_chars(first, rest.data() + rest.size(), value, hexadecimal ? 16 : 10);
  const auto size = static_cast<std::size_t>(end - rest.data());
  if (error == std::errc::invalid_argument || (size < rest.size() && continues_word(rest[size]))) {
    const auto* const stop = std::ranges::find_if_not(rest, continues_word);
    fail(what, files::shown({rest.begin(), stop}) + " is not a whole number");
  }
  if (!hexadecimal && size > 1 && rest[0] == '0') fail(what, "a number must not start with 0");
  if (error != std::errc{} || value > largest) {
    fail(what, files::shown(rest.substr(0, size)) + " is larger than " + std::to_string(largest));
  }
  position_ += size;
  skip_blanks();
  return value;
}

std::int64_t Cursor::take_integer(std::string_view what, std::int64_t smallest,
                                  std::int64_t largest) {
  const std::size_t start = position_;
  const bool negative = smallest < 0 && accept("-");
  const auto limit = negative ? std::uint64_t{0} - static_cast<std::uint64_t>(smallest)
                              : static_cast<std::uint64_t>(std::max<std::int64_t>(largest, 0));
  const std::uint64_t magnitude = take_unsigned(what, limit);
  const auto value = static_cast<std::int64_t>(negative ? std::uint64_t{0} - magnitude : magnitude);
  if (value < smallest || value > largest) {
    position_ = start;
    fail(what, std::to_string(value) + " is not between " + std::to_string(smallest) + " and " +
                   std::to_string(largest));
  }
  return value;
}

int Cursor::take_hex(std::string_view what, int largest) {
  const std::string_view rest = line_.substr(position_);
  unsigned value = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value, 16);
  const auto size = static_cast<std::size_t>(end - rest.data());
  if (error == std::errc::invalid_argument || (size < rest.size() && continues_word(rest[size]))) {
    fail(what, "expected hexadecimal digits, got " + seen());
  }
  if (error != std::errc{} || value > static_cast<unsigned>(largest)) {
    const auto most = static_cast<unsigned char>(largest);
    fail(what, files::shown(rest.substr(0, size)) + " is larger than " + isa::hex_pair(most));
  }
  position_ += size;
  skip_blanks();
  return static_cast<int>(value);
}

void Cursor::take_end() {
  if (!at_end()) fail("line", "unexpected " + seen());
}

void Cursor::fail(std::string_view what, std::string reason) const {
  throw Mistake{column(), std::string(what), std::move(reason)};
}

std::string Cursor::seen() const {
  if (at_end()) return "the end of the line";
  const std::string_view rest = line_.substr(position_);
  const auto* const stop = std::ranges::find_if(rest, is_blank);
  const auto size = std::max<std::size_t>(1, static_cast<std::size_t>(stop - rest.begin()));
  return files::shown(rest.substr(0, size));
}

}  // namespace tcsim::trace
