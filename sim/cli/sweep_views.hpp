#pragma once

#include <string>
#include <vector>

#include "sim/cli/sweep_options.hpp"
#include "sim/cli/table.hpp"
#include "sim/sweep/estimate.hpp"
#include "sim/sweep/metrics.hpp"
#include "sim/sweep/running.hpp"

namespace tcsim::cli {

/// How many points are in which state.
struct SweepCounts {
  int points = 0;
  int open = 0;
  int done = 0;
  int failed = 0;                            ///< refused or given up
  int crashed = 0;                           ///< by a signal, a limit or a defect
  int corrupt = 0;                           ///< of the open ones: their files were damaged
  int stale = 0;                             ///< results of another revision
  sweep::Estimate left;                      ///< of those that are open
  std::vector<sweep::RunningPoint> running;  ///< of the open ones
};

SweepCounts counts_of(const sweep::Folder& folder, const std::vector<sweep::Row>& rows);

/// One line per number that is not 0, and one per running point.
std::string counts_text(const sweep::Folder& folder, const SweepCounts& counts);
std::string counts_json(const sweep::Folder& folder, const SweepCounts& counts);

/// One row per configuration, with the parameters that differ between them.
Table totals_table(const sweep::Plan& plan, const std::vector<sweep::Total>& totals);

/// The points of a plan: parameters that differ, what is simulated, key.
Table points_table(const sweep::Plan& plan);

/// Lines on every point without a result: what, why, its last words, how to repeat it.
std::string failures_text(const sweep::Folder& folder, const std::vector<sweep::Row>& rows);

}  // namespace tcsim::cli
