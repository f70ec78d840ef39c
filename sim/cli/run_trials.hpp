#pragma once

#include "sim/cli/run_options.hpp"
#include "sim/report/run_record.hpp"
#include "sim/run/sensitivity.hpp"
#include "sim/run/tile_search.hpp"

namespace tcsim::cli {

/// Simulates `run` with each resource faster, as `options` ask, with as many children at once as
/// they allow. A signal leaves the rest out.
report::Sensitivity sensitivity_of(const RunOptions& options, const run::AnsweredRun& run);

/// The time of the run of `record` with the advice of its verdict applied.
report::TriedAdvice tried_advice(const RunOptions& options, const report::RunRecord& record);

/// The `count` tiles that the library ranks first for `workload`.
report::TileSearch searched_tiles(const RunOptions& options, const workload::Workload& workload,
                                  int count);

/// The exit status that trials leave: kInterrupted or, after saying so, kStopped if a signal or the
/// time limit cut them short.
int status_behind_trials();

}  // namespace tcsim::cli
