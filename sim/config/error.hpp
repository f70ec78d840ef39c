#pragma once

#include "sim/files/content_error.hpp"
#include "sim/files/io_error.hpp"

namespace tcsim::config {

/// Mistakes of the user in a command, a machine file or a workload, `file:line:column: key:
/// reason`, `file: key: reason`, `--set #n: key: reason` or `word: reason`.
using ConfigError = files::ContentError;

}  // namespace tcsim::config
