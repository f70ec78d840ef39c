#pragma once

#include <CLI/CLI.hpp>

namespace tcsim::cli {

/// Of --rtl, which `rtl build` and `verify rtl` have.
inline constexpr const char* kModulesHelp =
    "A module in the place of the file of rtl/ with its name; repeatable";

/// tcsim rtl build
void add_rtl_command(CLI::App& app, int& status);

}  // namespace tcsim::cli
