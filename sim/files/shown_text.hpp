#pragma once

#include <string>
#include <string_view>

namespace tcsim::files {

/// Most characters of a word that a message repeats.
constexpr std::size_t kMostShown = 60;

/// A word of a file or a command as a message may show it: in single quotes, cut after its first
/// kMostShown characters with three dots. Characters that would move a cursor, and bytes that are
/// not UTF-8, are shown as in text::one_line.
std::string shown(std::string_view word);

/// The same without quotes and with at most `most` characters, for words that a message joins.
std::string shown_bare(std::string_view word, std::size_t most = kMostShown);

/// A message of one or more lines as it may leave the program, whatever it repeats. After the place
/// (`file:line:column: `), words of more than 200 characters are cut as in shown(), and a line is
/// cut after 2000; a message has at most 200 lines. Control characters are escaped.
std::string shown_message(std::string_view message);

}  // namespace tcsim::files
