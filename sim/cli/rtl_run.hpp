#pragma once

#include "sim/cli/run_options.hpp"
#include "sim/cli/run_values.hpp"
#include "sim/cli/workload_preparation.hpp"
#include "sim/config/machine.hpp"
#include "sim/report/run_record.hpp"

namespace tcsim::cli {

/// Throws NotCovered where `run` cannot go through a tensor core in RTL: none of the machine's
/// generation, or no MMA.
void check_rtl_run(const PreparedRun& run, const config::Machine& machine);

/// Simulates `run` with the tensor cores of the machine file and again with units in RTL in their
/// place, on the operands that `values` gives each MMA. The record is that of the second run, with
/// what was found in `tensor_core`, and values if options.values.wanted; the first run's if that
/// was stopped. Requires check_rtl_run. Throws NotCovered for an MMA that the RTL lacks.
report::RunRecord simulate_with_rtl(const RunOptions& options, const PreparedRun& run,
                                    const ValuesJob& values, const config::Machine& machine);

}  // namespace tcsim::cli
