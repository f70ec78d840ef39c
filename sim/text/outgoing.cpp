#include "sim/text/outgoing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

#include "sim/text/character.hpp"

namespace tcsim::text {
namespace {

/// Characters that a terminal obeys instead of showing, and characters that make a line appear in
/// another order than it is written or break where there is no line feed.
bool acts(char32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x200e || code == 0x200f ||
         (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

std::string shown(std::string_view text, std::string_view kept) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const Character character = first_of(text);
    text.remove_prefix(character.bytes.size());
    if (!character.is_utf8)
      result += fmt::format("\\x{:02x}", static_cast<std::uint32_t>(character.code));
    else if (acts(character.code) && kept.find(character.bytes) == std::string_view::npos)
      result += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(character.code));
    else
      result += character.bytes;
  }
  return result;
}

bool is_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error != std::errc::invalid_argument && end == text.data() + text.size();
}

bool is_formula(std::string_view text) {
  // The last four are the wide forms of the first ones, which spreadsheets treat alike.
  constexpr std::array<std::string_view, 11> kSigns{
      "=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20"};
  if (text == "-" || is_number(text)) return false;
  return std::ranges::any_of(kSigns, [&](std::string_view sign) { return text.starts_with(sign); });
}

}  // namespace

std::string visible(std::string_view text) { return shown(text, "\n\t"); }

std::size_t whole_characters(std::string_view text) {
  constexpr std::size_t kMostBytes = 4;
  for (std::size_t back = 1; back < kMostBytes && back <= text.size(); ++back) {
    const auto byte = static_cast<unsigned char>(text[text.size() - back]);
    if ((byte & 0xc0U) == 0x80) continue;  // not the first byte of its character
    const std::size_t length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? text.size() - back : text.size();
  }
  return text.size();
}

std::string shortened(std::string_view text, std::size_t bytes) {
  constexpr std::string_view kDots = "...";
  if (text.size() <= bytes) return std::string(text);
  const std::string_view first = text.substr(0, bytes - kDots.size());
  return std::string(first.substr(0, whole_characters(first))).append(kDots);
}

std::string one_line(std::string_view text) { return shown(text, ""); }

std::string xml(std::string_view text) {
  std::string result;
  for (const char c : shown(text, "\n\t")) {
    switch (c) {
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '&':
        result += "&amp;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string html_page(std::string_view title, std::string_view style, std::string_view body) {
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<style>\n{}\n</style>\n</head>\n<body>\n{}</body>\n</html>\n",
      xml(title), style, body);
}

std::string markdown(std::string_view text) {
  std::string result;
  for (const char c : one_line(text)) {
    if (c == '<') {
      result += "&lt;";
    } else if (c == '&') {
      result += "&amp;";
    } else {
      if (std::string_view("\\`*[]|").find(c) != std::string_view::npos) result += '\\';
      result += c;
    }
  }
  return result;
}

std::string markdown_row(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += " " + markdown(cell) + " |";
  return line + "\n";
}

std::string markdown_block(std::string_view block) {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char c : block) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(std::max<std::size_t>(3, longest + 1), '`');
  std::string text = fence + "\n" + visible(block);
  if (!text.ends_with('\n')) text += '\n';
  return text + fence + "\n";
}

std::string csv_field(std::string_view text) {
  std::string plain = (is_formula(text) ? "'" : "") + shown(text, "\n\t\r");
  if (plain.find_first_of(",\"\n\r") == std::string::npos) return plain;
  std::string quoted = "\"";
  for (const char c : plain) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

std::string from_csv_field(std::string field) {
  if (field.starts_with('\'') && is_formula(std::string_view(field).substr(1))) field.erase(0, 1);
  return field;
}

}  // namespace tcsim::text
