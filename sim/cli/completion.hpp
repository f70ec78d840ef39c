#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace tcsim::cli {

/// Completions of the last of `words`, the words after "tcsim" on a command line: commands,
/// options, and values of options and arguments. A candidate that needs more text after it ends
/// with ':', '=' or ','. Empty where a file name belongs.
std::vector<std::string> completions(const CLI::App& app, const std::vector<std::string>& words);

/// The shells that completion_script knows.
const std::vector<std::string_view>& completing_shells();

/// A script that lets `shell` ask `tcsim complete -- WORD...` for completions. Requires one of
/// completing_shells.
std::string completion_script(std::string_view shell);

}  // namespace tcsim::cli
