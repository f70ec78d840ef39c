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
/// Those parts of what `tcsim run -f json` printed for a row or a step that views read.
void check_result(const View& result);
/// The object machine_card of stats.json and network.json.
void check_card(const View& card);
/// What was asked of a sampled run or network.
void check_sampling(const View& result);
/// A number from 0 on, far from what overflows.
void check_amount(const View& value);
/// The same, or null.
void check_optional_amount(const View& value);
/// rows.json and what else views of a list read.
void check_list(const StoredList& list);

}  // namespace tcsim::results
