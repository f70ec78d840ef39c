#pragma once

#include <CLI/CLI.hpp>

namespace tcsim::cli {

/// Of --rtl, which `rtl build` and `verify rtl` have.
inline constexpr const char* kModulesHelp =
    "Module that replaces the file of the same name in rtl/; repeatable";

/// tcsim rtl build
void add_rtl_command(CLI::App& app, int& status);

}  // namespace tcsim::cli
