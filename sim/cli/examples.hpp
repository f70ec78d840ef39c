#pragma once

#include <CLI/CLI.hpp>

namespace tcsim::cli {

/// Puts an example of `app` and of every command below it behind its help.
void add_examples(CLI::App& app);

}  // namespace tcsim::cli
