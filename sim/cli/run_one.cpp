#include "sim/cli/run_one.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <iterator>
#include <optional>

#include "sim/cli/exit_status.hpp"
#include "sim/cli/interrupt.hpp"
#include "sim/cli/rtl_run.hpp"
#include "sim/cli/run_values.hpp"
#include "sim/cli/simulate_run.hpp"
#include "sim/cli/timeline_files.hpp"
#include "sim/cli/workload_preparation.hpp"
#include "sim/config/load.hpp"
#include "sim/report/json_report.hpp"
#include "sim/report/manifest.hpp"
#include "sim/report/row_table.hpp"
#include "sim/report/run_directory.hpp"
#include "sim/report/text_report.hpp"
#include "sim/results/page.hpp"
#include "sim/results/sections.hpp"
#include "sim/results/text_views.hpp"
#include "sim/stats/writers.hpp"

namespace tcsim::cli {
namespace {

int status_of(const report::RunRecord& record) {
  switch (record.outcome.stop) {
    case gpu::StopReason::kFinished:
      return record.tensor_core && !record.tensor_core->agrees() ? kCheckFailed : kDone;
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
  directory.write("stats.csv", std::string(stats::kStatsCsvHeader) +
                                   stats::to_csv(run, record.counters, record.metrics,
                                                 std::string(report::kFidelity)));
  directory.write("kernels.csv",
                  std::string(report::kKernelsCsvHeader) + report::kernels_csv(run, record));
  manifest.complete = record.complete();
  manifest.stopped_by = record.stopped_by;
  manifest.wall_s = record.cost.wall_s;
  const results::StoredRun stored{run, report::stats_json(record),
                                  report::manifest_json(manifest, record.inputs)};
  const results::Document document = results::report_of(stored);
  directory.write("stats.json", stored.stats.dump(2) + "\n");
  directory.write("report.html", results::page(document));
  directory.write("report.md", results::document_markdown(document));
  directory.write("manifest.json", stored.manifest.dump(2) + "\n");
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
  const config::MachineFile machine =
      config::read_machine(options.machines.front(), options.overrides);
  const PreparedRun run = prepare_run_with(options, workload, machine, /*clock_ratio=*/1);
  if (!run.note.empty() && !options.quiet) fmt::print(stderr, "{}\n", run.note);
  std::optional<ValuesJob> values;
  if (options.rtl_tensor_core) check_rtl_run(run, machine.machine);
  if (options.values.wanted || options.rtl_tensor_core)
    values.emplace(options.values, run, machine.machine);
  check_quantum(options, machine.machine);
  const InterruptGuard guard;  // until the results are written
  const report::Manifest manifest{command, report::now_utc()};
  std::optional<report::RunDirectory> directory;
  if (!options.no_files) {
    directory = report::RunDirectory::create(options.out, options.force);
    directory->write("manifest.json", report::manifest_json(manifest, run.inputs).dump(2) + "\n");
  }
  std::optional<WindowRecording> recording;
  if (options.timeline) recording.emplace(*options.timeline, machine.machine);
  report::RunRecord record = options.rtl_tensor_core
                                 ? simulate_with_rtl(options, run, *values, machine.machine)
                                 : simulate_run(options, run, machine.machine, {},
                                                recording ? recording->observers() : Observers{});
  if (options.power_clock) record = at_power_limit(options, workload, run, std::move(record));
  if (options.values.wanted && record.complete() && !record.values)
    record.values = values->compute();
  std::vector<std::string> files{"report.html", "report.md",   "stats.json",
                                 "stats.csv",   "kernels.csv", "manifest.json"};
  if (directory) {
    if (record.values)
      std::ranges::copy(write_values(*directory, *record.values, run), std::back_inserter(files));
    if (recording)
      std::ranges::copy(
          write_timeline_files(*directory, recording->take(run.inputs.title, run.inputs.machine)),
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
