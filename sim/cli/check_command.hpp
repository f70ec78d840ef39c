#pragma once

#include <CLI/CLI.hpp>

namespace tcsim::cli {

/// Adds `tcsim check FILE...` to `app`: reads machine files and runs nothing. The mistakes of all
/// files together throw one ConfigError; files that cannot be read throw IoError if there is
/// nothing worse. The exit status goes to `status`, which must outlive the parse.
void add_check_command(CLI::App& app, int& status);

}  // namespace tcsim::cli
