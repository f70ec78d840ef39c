#pragma once

#include <string>
#include <string_view>

namespace tcsim::files {

// Names of files and words of a command are any bytes but NUL; JSON holds UTF-8 (docs/files.md).

/// `bytes` if they are UTF-8, else with `\xHH` for every byte that is not and `\\` for a backslash.
std::string escaped_text(std::string_view bytes);

/// The same, but escaped even if it is UTF-8, so that what unescaped_text makes of it is `bytes`.
std::string always_escaped_text(std::string_view bytes);

/// What always_escaped_text was given; `\` before anything else stands for itself.
std::string unescaped_text(std::string_view text);

}  // namespace tcsim::files
