#include "sim/run/simulate.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/energy/clock_search.hpp"
#include "sim/gpu/simulation.hpp"
#include "sim/run/forecast.hpp"
#include "sim/run/prepare/memory_needs.hpp"
#include "sim/run/request_fields.hpp"

namespace tcsim::run {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::int64_t peak_rss_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  constexpr std::int64_t kKibibyte = 1024;  // Linux counts ru_maxrss in KiB
  return usage.ru_maxrss * kKibibyte;
}

/// Copies of operand B that take turns with --rotate-weights, as the benchmarks of the inference
/// engines do (tests/validation/SOURCES.md: about six). Each call has a result of its own, so that
/// what it writes drives what others wrote out of the L2: 42 and 84 MB of results take an H100 of
/// AIC 20.2 and 37.0 us, as long as DRAM needs for them.
constexpr int kCopies = 6;

bool takes_turns(const isa::Buffer& buffer) { return buffer.name == "B" || !buffer.input; }

/// SMs that read an element of operand B: rows of CTA tiles.
int readers_of_b(const PreparedRun& run) {
  const kernels::GemmProblem& problem = run.gemm->problem;
  const std::int64_t rows = problem.is_grouped() ? problem.groups.most() : problem.m;
  return static_cast<int>(ceil_div<std::int64_t>(rows, run.gemm->tile.m));
}

/// From a buffer to its next copy: beyond everything of the stream.
std::uint64_t copy_distance(const std::vector<isa::KernelLaunch>& stream) {
  const gpu::MemorySpan span = gpu::span_of(stream);
  return span.end - span.first;
}

/// What the runs before launches_before left: this run's own copies first, as they are oldest.
std::vector<gpu::L2Content> earlier_copies(const PreparedRun& run) {
  std::vector<gpu::L2Content> contents;
  const std::uint64_t distance = copy_distance(run.launches);
  for (std::uint64_t copy = 0; copy + 1 < kCopies; ++copy)
    for (const isa::KernelLaunch& launch : run.launches)
      for (const isa::Buffer& buffer : launch.buffers)
        if (takes_turns(buffer))
          contents.push_back({buffer.base_address + copy * distance, buffer.bytes, !buffer.input,
                              buffer.input ? readers_of_b(run) : 1});
  return contents;
}

std::vector<gpu::L2Content> earlier_contents(const RunRequest& request, const PreparedRun& run,
                                             const config::Machine& machine) {
  if (request.rotate_weights) return earlier_copies(run);
  if (!request.overwrite_l2) return {};
  return {gpu::overwritten_l2(machine, run.launches)};
}

/// The memory of the run, copies of operand B included.
std::vector<workload::OperandSize> needs_of(const RunRequest& request, const PreparedRun& run) {
  std::vector<workload::OperandSize> needs = memory_needs(run.launches);
  if (!request.rotate_weights) return needs;
  double bytes = 0;
  for (const isa::KernelLaunch& launch : run.launches)
    for (const isa::Buffer& buffer : launch.buffers)
      if (takes_turns(buffer)) bytes += static_cast<double>(buffer.bytes);
  needs.push_back(
      {fmt::format("{} copies of B and the result", kCopies - 1), (kCopies - 1) * bytes});
  return needs;
}

/// What a long run draws shows in so many cycles; filling the machine takes a fortieth of them.
constexpr Cycle kPowerProbeCycles = 200'000;

/// Busy slots for CTAs in the mean of the first kernel over those of its full waves.
double busy_share(const report::RunRecord& record) {
  const double waves = record.waves.empty() ? 0 : record.waves.front().count;
  return waves > 0 ? waves / std::ceil(waves) : 1;
}

}  // namespace

std::vector<isa::KernelLaunch> launches_before(const RunRequest& request, const PreparedRun& run) {
  if (!request.warm_l2) return {};
  std::vector<isa::KernelLaunch> launches = run.launches;
  if (!request.rotate_weights) return launches;
  const std::uint64_t distance = copy_distance(launches);
  for (isa::KernelLaunch& launch : launches)
    for (isa::Buffer& buffer : launch.buffers)
      if (takes_turns(buffer)) buffer.base_address += (kCopies - 1) * distance;
  return launches;
}

