#include "sim/cli/run_one.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>

#include "sim/cli/exit_status.hpp"
#include "sim/cli/interrupt.hpp"
#include "sim/cli/progress_line.hpp"
#include "sim/cli/run_values.hpp"
#include "sim/cli/workload_preparation.hpp"
#include "sim/config/load.hpp"
#include "sim/report/json_report.hpp"
#include "sim/report/manifest.hpp"
#include "sim/report/row_table.hpp"
#include "sim/report/run_directory.hpp"
#include "sim/report/text_report.hpp"
#include "sim/stats/writers.hpp"

namespace tcsim::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kTimeLimit = "time limit";

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::int64_t peak_rss_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  constexpr std::int64_t kKibibyte = 1024;  // Linux counts ru_maxrss in KiB
  return usage.ru_maxrss * kKibibyte;
}

/// Refuses a quantum under which results would depend on it.
void check_quantum(const RunOptions& options, const gpu::Simulation& simulation) {
  const Cycle largest = simulation.largest_quantum();
  if (options.quantum <= largest) return;
  throw UsageError(
      fmt::format("tcsim run: --quantum: {} is more than the {} cycles under which results are "
                  "exact on this machine",
                  options.quantum, largest));
}

/// Puts operand B behind all other buffers of the stream. Requires a GEMM.
void move_weights(std::vector<isa::KernelLaunch>& stream) {
  constexpr std::uint64_t kAlignment = std::uint64_t{1} << 21;  // a large page
  std::uint64_t end = 0;
  for (const isa::KernelLaunch& launch : stream)
    for (const isa::Buffer& buffer : launch.buffers)
      end = std::max(end, buffer.base_address + buffer.bytes);
  for (isa::KernelLaunch& launch : stream)
    for (isa::Buffer& buffer : launch.buffers)
      if (buffer.name == "B")
        buffer.base_address = (end + kAlignment - 1) / kAlignment * kAlignment;
}

/// What runs first to leave its lines in the L2.
std::vector<isa::KernelLaunch> launches_before(const RunOptions& options, const PreparedRun& run) {
  if (!options.warm_l2) return {};
  std::vector<isa::KernelLaunch> launches = run.launches;
  if (options.rotate_weights) move_weights(launches);
  return launches;
}

report::RunRecord simulate(const RunOptions& options, const PreparedRun& run,
                           gpu::Simulation& simulation) {
  const Clock::time_point start = Clock::now();
  const bool terminal = ::isatty(STDERR_FILENO) == 1;
  bool timed_out = false;
  gpu::Outcome outcome;
  {
    ProgressLine progress_line((terminal && !options.quiet) || options.verbose, terminal);
    const auto keep_going = [&](const gpu::Progress& progress) {
      progress_line.show(progress);
      timed_out = options.timeout_s > 0 && seconds_since(start) >= options.timeout_s;
      return !timed_out && InterruptGuard::pending_signal() == 0;
    };
    outcome = simulation.run(run.launches, keep_going, launches_before(options, run));
  }
  const report::SimulationCost cost{
      seconds_since(start), peak_rss_bytes(),
      options.quantum > 0 ? options.quantum : simulation.largest_quantum()};
  report::RunRecord record = report::make_record(run.inputs, outcome, simulation.counters(), cost);
  if (timed_out) record.stopped_by = kTimeLimit;
  return record;
}

int status_of(const report::RunRecord& record) {
  switch (record.outcome.stop) {
    case gpu::StopReason::kFinished:
      return kDone;
    case gpu::StopReason::kInterrupted:
      return record.stopped_by == kTimeLimit ? kStopped : kInterrupted;
    case gpu::StopReason::kCycleLimit:
    case gpu::StopReason::kDeadlock:
      return kStopped;
  }
  return kOurBug;
}

