#include "sim/cli/run_one.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <optional>

#include "sim/cli/exit_status.hpp"
#include "sim/cli/interrupt.hpp"
#include "sim/cli/progress_line.hpp"
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

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::int64_t peak_rss_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  constexpr std::int64_t kKibibyte = 1024;  // Linux counts ru_maxrss in KiB
  return usage.ru_maxrss * kKibibyte;
}

/// What a simulation leaves behind.
struct Simulated {
  report::RunRecord record;
  bool timed_out = false;
};

Simulated simulate(const RunOptions& options, const PreparedRun& run,
                   const config::Machine& machine) {
  const InterruptGuard guard;
  const Clock::time_point start = Clock::now();
  gpu::Simulation simulation(machine, {options.quantum, options.max_cycles});
  const bool terminal = ::isatty(STDERR_FILENO) == 1;
  bool timed_out = false;
  gpu::Outcome outcome;
  {
    ProgressLine progress_line((terminal && !options.quiet) || options.verbose, terminal);
    outcome = simulation.run(run.launches, [&](const gpu::Progress& progress) {
      progress_line.show(progress);
      timed_out = options.timeout_s > 0 && seconds_since(start) >= options.timeout_s;
      return !timed_out && InterruptGuard::pending_signal() == 0;
    });
  }
  const report::SimulationCost cost{
      seconds_since(start), peak_rss_bytes(),
      options.quantum > 0 ? options.quantum : simulation.largest_quantum()};
  return {report::make_record(run.inputs, outcome, simulation.counters(), cost), timed_out};
}

std::string stopped_by(const Simulated& simulated) {
  return simulated.timed_out ? "time limit"
                             : std::string(report::stop_text(simulated.record.outcome.stop));
}

int status_of(const Simulated& simulated) {
  switch (simulated.record.outcome.stop) {
    case gpu::StopReason::kFinished:
      return kDone;
    case gpu::StopReason::kInterrupted:
      return simulated.timed_out ? kStopped : kInterrupted;
    case gpu::StopReason::kCycleLimit:
    case gpu::StopReason::kDeadlock:
      return kStopped;
  }
  return kOurBug;
}

void write_files(const report::RunDirectory& directory, const Simulated& simulated,
                 report::Manifest manifest) {
  const report::RunRecord& record = simulated.record;
  const std::string run = directory.name();
  directory.write("stats.json", report::stats_json(record).dump(2) + "\n");
  directory.write("stats.csv", std::string(stats::kStatsCsvHeader) +
                                   stats::to_csv(run, record.counters, record.metrics,
                                                 std::string(report::kFidelity)));
  directory.write("kernels.csv",
                  std::string(report::kKernelsCsvHeader) + report::kernels_csv(run, record));
  manifest.complete = record.complete();
  manifest.stopped_by = stopped_by(simulated);
  manifest.wall_s = record.cost.wall_s;
  directory.write("manifest.json", report::manifest_json(manifest, record.inputs).dump(2) + "\n");
}

report::TableRow as_row(const RunOptions& options, const Simulated& simulated) {
  report::TableRow row{1,
                       simulated.record.inputs.machine,
                       options.workload,
                       simulated.record.inputs.title,
                       report::RowStatus::kDone,
                       "",
                       report::run_json(simulated.record)};
  if (!simulated.record.complete()) {
    row.status = report::RowStatus::kStopped;
    row.reason = stopped_by(simulated);
  }
  return row;
}

std::string report_in(const RunOptions& options, const Simulated& simulated) {
  switch (options.format) {
    case Format::kText:
      return report::text_report(simulated.record);
    case Format::kJson:
      return report::run_json(simulated.record).dump(2) + "\n";
    case Format::kCsv:
      return report::rows_csv({as_row(options, simulated)});
    case Format::kMarkdown:
      return report::markdown_report(simulated.record);
  }
  return "";
}

void explain_stop(const Simulated& simulated) {
  const report::RunRecord& record = simulated.record;
  if (record.complete()) return;
  fmt::print(stderr, "tcsim run: stopped by {} after {} cycles; results are partial\n",
             stopped_by(simulated), record.outcome.cycles);
  if (!record.outcome.diagnosis.empty()) fmt::print(stderr, "{}\n", record.outcome.diagnosis);
}

}  // namespace

int run_one(const RunOptions& options, const std::vector<std::string>& command) {
  const std::string& machine_name = options.machines.front();
  const config::Machine machine = config::load_machine(machine_name, options.overrides);
  const PreparedRun run = prepare_run(options, machine_name, machine);
  const report::Manifest manifest{command, report::now_utc()};
  std::optional<report::RunDirectory> directory;
  if (!options.no_files) {
    directory = report::RunDirectory::create(options.out, options.force);
    directory->write("manifest.json", report::manifest_json(manifest, run.inputs).dump(2) + "\n");
  }
  const Simulated simulated = simulate(options, run, machine);
  if (directory) write_files(*directory, simulated, manifest);
  fmt::print("{}", report_in(options, simulated));
  if (directory && options.format == Format::kText) {
    fmt::print("\n{}/  manifest.json  stats.json  stats.csv  kernels.csv\n",
               directory->path().string());
  }
  explain_stop(simulated);
  return status_of(simulated);
}

}  // namespace tcsim::cli
