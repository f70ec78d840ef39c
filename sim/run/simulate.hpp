#pragma once

#include <functional>
#include <string>

#include "models/sm/tensor_unit.hpp"
#include "sim/config/load.hpp"
#include "sim/gpu/simulation.hpp"
#include "sim/report/run_record.hpp"
#include "sim/run/hooks.hpp"
#include "sim/run/prepare/prepare.hpp"
#include "sim/run/request.hpp"

namespace tcsim::run {

/// prepare_run as `request` asks. Throws as prepare_run does, and NotCovered for fields that do not
/// apply to the workload.
PreparedRun prepare_run_with(const RunRequest& request, const workload::Workload& workload,
                             const config::MachineFile& machine);

/// Throws RequestError for a quantum under which results would depend on it.
void check_quantum(const RunRequest& request, const config::Machine& machine);

/// The launches that run first to leave their lines in the L2; none unless request.warm_l2.
std::vector<isa::KernelLaunch> launches_before(const RunRequest& request, const PreparedRun& run);

/// How `launches` are sampled as `request` asks; nothing: every cycle is simulated.
std::optional<gpu::SamplingOptions> sampling_of(const RunRequest& request,
                                                const std::vector<isa::KernelLaunch>& launches);

/// True if a sampled run has to be repeated whole: it was given up, or the 95 % interval of its
/// time is more than `error` of it to each side.
bool is_unsure(const gpu::Outcome& outcome, double error);

/// The note of a run that is simulated whole since the sampled one was not as sure as `error`.
std::string simulated_whole_note(double error);

/// The options of a simulation that `request` sets for every workload.
gpu::SimulationOptions network_simulation_options(const RunRequest& request);

/// The options of a simulation that `request` and the workload set: no observer, no replaced unit.
gpu::SimulationOptions simulation_options(const RunRequest& request, const PreparedRun& run,
                                          const config::Machine& machine);

/// The unit that executes the MMAs of a sub-core; empty: intervals of the machine file.
using TensorUnits = std::function<sm::TensorUnit&(int sm, int sub_core)>;

/// Simulates `run`.
report::RunRecord simulate_run(const RunRequest& request, const PreparedRun& run,
                               const config::Machine& machine, const Hooks& hooks,
                               const TensorUnits& tensor_units = {});

/// Simulates a run on a machine whose clock has been chosen.
using ClockedRun =
    std::function<report::RunRecord(const RunRequest&, const PreparedRun&, const config::Machine&)>;

/// The record of `run`, prepared for `machine`, at the boost clock if the board sustains it
/// (`request.clock`), otherwise at the clock that it sustains, which the start of a long run shows.
/// Peaks are those of that clock.
report::RunRecord simulate_at_sustained_clock(const RunRequest& request,
                                              const workload::Workload& workload,
                                              const PreparedRun& run,
                                              const config::MachineFile& machine,
                                              const ClockedRun& simulate);

}  // namespace tcsim::run