void write_files(const report::RunDirectory& directory, const report::RunRecord& record,
                 report::Manifest manifest) {
  const std::string run = directory.name();
  directory.write("stats.json", report::stats_json(record).dump(2) + "\n");
  directory.write("stats.csv", std::string(stats::kStatsCsvHeader) +
                                   stats::to_csv(run, record.counters, record.metrics,
                                                 std::string(report::kFidelity)));
  directory.write("kernels.csv",
                  std::string(report::kKernelsCsvHeader) + report::kernels_csv(run, record));
  manifest.complete = record.complete();
  manifest.stopped_by = record.stopped_by;
  manifest.wall_s = record.cost.wall_s;
  directory.write("manifest.json", report::manifest_json(manifest, record.inputs).dump(2) + "\n");
}

report::TableRow as_row(const report::RunRecord& record) {
  report::TableRow row{1,
                       record.inputs.machine,
                       record.inputs.workload,
                       record.inputs.title,
                       report::RowStatus::kDone,
                       /*reason=*/"",
                       /*directory=*/"",
                       report::run_json(record)};
  if (!record.complete()) {
    row.status = report::RowStatus::kStopped;
    row.reason = record.stopped_by;
  }
  return row;
}

std::string report_in(const RunOptions& options, const report::RunRecord& record) {
  switch (options.format) {
    case Format::kText:
      return report::text_report(record);
    case Format::kJson:
      return report::run_json(record).dump(2) + "\n";
    case Format::kCsv:
      return report::rows_csv({as_row(record)});
    case Format::kMarkdown:
      return report::markdown_report(record);
  }
  return "";
}

void explain_stop(const report::RunRecord& record) {
  if (record.complete()) return;
  fmt::print(stderr, "tcsim run: stopped by {} after {} cycles; results are partial\n",
             record.stopped_by, record.outcome.cycles);
  if (!record.outcome.diagnosis.empty()) fmt::print(stderr, "{}\n", record.outcome.diagnosis);
}

}  // namespace

int run_one(const workload::Workload& workload, const RunOptions& options,
            const std::vector<std::string>& command) {
  const std::string& machine_name = options.machines.front();
  const config::MachineFile machine = config::read_machine(machine_name, options.overrides);
  PreparedRun run = prepare_run(workload, {machine_name, options.unit, options.tile}, machine);
  if (options.rotate_weights && !run.gemm)
    throw NotCovered(fmt::format("{}: --rotate-weights needs a GEMM", run.inputs.workload));
  if (options.warm_l2) run.inputs.l2_state = options.rotate_weights ? "weights cold" : "warm";
  gpu::Simulation simulation(machine.machine, {options.quantum, options.max_cycles});
  check_quantum(options, simulation);
  if (!run.note.empty() && !options.quiet) fmt::print(stderr, "{}\n", run.note);
  std::optional<ValuesJob> values;
  if (options.values.wanted) values.emplace(options.values, run, machine.machine);
  const InterruptGuard guard;  // until the results are written
  const report::Manifest manifest{command, report::now_utc()};
  std::optional<report::RunDirectory> directory;
  if (!options.no_files) {
    directory = report::RunDirectory::create(options.out, options.force);
    directory->write("manifest.json", report::manifest_json(manifest, run.inputs).dump(2) + "\n");
  }
  report::RunRecord record = simulate(options, run, simulation);
  if (values && record.complete()) record.values = values->compute();
  std::vector<std::string> files{"manifest.json", "stats.json", "stats.csv", "kernels.csv"};
  if (directory) {
    if (record.values)
      std::ranges::copy(write_values(*directory, *record.values, run.gemm->problem),
                        std::back_inserter(files));
    write_files(*directory, record, manifest);
  }
  fmt::print("{}", report_in(options, record));
  if (directory && options.format == Format::kText) {
    fmt::print("\n{}/  {}\n", directory->path().string(), fmt::join(files, "  "));
  }
  explain_stop(record);
  return status_of(record);
}

}  // namespace tcsim::cli
