#include "sim/cli/simulate_run.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/energy/clock_search.hpp"
#include "sim/cli/exit_status.hpp"
#include "sim/cli/interrupt.hpp"
#include "sim/cli/memory_needs.hpp"
#include "sim/cli/progress_line.hpp"
#include "sim/config/inert_keys.hpp"
#include "sim/gpu/simulation.hpp"
#include "sim/library/load.hpp"

namespace tcsim::cli {
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
/// engines do (tests/validation/SOURCES.md: about six). Every run writes the same result.
constexpr int kCopies = 6;

bool takes_turns(const isa::Buffer& buffer) { return buffer.name == "B"; }

/// SMs that read an element of operand B: rows of CTA tiles.
int readers_of_b(const PreparedRun& run) {
  return static_cast<int>(ceil_div<std::int64_t>(run.gemm->problem.m, run.gemm->tile.m));
}

/// From a buffer to its next copy: beyond everything of the stream.
std::uint64_t copy_distance(const std::vector<isa::KernelLaunch>& stream) {
  constexpr std::uint64_t kAlignment = std::uint64_t{1} << 21;  // a large page
  std::uint64_t first = ~std::uint64_t{0};
  std::uint64_t end = 0;
  for (const isa::KernelLaunch& launch : stream) {
    for (const isa::Buffer& buffer : launch.buffers) {
      first = std::min(first, buffer.base_address);
      end = std::max(end, buffer.base_address + buffer.bytes);
    }
  }
  return (end - first + kAlignment - 1) / kAlignment * kAlignment;
}

/// What the runs before launches_before left: this run's own copies first, as they are oldest.
std::vector<gpu::L2Content> earlier_copies(const RunOptions& options, const PreparedRun& run) {
  std::vector<gpu::L2Content> contents;
  if (!options.rotate_weights) return contents;
  const std::uint64_t distance = copy_distance(run.launches);
  for (std::uint64_t copy = 0; copy + 1 < kCopies; ++copy)
    for (const isa::KernelLaunch& launch : run.launches)
      for (const isa::Buffer& buffer : launch.buffers)
        if (takes_turns(buffer))
          contents.push_back(
              {buffer.base_address + copy * distance, buffer.bytes, false, readers_of_b(run)});
  return contents;
}

/// The memory of the run, copies of operand B included.
std::vector<workload::OperandSize> needs_of(const RunOptions& options, const PreparedRun& run) {
  std::vector<workload::OperandSize> needs = memory_needs(run.launches);
  if (!options.rotate_weights) return needs;
  const auto b = std::ranges::find(needs, "B", &workload::OperandSize::name);
  if (b != needs.end())
    needs.push_back({fmt::format("{} copies of B", kCopies - 1), (kCopies - 1) * b->bytes});
  return needs;
}

/// What a long run draws shows in so many cycles; filling the machine takes a fortieth of them.
constexpr Cycle kPowerProbeCycles = 200'000;

/// Busy slots for CTAs in the mean of the first kernel over those of its full waves.
double busy_share(const report::RunRecord& record) {
  const double waves = record.waves.empty() ? 0 : record.waves.front().count;
  return waves > 0 ? waves / std::ceil(waves) : 1;
}

/// `overrides` with this clock of the SMs in the place of the one they name.
std::vector<std::string> with_clock(std::vector<std::string> overrides, int clock_mhz) {
  constexpr std::string_view kKey = "clocks.sm_mhz=";
  std::erase_if(overrides, [&](const std::string& text) { return text.starts_with(kKey); });
  overrides.push_back(fmt::format("{}{}", kKey, clock_mhz));
  return overrides;
}

}  // namespace

std::vector<isa::KernelLaunch> launches_before(const RunOptions& options, const PreparedRun& run) {
  if (!options.warm_l2) return {};
  std::vector<isa::KernelLaunch> launches = run.launches;
  if (!options.rotate_weights) return launches;
  const std::uint64_t distance = copy_distance(launches);
  for (isa::KernelLaunch& launch : launches)
    for (isa::Buffer& buffer : launch.buffers)
      if (takes_turns(buffer)) buffer.base_address += (kCopies - 1) * distance;
  return launches;
}

gpu::SimulationOptions network_simulation_options(const RunOptions& options) {
  gpu::SimulationOptions result;
  result.quantum = options.quantum;
  result.threads = options.jobs;
  result.max_cycles = options.max_cycles;
  result.cold_code = options.cold_code;
  return result;
}

gpu::SimulationOptions simulation_options(const RunOptions& options, const PreparedRun& run) {
  gpu::SimulationOptions result = network_simulation_options(options);
  result.l2 = earlier_copies(options, run);
  return result;
}