std::optional<gpu::SamplingOptions> sampling_of(const RunRequest& request,
                                                const std::vector<isa::KernelLaunch>& launches) {
  if (request.sampling_error == 0) return {};
  const auto work = work_of(launches);
  if (request.samples_if_long && !is_sampled(request, read_simulation_cost().seconds(work)))
    return {};
  gpu::SamplingOptions sampling;
  sampling.error = request.sampling_error;
  sampling.instructions = static_cast<double>(work.warp_instructions);
  sampling.gives_up = true;
  return sampling;
}

bool is_unsure(const gpu::Outcome& outcome, double error) {
  const double most = error * static_cast<double>(outcome.cycles);
  return outcome.stop == gpu::StopReason::kUnsure ||
         (outcome.stop == gpu::StopReason::kFinished && outcome.sampling.half_width_cycles > most);
}

std::string simulated_whole_note(double error) {
  constexpr double kPercent = 100;
  return fmt::format("sampled first, which was not sure within the {:g} % asked: simulated whole",
                     kPercent * error);
}

gpu::SimulationOptions network_simulation_options(const RunRequest& request) {
  gpu::SimulationOptions result;
  result.quantum = request.quantum;
  result.threads = jobs_of(request);
  result.max_cycles = request.max_cycles;
  result.cold_code = request.cold_code;
  return result;
}

gpu::SimulationOptions simulation_options(const RunRequest& request, const PreparedRun& run,
                                          const config::Machine& machine) {
  gpu::SimulationOptions result = network_simulation_options(request);
  result.l2 = earlier_contents(request, run, machine);
  if (request.overwrite_l2) result.cold_code = true;
  return result;
}

PreparedRun prepare_run_with(const RunRequest& request, const workload::Workload& workload,
                             const config::MachineFile& machine) {
  PreparedRun run = prepare_run(
      workload, {request.machines.front(), request.unit, request.tile, request.constant_data},
      machine);
  run.inputs.overrides = request.overrides;
  run.inputs.sampling_error = request.sampling_error;
  if (request.rotate_weights && !run.gemm)
    throw NotCovered(
        fmt::format("{}: {} needs a GEMM", run.inputs.workload, word_of("rotate_weights")));
  if (request.clock != ClockPolicy::kBoost && !run.inputs.power)
    throw NotCovered(
        fmt::format("{}: {} {} needs the type of the operands, which a trace does not state",
                    run.inputs.workload, word_of("clock"), name(request.clock)));
  const std::vector<workload::OperandSize> needs = needs_of(request, run);
  if (!request.ignores_capacity && exceeds_capacity(needs, machine.machine))
    refuse_capacity(run.inputs.workload, needs, machine.machine);
  if (request.warm_l2) run.inputs.l2_state = "warm";
  if (request.overwrite_l2) run.inputs.l2_state = "overwritten";
  if (request.rotate_weights)
    run.inputs.l2_state = request.warm_l2 ? "warm, weights in turn" : "weights in turn";
  if (request.cold_code) run.inputs.l2_state += ", code in DRAM";
  if (run.inputs.power) run.inputs.power->clock_policy = name(request.clock);
  load_limits(request.clock, machine.machine);  // there is a clock that keeps to them
  return run;
}

void check_quantum(const RunRequest& request, const config::Machine& machine) {
  if (request.quantum == 0) return;
  const Cycle largest = gpu::Simulation(machine, {}).largest_quantum();
  if (request.quantum <= largest) return;
  throw mistake_in("quantum",
                   fmt::format("{} is more than the {} cycles under which results are exact on "
                               "this machine",
                               request.quantum, largest));
}

