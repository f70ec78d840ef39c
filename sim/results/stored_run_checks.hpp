#pragma once

#include "sim/results/stored_run.hpp"

namespace tcsim::results {

// What a stored file must be before views take numbers from it: required keys, types, ranges and
// lengths. All throw config::ConfigError, `file: key: reason`.

/// stats.json: the version that this tcsim reads.
void check_version(const View& stats);
void check_manifest(const View& manifest);
/// stats.json and what else views of a single run read.
void check_run(const StoredRun& run);
/// rows.json and what else views of a list read.
void check_list(const StoredList& list);

}  // namespace tcsim::results
