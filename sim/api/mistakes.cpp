#include <string_view>

#include "sim/text/number.hpp"

#include "sim/api/tcsim.hpp"

namespace tcsim {
namespace {

/// Removes the text before `mark`, and the mark, from the front of `text` and returns it; nothing
/// if there is no mark.
std::string_view take_until(std::string_view& text, std::string_view mark) {
  const std::size_t end = text.find(mark);
  if (end == std::string_view::npos) return {};
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(end + mark.size());
  return taken;
}

/// Removes ":12" from the end of `text` and returns the number; 0 if the text ends otherwise.
std::int64_t take_number(std::string_view& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon + 1 == text.size()) return 0;
  const auto value = text::number_of<std::int64_t>(text.substr(colon + 1));
  if (!value) return 0;
  text.remove_suffix(text.size() - colon);
  return *value;
}

/// Removes "column 6: ", the place in a workload's words, from the front of `text`; 0 if it is not
/// there.
std::int64_t take_column(std::string_view& text) {
  constexpr std::string_view kWord = "column ";
  if (!text.starts_with(kWord)) return 0;
  std::string_view rest = text.substr(kWord.size());
  const std::string_view digits = take_until(rest, ": ");
  const auto value = text::number_of<std::int64_t>(digits);
  if (!value) return 0;
  text = rest;
  return *value;
}

/// True for text that may name a key: "sm.tensor.core", "layers[3].op".
bool is_key(std::string_view text) {
  return !text.empty() &&
         text.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyz"
             "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-[]") == std::string_view::npos;
}

/// `file:line:column: key: reason`, `file: key: reason`, `words: column 6: key: reason`, `word:
/// reason` or `reason`.
Mistake mistake_in(std::string_view line) {
  Mistake mistake;
  std::string_view place = take_until(line, ": ");
  mistake.column = take_column(line);
  if (mistake.column == 0) {  // numbers behind a file, not the words of "gemm:1024"
    const std::int64_t last = take_number(place);
    const std::int64_t before = last == 0 ? 0 : take_number(place);
    mistake.line = before == 0 ? last : before;
    mistake.column = before == 0 ? 0 : last;
  }
  mistake.place = place;
  std::string_view rest = line;
  const std::string_view key = take_until(rest, ": ");
  if (is_key(key)) {
    mistake.key = key;
    line = rest;
  }
  mistake.reason = line;
  return mistake;
}

}  // namespace

std::vector<Mistake> mistakes_of(const UsageError& error) {
  std::vector<Mistake> mistakes;
  std::string_view text = error.what();
  while (text.find('\n') != std::string_view::npos)
    mistakes.push_back(mistake_in(take_until(text, "\n")));
  mistakes.push_back(mistake_in(text));
  return mistakes;
}

}  // namespace tcsim
