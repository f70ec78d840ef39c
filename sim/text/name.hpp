#pragma once

#include <string>
#include <string_view>

namespace tcsim::text {

/// Why `name`, which a user gave, cannot become the name of one of our files or folders; empty if
/// it can. The one rule: 1 to 100 characters, each a letter, a digit, '.', '_', '-', '@' or '+',
/// the first one a letter, a digit or '_'. Such a name stays in its folder and is not a command
/// option, a spreadsheet formula or a hidden file.
std::string name_mistake(std::string_view name);

/// `name` changed to follow the rule: forbidden characters become '-', "file" precedes a first
/// character that may not be first, and a name that is too long is cut.
std::string as_name(std::string_view name);

}  // namespace tcsim::text
