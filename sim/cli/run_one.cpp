#include "sim/cli/run_one.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <functional>
#include <iostream>
#include <iterator>
#include <optional>

#include "sim/cli/interrupt.hpp"
#include "sim/cli/run_files.hpp"
#include "sim/cli/run_hooks.hpp"
#include "sim/cli/run_trials.hpp"
#include "sim/cli/timeline_files.hpp"
#include "sim/cli/values_files.hpp"
#include "sim/errors/errors.hpp"
#include "sim/files/json_text.hpp"
#include "sim/report/critical_path.hpp"
#include "sim/report/json_report.hpp"
#include "sim/report/manifest.hpp"
#include "sim/report/result_files.hpp"
#include "sim/report/row_table.hpp"
#include "sim/report/run_directory.hpp"
#include "sim/report/text_report.hpp"
#include "sim/report/words.hpp"
#include "sim/results/page.hpp"
#include "sim/results/sections.hpp"
#include "sim/results/text_views.hpp"
#include "sim/run/session.hpp"
#include "sim/stats/writers.hpp"

namespace tcsim::cli {
namespace {

int status_of(const report::RunRecord& record) {
  switch (record.outcome.stop) {
    case gpu::StopReason::kFinished:
      return record.tensor_core && !record.tensor_core->agrees() ? kCheckFailed : kDone;
    case gpu::StopReason::kInterrupted:
      return record.stopped_by == run::name(StopCause::kLimit) ? kStopped : kInterrupted;
    case gpu::StopReason::kCycleLimit:
    case gpu::StopReason::kDeadlock:
      return kStopped;
    case gpu::StopReason::kUnsure:
      break;  // was repeated
  }
  return kOurBug;
}

/// The run as its files hold it.
results::StoredRun stored(const std::string& name, const report::RunRecord& record,
                          report::Manifest manifest) {
  manifest.complete = record.complete();
  manifest.fidelity = report::fidelity(record.outcome);
  manifest.stopped_by = record.stopped_by;
  manifest.wall_s = record.cost.wall_s;
  return {name, results::View(report::stats_json(record), "stats.json"),
          results::View(report::manifest_json(manifest, record.inputs), "manifest.json")};
}

void publish(report::ResultFiles& files, const report::RunRecord& record,
             const report::Manifest& manifest) {
  const std::string name = files.directory().name();
  files.write("stats.csv", std::string(stats::kStatsCsvHeader) + report::stats_csv(name, record));
  files.write("kernels.csv",
              std::string(report::kKernelsCsvHeader) + report::kernels_csv(name, record));
  const results::StoredRun run = stored(name, record, manifest);
  const results::Document document = results::report_of(run);
  files.write("stats.json", files::json_text(run.stats.json(), 2) + "\n");
  files.write("report.html", results::page(document));
  files.write("report.md", results::document_markdown(document));
  files.publish(run.manifest.json());
}

std::string ascii_plots(const report::RunRecord& record, const report::Manifest& manifest) {
  const results::StoredRun run = stored("", record, manifest);
  return "\n" + results::section_text(results::roofline_section(run)) + "\n" +
         results::section_text(results::timeline_section(run));
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
      return files::json_text(report::run_json(record), 2) + "\n";
    case Format::kCsv:
      return report::rows_csv({as_row(record)});
    case Format::kMarkdown:
      return report::markdown_report(record);
  }
  return "";
}

void explain_stop(const report::RunRecord& record) {
  if (record.complete()) return;
  fmt::print(std::cerr, "tcsim run: {} after {} cycles; results are partial\n",
             report::stop_words(record.stopped_by), record.outcome.cycles);
  if (!record.outcome.diagnosis.empty()) fmt::print(std::cerr, "{}\n", record.outcome.diagnosis);
}

/// Writes and prints `record`, in its directory behind what `write_more` writes there, which
/// returns the names of its files; without it, as the last words of the process, which has told why
/// it ends. Returns the status. Trouble with files is thrown when all is printed.
int deliver(const RunOptions& options, const RunFiles& run_files, const report::RunRecord& record,
            const std::function<std::vector<std::string>(report::ResultFiles&)>& write_more) {
  const std::optional<report::RunDirectory>& directory = run_files.directory();
  std::vector<std::string> files{"report.html", "report.md",   "stats.json",
                                 "stats.csv",   "kernels.csv", "manifest.json"};
  const std::exception_ptr trouble = held_back([&] {
    if (!directory) return;
    report::ResultFiles results = run_files.results();
    if (write_more) std::ranges::copy(write_more(results), std::back_inserter(files));
    publish(results, record, run_files.manifest());
  });
  fmt::print(std::cout, "{}", report_in(options, record));
  if (options.ascii_plots) fmt::print(std::cout, "{}", ascii_plots(record, run_files.manifest()));
  if (directory && !trouble && options.format == Format::kText)
    fmt::print(std::cout, "\n{}/  {}\n", directory->path().string(), fmt::join(files, "  "));
  if (write_more) explain_stop(record);
  if (trouble) std::rethrow_exception(trouble);
  return status_of(record);
}

/// The values of a run that has been simulated. If they are stopped, it is delivered without them.
report::ValuesRecord values_behind(const report::RunRecord& record, const run::Session& session,
                                   const RunOptions& options, const RunFiles& run_files) {
  const InterruptGuard guard([&](StopCause cause) {
    report::RunRecord partial = record;
    partial.outcome.stop = gpu::StopReason::kInterrupted;
    partial.stopped_by = run::name(cause);
    deliver(options, run_files, partial, {});
    std::cout.flush();
  });
  return session.values();
}

/// Writes what `session` has recorded and returns the names of its files. An interrupted run has to
/// end in a second.
std::vector<std::string> write_timeline(const report::RunRecord& record, run::Session& session,
                                        report::ResultFiles& files) {
  constexpr std::size_t kSoonWritten = 8000;  // instructions: a quarter of a second
  auto timeline = session.take_timeline();
  if (!timeline) return {};
  if (timeline->records.empty())
    fmt::print(std::cerr,
               "tcsim run: --timeline: no instruction is in the window, and the timeline is empty; "
               "the run ended at cycle {}\n",
               record.outcome.cycles);
  timeline->path = timeline::marks_in(timeline->window, record.critical_paths);
  if (record.outcome.stop != gpu::StopReason::kInterrupted ||
      timeline->records.size() <= kSoonWritten)
    return write_timeline_files(files, *timeline);
  fmt::print(std::cerr,
             "tcsim run: the timeline already has {} instructions and is not written; --max-cycles "
             "{} ends the run with it\n",
             timeline->records.size(), record.outcome.cycles);
  return {};
}

/// `request` with the tile that the library chose, where a tile can be asked for, so that machines
/// differ in what they do and not in what they run.
run::RunRequest with_tile_of(const report::RunRecord& record, const workload::Workload& workload,
                             run::RunRequest request) {
  const bool takes_tile = std::holds_alternative<kernels::GemmProblem>(workload.work) ||
                          std::holds_alternative<workload::ConvWork>(workload.work);
  if (const std::string tile = record.inputs.tile(); takes_tile && !tile.empty())
    request.tile = tile;
  return request;
}

/// Runs `workload`; `tiles` have been tried for it already, or nothing.
int run_settled(const workload::Workload& workload, const RunOptions& options,
                const std::vector<std::string>& command,
                const std::optional<report::TileSearch>& tiles) {
  run::Session session(options.request, workload, hooks_of(options));
  const run::PreparedRun& prepared = session.prepared();
  const RunFiles run_files(options, command, [&](const report::Manifest& manifest) {
    return report::manifest_json(manifest, prepared.inputs);
  });
  const InterruptGuard guard(run_files.last_words());  // until the results are written
  report::RunRecord record = session.simulate();
  if (session.lacks_values(record))
    record.values = values_behind(record, session, options, run_files);
  record.tiles = tiles;
  constexpr int kTriedTiles = 8;
  int tried = kDone;
  if (options.tries && record.complete()) {
    if (!record.verdict.options.empty()) record.tried = tried_advice(options, record);
    const bool is_product = std::holds_alternative<kernels::GemmProblem>(workload.work);
    if (is_product && !tiles && options.request.tile.empty())
      record.tiles = searched_tiles(options, workload, kTriedTiles);
  }
  if (options.sensitivity_percent && record.complete())
    record.sensitivity = sensitivity_of(
        options, {with_tile_of(record, workload, options.request), session.machine(),
                  run::mmas_of(prepared.launches), record.metric("time_us").value_or(0)});
  if (record.complete() && (options.tries || options.sensitivity_percent))
    tried = status_behind_trials();
  const int status = deliver(options, run_files, record, [&](report::ResultFiles& results) {
    std::vector<std::string> files;
    if (record.values) files = write_values(results, *record.values, prepared);
    if (!record.critical_paths.empty()) {
      results.write("critical_path.json", report::critical_path_file(record.critical_paths));
      files.emplace_back("critical_path.json");
    }
    std::ranges::copy(write_timeline(record, session, results), std::back_inserter(files));
    return files;
  });
  if (status != kDone) return status;
  return InterruptGuard::pending_signal() != 0 ? kInterrupted : tried;
}

}  // namespace

int run_one(const workload::Workload& workload, const RunOptions& options,
            const std::vector<std::string>& command) {
  const auto count = run::tiles_to_try(options.request.tile);
  if (!count) return run_settled(workload, options, command, {});
  const report::TileSearch tiles = [&] {
    const InterruptGuard guard;
    return searched_tiles(options, workload, *count);
  }();
  if (const int status = status_behind_trials(); status != kDone) return status;
  if (tiles.best() == nullptr)
    throw NotCovered(fmt::format("{}: no tile can be run: {}", workload.text,
                                 tiles.tiles.empty() ? "" : tiles.tiles.front().reason));
  RunOptions settled = options;
  settled.request.tile = tiles.best()->tile;
  std::vector<std::string> words{command.front(), "run"};  // of the run itself, which repeats it
  std::ranges::copy(words_of(settled), std::back_inserter(words));
  return run_settled(workload, settled, words, tiles);
}

}  // namespace tcsim::cli
