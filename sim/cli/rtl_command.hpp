#pragma once

#include <CLI/CLI.hpp>
#include <optional>

#include "sim/core_rtl/core_build.hpp"

namespace tcsim::cli {

/// Of --rtl, which `rtl build` and `verify rtl` have.
inline constexpr const char* kModulesHelp =
    "Module that replaces the file of the same name in rtl/; repeatable";

/// The cores of `plan`, built if they must be. A signal ends the tools and removes what they have
/// written; then nothing is returned, after a message. Throws as core_rtl::build_core.
std::optional<core_rtl::BuiltCore> build_unless_interrupted(const core_rtl::CorePlan& plan);

/// tcsim rtl build
void add_rtl_command(CLI::App& app, int& status);

}  // namespace tcsim::cli