namespace {

report::RunRecord simulate_with(gpu::SimulationOptions settings, const RunRequest& request,
                                const PreparedRun& run, const config::Machine& machine,
                                const Hooks& hooks, const TensorUnits& tensor_units) {
  settings.tensor_unit = tensor_units;
  settings.observer = hooks.observers;
  gpu::Simulation simulation(machine, settings);
  const Clock::time_point start = Clock::now();
  StopCause stop = StopCause::kNone;
  gpu::Outcome outcome;
  {
    const ProgressListener listener = hooks.progress ? hooks.progress() : ProgressListener{};
    const auto expected = static_cast<std::uint64_t>(
        listener ? work_of(run.launches).warp_instructions : std::int64_t{0});
    const auto keep_going = [&](gpu::Progress progress) {
      progress.expected_instructions = expected;
      if (listener) listener(progress);
      stop = hooks.stop_cause();
      return stop == StopCause::kNone;
    };
    outcome = simulation.run(run.launches, keep_going, launches_before(request, run));
  }
  const report::SimulationCost cost{
      seconds_since(start), peak_rss_bytes(),
      request.quantum > 0 ? request.quantum : simulation.largest_quantum()};
  report::RunRecord record = report::make_record(run.inputs, outcome, simulation.counters(), cost);
  if (stop == StopCause::kLimit) record.stopped_by = name(stop);
  return record;
}

}  // namespace

report::RunRecord simulate_run(const RunRequest& request, const PreparedRun& run,
                               const config::Machine& machine, const Hooks& hooks,
                               const TensorUnits& tensor_units) {
  gpu::SimulationOptions settings = simulation_options(request, run, machine);
  settings.sampling = sampling_of(request, run.launches);
  report::RunRecord first = simulate_with(settings, request, run, machine, hooks, tensor_units);
  if (!settings.sampling || !is_unsure(first.outcome, request.sampling_error)) return first;
  const std::string note = simulated_whole_note(request.sampling_error);
  hooks.tell("note: " + note);
  settings.sampling.reset();
  report::RunRecord record = simulate_with(settings, request, run, machine, hooks, tensor_units);
  record.cost.wall_s += first.cost.wall_s;
  record.inputs.notes.push_back(note);
  return record;
}

report::RunRecord simulate_at_sustained_clock(const RunRequest& request,
                                              const workload::Workload& workload,
                                              const PreparedRun& run,
                                              const config::MachineFile& machine,
                                              const ClockedRun& simulate) {
  const int boost_mhz = run.inputs.clock_mhz;
  energy::LoadLimits limits = load_limits(request.clock, machine.machine);
  if (run.inputs.unit != "tensor") limits.tensor_mhz = energy::LoadLimits{}.tensor_mhz;
  const bool is_free = std::isinf(std::min(limits.power_w, limits.tensor_mhz));
  // From `clock_mhz` to where what `extent` simulates keeps to the limits.
  const auto settle = [&](const RunRequest& extent, int clock_mhz) {
    energy::ClockSearch search(boost_mhz, limits);
    for (;;) {
      const config::MachineFile clocked_machine =
          clock_mhz == boost_mhz ? machine : machine_at(request, machine, clock_mhz);
      const PreparedRun clocked = prepare_run_with(request, workload, clocked_machine);
      report::RunRecord record = simulate(extent, clocked, clocked_machine.machine);
      const bool is_start = record.outcome.stop == gpu::StopReason::kCycleLimit;
      if (!record.complete() && !is_start) return record;
      const auto next_mhz = search.next(power_draw(record, is_start ? busy_share(record) : 1.0));
      if (!next_mhz) return record;
      clock_mhz = *next_mhz;
    }
  };
  const bool is_short = request.max_cycles > 0 && request.max_cycles <= kPowerProbeCycles;
  // Runs before this one would take longer than the start saves.
  if (request.warm_l2 || is_short || is_free) return settle(request, boost_mhz);
  RunRequest start = request;
  start.max_cycles = kPowerProbeCycles;
  report::RunRecord record = settle(start, boost_mhz);
  if (record.outcome.stop != gpu::StopReason::kCycleLimit) return record;
  return settle(request, record.inputs.clock_mhz);
}

}  // namespace tcsim::run
