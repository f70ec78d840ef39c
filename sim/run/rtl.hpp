#pragma once

#include "sim/config/machine.hpp"
#include "sim/report/run_record.hpp"
#include "sim/run/hooks.hpp"
#include "sim/run/prepare/prepare.hpp"
#include "sim/run/request.hpp"
#include "sim/run/values_job.hpp"

namespace tcsim::run {

/// Throws NotCovered if `run` cannot use a tensor core in RTL: its cores cannot be built, or it has
/// no MMA.
void check_rtl_run(const PreparedRun& run, const config::Machine& machine);

/// Simulates `run` with the tensor cores of the machine file and again with units in RTL instead,
/// on the operands that `values` gives each MMA. The record is that of the second run, with the
/// findings in `tensor_core`, and with values if request.values.wanted; if the first run was
/// stopped, it is that of the first run. Requires check_rtl_run. Throws NotCovered for an MMA that
/// the RTL lacks.
report::RunRecord simulate_with_rtl(const RunRequest& request, const PreparedRun& run,
                                    const ValuesJob& values, const config::Machine& machine,
                                    const Hooks& hooks);

}  // namespace tcsim::run
