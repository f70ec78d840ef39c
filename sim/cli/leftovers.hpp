#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace tcsim::cli {

/// Makes `app` and all its commands keep words that they do not know, instead of CLI11's own
/// report, which hides a misspelt option behind the next missing one. Call after the last command
/// is registered.
void keep_leftovers(CLI::App& app);

/// Throws UsageError for the first word that nobody took, with the nearest valid word, or if no
/// command was given. Call when parsing is complete and before any command runs.
void refuse_leftovers(const CLI::App& app);

/// Throws UsageError if -o of the command that was given names nothing, as "$OUT" of a script that
/// did not set it: it would count as left out. Call at the same time.
void refuse_empty_out(const CLI::App& app);

}  // namespace tcsim::cli
