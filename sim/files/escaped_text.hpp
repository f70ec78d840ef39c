#pragma once

#include <string>
#include <string_view>

namespace tcsim::files {

// File names and command words may contain any bytes except NUL; JSON holds UTF-8 (docs/files.md).

/// `bytes` if they are UTF-8; else with `\xHH` for every byte that is not UTF-8 and `\\` for a
/// backslash.
std::string escaped_text(std::string_view bytes);

/// The same, but escaped even if it is UTF-8, so that unescaped_text restores `bytes`.
std::string always_escaped_text(std::string_view bytes);

/// The argument of always_escaped_text that gave `text`; `\` before anything else stands for
/// itself.
std::string unescaped_text(std::string_view text);

}  // namespace tcsim::files
