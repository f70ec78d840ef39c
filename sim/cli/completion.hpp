#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace tcsim::cli {

/// What may stand in the place of the last of `words`, which follow "tcsim" on a command line, and
/// begins as it does: commands, options, and what options and arguments take. A candidate that is
/// to be written on ends with ':', '=' or ','. Nothing where a file belongs.
std::vector<std::string> completions(const CLI::App& app, const std::vector<std::string>& words);

/// The shells that completion_script knows.
const std::vector<std::string_view>& completing_shells();

/// A script that lets `shell` ask `tcsim complete -- WORD...` for completions. Requires one of
/// completing_shells.
std::string completion_script(std::string_view shell);

}  // namespace tcsim::cli
