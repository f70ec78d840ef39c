#pragma once

#include "sim/files/content_error.hpp"

namespace tcsim {

/// Mistakes of the user in a workload, `file:line:column: what: reason` or `word: column N: what:
/// reason`.
using InputError = files::ContentError;

}  // namespace tcsim
