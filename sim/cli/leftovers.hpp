#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace tcsim::cli {

/// Makes `app` and all its commands keep unknown words. CLI11's own report would name a missing
/// option instead of the misspelt one. Call after the last command is registered.
void keep_leftovers(CLI::App& app);

/// Throws UsageError for the first word that nobody took, with the nearest valid word, or if no
/// command was given. Call when parsing is complete and before any command runs.
void refuse_leftovers(const CLI::App& app);

/// Reports a word that stands for a command and is none, beside --help.
void refuse_unknown_command(const CLI::App& app);

/// Throws UsageError if -o of the given command is empty, for example "$OUT" in a script that did
/// not set it: it would count as left out. Call at the same time.
void refuse_empty_out(const CLI::App& app);

}  // namespace tcsim::cli
