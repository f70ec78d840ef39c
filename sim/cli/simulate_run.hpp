#pragma once

#include <functional>

#include "models/sm/observer.hpp"
#include "models/sm/tensor_unit.hpp"
#include "sim/cli/run_options.hpp"
#include "sim/cli/workload_preparation.hpp"
#include "sim/config/load.hpp"
#include "sim/gpu/simulation.hpp"
#include "sim/report/run_record.hpp"

namespace tcsim::cli {

/// prepare_run under the options of a command, with SMs at `clock_ratio` of the boost clock. Throws
/// as prepare_run does, and NotCovered for options that the workload has no use for.
PreparedRun prepare_run_with(const RunOptions& options, const workload::Workload& workload,
                             const config::MachineFile& machine, double clock_ratio);

/// Says of every --set that cannot act in any run on `machine` why, unless the command is quiet.
void note_inert_overrides(const RunOptions& options, const config::MachineFile& machine);

/// Throws UsageError for a quantum under which results would depend on it.
void check_quantum(const RunOptions& options, const config::Machine& machine);

/// What runs first to leave its lines in the L2; nothing without --warm-l2.
std::vector<isa::KernelLaunch> launches_before(const RunOptions& options, const PreparedRun& run);

/// What the command says of a simulation whatever it runs.
gpu::SimulationOptions network_simulation_options(const RunOptions& options);
/// What the command and the workload say of a simulation: nobody watches, no unit is replaced.
gpu::SimulationOptions simulation_options(const RunOptions& options, const PreparedRun& run);

/// What takes the MMAs of a sub-core of an SM; empty: intervals of the machine file.
using TensorUnits = std::function<sm::TensorUnit&(int sm, int sub_core)>;

/// Who watches an SM (gpu::SimulationOptions::observer); empty: nobody.
using Observers = std::function<sm::Observer*(int sm, Cycle origin)>;

/// Simulates `run` and shows its progress.
report::RunRecord simulate_run(const RunOptions& options, const PreparedRun& run,
                               const config::Machine& machine, const TensorUnits& tensor_units = {},
                               const Observers& observers = {});

/// Simulates a run on a machine whose clock has been chosen, as far as the options say.
using ClockedRun =
    std::function<report::RunRecord(const RunOptions&, const PreparedRun&, const config::Machine&)>;

/// The record of `run` at the boost clock if it keeps to the power limit of its board there, else
/// at the clock at which it does, which the start of a long run tells. Peak and peak fraction stay
/// those of the boost clock.
report::RunRecord simulate_at_power_limit(const RunOptions& options,
                                          const workload::Workload& workload,
                                          const PreparedRun& run, const ClockedRun& simulate);

}  // namespace tcsim::cli
