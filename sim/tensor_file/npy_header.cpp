#include "sim/tensor_file/npy_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>

#include "sim/config/error.hpp"
#include "sim/files/shown_text.hpp"

namespace tcsim::tensor_file {
namespace {

constexpr std::size_t kMostDimensions = 64;  // NumPy 2 itself allows no more

std::string allowed_descriptors() {
  std::string words;
  for (const StoredTypeInfo& row : kStoredTypes)
    if (!row.npy.empty()) words += fmt::format("{}{}", words.empty() ? "" : ", ", row.npy);
  return words;
}

/// Reads the few kinds of Python literals in a header, one after another.
class Cursor {
 public:
  Cursor(std::string_view text, std::string_view name) : text_(text), name_(name) {}

  [[noreturn]] void fail(const std::string& reason) const {
    throw config::ConfigError({fmt::format("{}: header: {}", name_, reason)});
  }

  bool at_end() {
    skip_space();
    return at_ == text_.size();
  }
  bool accept(char wanted) {
    if (at_end() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  void expect(char wanted) {
    if (!accept(wanted)) fail(fmt::format("expected '{}' at character {}", wanted, at_ + 1));
  }

  std::string_view string() {
    const bool is_quoted = !at_end() && (text_[at_] == '\'' || text_[at_] == '"');
    if (!is_quoted) fail(fmt::format("expected a quoted word at character {}", at_ + 1));
    const std::size_t begin = at_ + 1;
    const std::size_t end = text_.find(text_[at_], begin);
    if (end == std::string_view::npos) fail(fmt::format("no quote closes that at {}", at_ + 1));
    at_ = end + 1;
    return text_.substr(begin, end - begin);
  }

  bool boolean() {
    skip_space();
    for (const auto& [word, value] : {std::pair("True", true), {"False", false}})
      if (text_.substr(at_).starts_with(word)) {
        at_ += std::string_view(word).size();
        return value;
      }
    fail("fortran_order: expected True or False");
  }

  std::int64_t extent() {
    skip_space();
    std::int64_t value = 0;
    const char* end = text_.data() + text_.size();
    const auto [past, error] = std::from_chars(text_.data() + at_, end, value);
    if (error == std::errc::result_out_of_range) fail("shape: an extent exceeds 2^63 - 1");
    if (error != std::errc() || value < 0)
      fail(fmt::format("shape: expected an extent >= 0 at character {}", at_ + 1));
    at_ = static_cast<std::size_t>(past - text_.data());
    accept('L');  // Python 2 marked long integers
    return value;
  }

 private:
  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }

  std::string_view text_;
  std::string_view name_;
  std::size_t at_ = 0;
};

std::vector<std::int64_t> parse_shape(Cursor& cursor) {
  std::vector<std::int64_t> shape;
  cursor.expect('(');
  while (!cursor.accept(')')) {
    shape.push_back(cursor.extent());
    if (shape.size() > kMostDimensions)
      cursor.fail(fmt::format("shape: more than {} dimensions", kMostDimensions));
    if (cursor.accept(',')) continue;
    if (shape.size() == 1) cursor.fail("shape: expected a tuple; one extent is written (3,)");
    cursor.expect(')');
    break;
  }
  return shape;
}

StoredType parse_descriptor(Cursor& cursor) {
  if (cursor.accept('[')) cursor.fail("descr: records are not supported");
  const std::string_view word = cursor.string();
  for (const StoredTypeInfo& row : kStoredTypes) {
    const bool same = row.npy == word;
    const bool same_byte = row.bytes == 1 && word.size() == 3 && word[0] == '<' &&
                           row.npy.ends_with(word.substr(1));  // a single byte has no byte order
    if (!row.npy.empty() && (same || same_byte)) return row.type;
  }
  if (word.starts_with('>'))
    cursor.fail(fmt::format("descr: {} is big-endian; only little-endian is supported",
                            files::shown(word)));
  cursor.fail(fmt::format("descr: {} is not supported (allowed: {})", files::shown(word),
                          allowed_descriptors()));
}

/// Stores a value under a key that must occur once.
template <typename T>
void set_once(Cursor& cursor, std::optional<T>& place, std::string_view key, T value) {
  if (place) cursor.fail(fmt::format("{}: given twice", key));
  place = std::move(value);
}

}  // namespace

NpyHeader parse_npy_header(std::string_view text, std::string_view name) {
  Cursor cursor(text, name);
  std::optional<StoredType> type;
  std::optional<bool> fortran_order;
  std::optional<std::vector<std::int64_t>> shape;
  cursor.expect('{');
  while (!cursor.accept('}')) {
    const std::string_view key = cursor.string();
    cursor.expect(':');
    if (key == "descr")
      set_once(cursor, type, key, parse_descriptor(cursor));
    else if (key == "fortran_order")
      set_once(cursor, fortran_order, key, cursor.boolean());
    else if (key == "shape")
      set_once(cursor, shape, key, parse_shape(cursor));
    else
      cursor.fail(
          fmt::format("{}: unknown key (allowed: descr, fortran_order, shape)", files::shown(key)));
    if (cursor.accept(',')) continue;
    cursor.expect('}');
    break;
  }
  if (!cursor.at_end()) cursor.fail("text after the dictionary");
  if (!type) cursor.fail("descr: missing");
  if (!fortran_order) cursor.fail("fortran_order: missing");
  if (!shape) cursor.fail("shape: missing");
  return {*type, *fortran_order, *std::move(shape)};
}

std::string npy_header_text(StoredType type, const std::vector<std::int64_t>& shape) {
  std::string extents;
  for (std::size_t i = 0; i < shape.size(); ++i)
    extents += fmt::format("{}{}", i == 0 ? "" : ", ", shape[i]);
  if (shape.size() == 1) extents += ',';
  return fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", info(type).npy,
                     extents);
}

}  // namespace tcsim::tensor_file
