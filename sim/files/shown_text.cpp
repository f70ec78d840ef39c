#include "sim/files/shown_text.hpp"

#include <algorithm>

#include "sim/text/character.hpp"
#include "sim/text/outgoing.hpp"

namespace tcsim::files {
namespace {

/// `line` with words after its place cut if they are too long to be read.
std::string shown_line(std::string_view line) {
  constexpr std::size_t kLongestPlace = 4200;  // a path has 4096 bytes at most
  constexpr std::size_t kLongestWord = 200;
  constexpr std::size_t kLongestLine = 2000;
  const std::size_t place = std::min(line.find(": "), line.size());
  std::string result = shown_bare(line.substr(0, place), kLongestPlace);
  std::string rest;
  for (line.remove_prefix(place); !line.empty() && rest.size() <= kLongestLine;) {
    const std::size_t end = std::min(line.find(' '), line.size());
    const std::string_view word = line.substr(0, end);
    rest += word.size() > kLongestWord ? shown_bare(word) : shown_bare(word, kLongestWord);
    if (end < line.size()) rest += ' ';
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  if (!line.empty()) rest += "...";
  return result + rest;
}

}  // namespace

std::string shown_bare(std::string_view word, std::size_t most) {
  std::string result;
  for (std::size_t count = 0; !word.empty(); ++count) {
    if (count == most) return result + "...";
    const std::string_view character = text::first_of(word).bytes;
    result += text::one_line(character);
    word.remove_prefix(character.size());
  }
  return result;
}

std::string shown_message(std::string_view message) {
  constexpr std::size_t kMostLines = 200;
  std::string result;
  for (std::size_t line = 0; line == 0 || !message.empty(); ++line) {
    if (line == kMostLines) {
      const auto more = 1 + std::ranges::count(message, '\n');
      return result + "\n" + std::to_string(more) + " further lines are not shown";
    }
    const std::size_t end = std::min(message.find('\n'), message.size());
    if (line > 0) result += '\n';
    result += shown_line(message.substr(0, end));
    message.remove_prefix(std::min(end + 1, message.size()));
  }
  return result;
}

std::string shown(std::string_view word) { return "'" + shown_bare(word) + "'"; }

}  // namespace tcsim::files
