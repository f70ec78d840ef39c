#pragma once

#include <CLI/CLI.hpp>
#include <string_view>
#include <vector>

namespace tcsim::cli {

/// `tcsim timeline RUN`: cycle by cycle what one SM did, as text or for a pipeline viewer.
void add_timeline_command(CLI::App& app, int& status);

/// The words that --to takes.
const std::vector<std::string_view>& timeline_forms();

}  // namespace tcsim::cli
