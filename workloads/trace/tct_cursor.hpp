#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tcsim::trace {

/// What is wrong at one column (from 1) of a line.
struct Mistake {
  int column;
  std::string what;
  std::string reason;
};

/// Reads one line from left to right. Blanks between tokens do not count; '#' outside quotes ends
/// the line. Every take_... throws Mistake if the text is something else.
class Cursor {
 public:
  explicit Cursor(std::string_view line) : line_(line) { skip_blanks(); }

  [[nodiscard]] bool at_end() const { return position_ >= line_.size(); }
  /// Column of the next token, from 1.
  [[nodiscard]] int column() const { return static_cast<int>(position_) + 1; }

  /// True if the next token starts with `text`.
  [[nodiscard]] bool sees(std::string_view text) const;
  /// Consumes `text` if it is next.
  bool accept(std::string_view text);
  /// Consumes `text`, or throws "`what`: expected 'text', got ...".
  void take(std::string_view text, std::string_view what);

  /// A letter or underscore, then letters, digits, underscores and dots.
  [[nodiscard]] bool sees_word() const;
  /// The next word, or "".
  [[nodiscard]] std::string_view word() const;
  std::string_view take_word(std::string_view what);

  /// A word or a quoted string with \" \\ \xNN.
  std::string take_name(std::string_view what);

  [[nodiscard]] bool sees_number() const;
  /// An unsigned number, decimal or 0x, at most `largest`.
  std::uint64_t take_unsigned(std::string_view what, std::uint64_t largest);
  /// A number with an optional minus.
  std::int64_t take_integer(std::string_view what, std::int64_t smallest, std::int64_t largest);
  /// Two hexadecimal digits or one, without 0x.
  int take_hex(std::string_view what, int largest);

  /// Throws unless only a comment is left.
  void take_end();

  /// Throws a Mistake here.
  [[noreturn]] void fail(std::string_view what, std::string reason) const;
  /// The next text, quoted for a message.
  [[nodiscard]] std::string seen() const;

 private:
  void skip_blanks();
  std::string take_quoted(std::string_view what);

  std::string_view line_;
  std::size_t position_ = 0;
};

}  // namespace tcsim::trace