PreparedRun prepare_run_with(const RunOptions& options, const workload::Workload& workload,
                             const config::MachineFile& machine, double clock_ratio) {
  PreparedRun run = prepare_run(
      workload,
      {options.machines.front(), options.unit, options.tile, {options.constant_data, clock_ratio}},
      machine);
  if (options.rotate_weights && !run.gemm)
    throw NotCovered(fmt::format("{}: --rotate-weights needs a GEMM", run.inputs.workload));
  if (options.power_clock && !run.inputs.power)
    throw NotCovered(
        fmt::format("{}: --clock power needs the type of the operands, which a trace "
                    "does not tell",
                    run.inputs.workload));
  if (!options.ignores_capacity)
    require_capacity(run.inputs.workload, needs_of(options, run), machine.machine);
  if (options.warm_l2) run.inputs.l2_state = "warm";
  if (options.rotate_weights)
    run.inputs.l2_state = options.warm_l2 ? "warm, weights in turn" : "weights in turn";
  if (options.power_clock) run.inputs.power->clock_policy = "power";
  if (options.power_clock && run.inputs.power->limit_w <= run.inputs.power->constant_w)
    throw UsageError(
        fmt::format("tcsim run: --clock power: no clock keeps to energy.limit_w = {} W, as "
                    "energy.constant_w = {} W is drawn whatever runs",
                    run.inputs.power->limit_w, run.inputs.power->constant_w));
  return run;
}

void note_inert_overrides(const RunOptions& options, const config::MachineFile& machine) {
  if (options.quiet) return;
  for (const std::string& note : config::inert_override_notes(machine))
    fmt::print(std::cerr, "note: {}\n", note);
}

void check_quantum(const RunOptions& options, const config::Machine& machine) {
  if (options.quantum == 0) return;
  const Cycle largest = gpu::Simulation(machine, {}).largest_quantum();
  if (options.quantum <= largest) return;
  throw UsageError(
      fmt::format("tcsim run: --quantum: {} is more than the {} cycles under which results are "
                  "exact on this machine",
                  options.quantum, largest));
}

report::RunRecord simulate_run(const RunOptions& options, const PreparedRun& run,
                               const config::Machine& machine, const TensorUnits& tensor_units,
                               const Observers& observers) {
  gpu::SimulationOptions settings = simulation_options(options, run);
  settings.tensor_unit = tensor_units;
  settings.observer = observers;
  gpu::Simulation simulation(machine, settings);
  const Clock::time_point start = Clock::now();
  const bool terminal = ::isatty(STDERR_FILENO) == 1;
  StopCause stop = StopCause::kNone;
  gpu::Outcome outcome;
  {
    ProgressLine progress_line((terminal && !options.quiet) || options.verbose, terminal);
    const auto keep_going = [&](const gpu::Progress& progress) {
      progress_line.show(progress);
      stop = InterruptGuard::stop_cause();
      return stop == StopCause::kNone;
    };
    outcome = simulation.run(run.launches, keep_going, launches_before(options, run));
  }
  const report::SimulationCost cost{
      seconds_since(start), peak_rss_bytes(),
      options.quantum > 0 ? options.quantum : simulation.largest_quantum()};
  report::RunRecord record = report::make_record(run.inputs, outcome, simulation.counters(), cost);
  if (stop == StopCause::kLimit) record.stopped_by = name(stop);
  return record;
}

report::RunRecord simulate_at_power_limit(const RunOptions& options,
                                          const workload::Workload& workload,
                                          const PreparedRun& run, const ClockedRun& simulate) {
  const int boost_mhz = run.inputs.clock_mhz;
  // From `clock_mhz` to where what `extent` simulates keeps to the limit.
  const auto settle = [&](const RunOptions& extent, int clock_mhz) {
    energy::ClockSearch search(boost_mhz, run.inputs.power->limit_w);
    for (;;) {
      const config::MachineFile machine = library::read_machine(
          options.machines.front(),
          clock_mhz == boost_mhz ? options.overrides : with_clock(options.overrides, clock_mhz),
          options.libraries);
      PreparedRun clocked =
          prepare_run_with(options, workload, machine, static_cast<double>(clock_mhz) / boost_mhz);
      clocked.inputs.peak_tflops = run.inputs.peak_tflops;
      clocked.inputs.attainable = run.inputs.attainable;
      report::RunRecord record = simulate(extent, clocked, machine.machine);
      const bool is_start = record.outcome.stop == gpu::StopReason::kCycleLimit;
      if (!record.complete() && !is_start) return record;
      const auto next_mhz = search.next(power_draw(record, is_start ? busy_share(record) : 1.0));
      if (!next_mhz) return record;
      clock_mhz = *next_mhz;
    }
  };
  const bool is_short = options.max_cycles > 0 && options.max_cycles <= kPowerProbeCycles;
  // Runs before this one would take longer than the start saves.
  if (options.warm_l2 || is_short) return settle(options, boost_mhz);
  RunOptions start = options;
  start.max_cycles = kPowerProbeCycles;
  report::RunRecord record = settle(start, boost_mhz);
  if (record.outcome.stop != gpu::StopReason::kCycleLimit) return record;
  return settle(options, record.inputs.clock_mhz);
}

}  // namespace tcsim::cli
