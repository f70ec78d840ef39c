#pragma once

#include <filesystem>

#include "sim/run/simulate.hpp"

namespace tcsim::cli {

/// A finished run made ready to be simulated again.
struct RepeatedRun {
  run::RunRequest request;
  config::MachineFile machine;
  run::PreparedRun run;
  Cycle cycles = 0;  ///< that the run took
};

/// Reads manifest.json and stats.json of the run in `directory`. Throws UsageError if it is not a
/// single run of `tcsim run`, or if machine or workload have changed since, IoError if it cannot be
/// read.
RepeatedRun repeat_run(const std::filesystem::path& directory);

}  // namespace tcsim::cli
