#pragma once

#include "sim/errors/errors.hpp"
#include "sim/files/content_error.hpp"

namespace tcsim::config {

/// Mistakes of the user in a command, a machine file or a workload, `file:line:column: key:
/// reason`, `file: key: reason`, `--set #n: key: reason` or `word: reason`.
using ConfigError = files::ContentError;

}  // namespace tcsim::config
