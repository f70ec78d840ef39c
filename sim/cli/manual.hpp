#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace tcsim::cli {

/// Every command of `app` with its options: tcsim(1) in roff (man macros), or Markdown. Both are
/// made of the definitions that the command line is parsed by.
std::string manual_page(const CLI::App& app, const std::string& version);
std::string manual_markdown(const CLI::App& app);

/// Adds `tcsim manual` and `tcsim completion`.
void add_manual_commands(CLI::App& app, const std::string& version, int& status);

}  // namespace tcsim::cli
