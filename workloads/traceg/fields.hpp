#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tcsim::traceg {

/// A SASS register as a trace names it.
struct NamedRegister {
  bool is_vector = false;  ///< R; else UR, P or UP, which belong to the warp or are predicates
  int number = 0;
};

/// The fields of one line, separated by blanks, from left to right. Every take_... throws
/// trace::Mistake, which states the column, if the next field is something else.
class Fields {
 public:
  /// The fields from byte `start` of `line` on.
  explicit Fields(std::string_view line, std::size_t start = 0) : line_(line), position_(start) {
    skip_blanks();
  }

  [[nodiscard]] bool at_end() const { return position_ == line_.size(); }
  [[nodiscard]] int column() const { return static_cast<int>(position_) + 1; }
  /// The rest of the line from the next field on, and the part before it.
  [[nodiscard]] std::string_view rest() const { return line_.substr(position_); }
  [[nodiscard]] std::size_t position() const { return position_; }

  std::string_view take_word(std::string_view what);
  /// Hexadecimal digits with or without 0x, at most `largest`.
  std::uint64_t take_hex(std::string_view what, std::uint64_t largest);
  std::int64_t take_decimal(std::string_view what, std::int64_t smallest, std::int64_t largest);
  /// R, UR, P or UP and a number.
  NamedRegister take_register(std::string_view what);
  void take_end();
  /// Skips `size` bytes at the front of the rest.
  void skip(std::size_t size);

  [[noreturn]] void fail(std::string_view what, std::string reason) const;

 private:
  void skip_blanks() {
    while (position_ < line_.size() && (line_[position_] == ' ' || line_[position_] == '\t'))
      ++position_;
  }
  [[nodiscard]] std::string_view word() const;

  std::string_view line_;
  std::size_t position_ = 0;
};

/// The field quoted for a message, without bytes that would affect a terminal.
std::string shown(std::string_view field);

}  // namespace tcsim::traceg
