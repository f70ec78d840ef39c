#include "sim/run/network_streams.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>

#include "sim/gpu/simulation.hpp"
#include "sim/networks/stream_memory.hpp"
#include "sim/run/prepare/step.hpp"
#include "sim/run/simulate.hpp"

namespace tcsim::run {
namespace {

using Streams = std::vector<std::vector<isa::KernelLaunch>>;

Streams launches_of(const RunRequest& request, const config::MachineFile& machine,
                    const networks::Program& program, const networks::Placement& placement) {
  const networks::StreamMemory memory(program, placement, request.streams);
  StepPreparation preparation(request, machine);
  Streams streams(static_cast<std::size_t>(request.streams));
  for (const networks::Step& step : program.steps) {
    const PreparedRun& run = preparation.prepared(step);
    for (int instance = 0; instance < request.streams; ++instance)
      std::ranges::move(memory.placed(step, run.launches, instance),
                        std::back_inserter(streams[static_cast<std::size_t>(instance)]));
  }
  return streams;
}

/// All launches as one stream.
Streams in_turn(const Streams& streams) {
  std::vector<isa::KernelLaunch> all;
  for (const std::vector<isa::KernelLaunch>& stream : streams)
    all.insert(all.end(), stream.begin(), stream.end());
  return {std::move(all)};
}

}  // namespace

void run_streams(const RunRequest& request, const config::MachineFile& machine,
                 const networks::Program& program, const networks::Placement& placement,
                 const Hooks& hooks, report::StreamsRun& run) {
  const auto start = std::chrono::steady_clock::now();
  const double cycles_per_us = machine.machine.clocks.sm_mhz;
  const Streams streams = launches_of(request, machine, program, placement);
  run.ends_us.assign(streams.size(), 0);
  const auto simulate = [&](const Streams& launches) {
    gpu::Simulation simulation(machine.machine, network_simulation_options(request));
    return simulation.run_streams(
        launches, [&](const gpu::Progress&) { return hooks.stop_cause() == StopCause::kNone; });
  };
  gpu::Outcome outcome = simulate(streams);
  for (const gpu::KernelSpan& span : outcome.kernels) {
    double& end_us = run.ends_us[static_cast<std::size_t>(span.stream)];
    end_us = std::max(end_us, static_cast<double>(span.end) / cycles_per_us);
  }
  run.together_us = static_cast<double>(outcome.cycles) / cycles_per_us;
  if (outcome.stop == gpu::StopReason::kFinished) {
    outcome = simulate(in_turn(streams));
    run.in_turn_us = static_cast<double>(outcome.cycles) / cycles_per_us;
  }
  run.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  run.is_complete = outcome.stop == gpu::StopReason::kFinished;
  if (!run.is_complete) run.stopped_by = reason_of_stop(hooks, outcome.stop);
}

}  // namespace tcsim::run
