#pragma once

#include <string>
#include <string_view>

namespace tcsim::text {

/// Why `name`, which a user gave, may not become the name of a file or folder of ours; empty if it
/// may. The one rule: 1 to 100 of letters, digits, '.', '_', '-', '@' and '+', the first a letter,
/// a digit or '_'. So it stays in the folder it is put into, is no option of a command, no formula
/// of a spreadsheet, and is no hidden file.
std::string name_mistake(std::string_view name);

/// `name` made to follow the rule: what it does not allow becomes '-', "file" stands before a first
/// character that may not be first, and what is too long is cut.
std::string as_name(std::string_view name);

}  // namespace tcsim::text
