#pragma once

#include <string>
#include <string_view>

namespace tcsim::files {

/// Characters of a word that a message repeats at most.
constexpr std::size_t kMostShown = 60;

/// A word of a file or a command as a message may show it: in single quotes, its first kMostShown
/// characters and three dots, what would move a cursor and bytes that are not UTF-8 as
/// text::one_line shows them.
std::string shown(std::string_view word);

/// The same without quotes and of `most` characters at most, for what a message joins of words.
std::string shown_bare(std::string_view word, std::size_t most = kMostShown);

/// A message of one or more lines as it may leave the program, whatever it repeats: behind the
/// place (`file:line:column: `), words of more than 200 characters are cut as in shown(), a line
/// after 2000; a message has 200 lines at most. Control characters are escaped.
std::string shown_message(std::string_view message);

}  // namespace tcsim::files
