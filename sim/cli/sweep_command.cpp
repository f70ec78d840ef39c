#include "sim/cli/sweep_command.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <unistd.h>

#include <chrono>
#include <iostream>
#include <memory>
#include <thread>

#include "sim/cli/interrupt.hpp"
#include "sim/cli/standard_streams.hpp"
#include "sim/cli/sweep_options.hpp"
#include "sim/cli/sweep_submit.hpp"
#include "sim/cli/sweep_views.hpp"
#include "sim/errors/errors.hpp"
#include "sim/files/json_text.hpp"
#include "sim/report/manifest.hpp"
#include "sim/sweep/collect.hpp"
#include "sim/sweep/estimate.hpp"
#include "sim/sweep/foreign.hpp"
#include "sim/sweep/plots.hpp"
#include "sim/text/counted.hpp"

namespace tcsim::cli {
namespace {

namespace fs = std::filesystem;
using sweep::Folder;
using sweep::FolderLock;

fs::path folder_of(const SweepOptions& options, const sweep::Plan& plan) {
  return options.out.empty() ? fs::path("sweep-" + plan.name) : options.out;
}

int plan_sweep(const SweepOptions& options) {
  const sweep::Plan plan = read_plan(options.target);
  const Table table = points_table(plan);
  if (options.format != Format::kText) {
    fmt::print(std::cout, "{}",
               options.format == Format::kJson ? files::json_text(to_json(plan), 2) + "\n"
                                               : render(table, options.format));
    return kDone;
  }
  std::vector<const sweep::Point*> points;
  for (const sweep::Point& point : plan.points) points.push_back(&point);
  const sweep::Estimate estimate = sweep::estimate_of(points);
  fmt::print(std::cout,
             "{}\nsweep {}: {}, about {} in one process ({} with fidelity sampled), up to "
             "{:.0f} MiB{}\n",
             render(table, Format::kText), plan.name, text::counted(plan.points.size(), "point"),
             sweep::duration_text(estimate.seconds), sweep::duration_text(estimate.sampled_s),
             estimate.memory_mib, sweep::without_forecast_text(estimate));
  return kDone;
}

void announce(const sweep::Point& point, const sweep::PointRecord& record, std::size_t finished,
              std::size_t all) {
  const bool done = record.state == sweep::PointState::kDone;
  fmt::print(std::cerr, "[{}/{}] {}: {}\n", finished, all, sweep::label_of(point.parameters),
             done ? fmt::format("{:.2f} us", record.result.value("time_us", 0.0))
                  : fmt::format("{}: {}", state_text(record.state), record.failure.reason));
}

/// Runs the open points; the summary has what happened.
sweep::WorkSummary run_points(const Folder& folder, const SweepOptions& options) {
  const InterruptGuard guard;
  sweep::WorkEvents events;
  events.announce = [&](const sweep::Point& point, const sweep::PointRecord& record,
                        std::size_t finished, std::size_t all) {
    if (!options.quiet) announce(point, record, finished, all);
  };
  events.pending_signal = InterruptGuard::pending_signal;
  const sweep::WorkSummary summary = sweep::work(folder, options.work, events);
  if (summary.corrupt > 0)
    fmt::print(std::cerr, "{}: run again\n", text::counted(summary.corrupt, "damaged result file"));
  return summary;
}

int status_of(const SweepCounts& counts) {
  return counts.done == counts.points ? kDone : kCheckFailed;
}

/// Tables and plots of what is there. Returns the status of the sweep.
int collect_folder(const Folder& folder, std::ostream& summary = std::cout) {
  const std::vector<sweep::Row> rows = sweep::rows_of(folder);
  sweep::collect(folder, rows);
  const sweep::DrawnPlots plots = sweep::draw_plots(folder, sweep::totals_of(rows));
  const SweepCounts counts = counts_of(folder, rows);
  fmt::print(std::cerr, "{}", failures_text(folder, rows));
  for (const std::string& reason : plots.empty) fmt::print(std::cerr, "{}\n", reason);
  fmt::print(summary, "{}{}/  report.html  sweep.csv  totals.csv  sweep.sqlite",
             counts_text(folder, counts), folder.path().string());
  for (const std::string& plot : plots.files) fmt::print(summary, "  {}", plot);
  fmt::print(summary, "\n");
  return plots.empty.empty() ? status_of(counts) : static_cast<int>(kCheckFailed);
}

int run_sweep(const SweepOptions& options) {
  sweep::Plan plan = read_plan(options.target);
  const fs::path path = folder_of(options, plan);
  const FolderLock lock(path, FolderLock::Kind::kAlone);
  const Folder folder = Folder::prepare(path, std::move(plan));
  const sweep::WorkSummary summary = run_points(folder, options);
  const std::vector<sweep::Row> rows = sweep::rows_of(folder);
  const bool is_text = options.format == Format::kText;
  if (options.format == Format::kJson) {
    fmt::print(std::cout, "{}", counts_json(folder, counts_of(folder, rows)));
  } else {
    const Table table = totals_table(folder.plan(), sweep::totals_of(rows));
    fmt::print(std::cout, "{}{}", render(table, options.format), is_text ? "\n" : "");
  }
  const int status = collect_folder(folder, is_text ? std::cout : std::cerr);
  if (!summary.interrupted) return status;
  fmt::print(std::cerr, "tcsim sweep: interrupted; the same command continues it\n");
  return kInterrupted;
}

int work_sweep(const SweepOptions& options) {
  const Folder folder = Folder::open(options.target);
  refuse_foreign_work(folder);
  const FolderLock lock(options.target, FolderLock::Kind::kWithOtherWorkers);
  const sweep::WorkSummary summary = run_points(folder, options);
  if (options.quiet && summary.failed > 0)
    fmt::print(std::cerr, "tcsim sweep: {} failed; tcsim sweep collect {} lists them\n",
               text::counted(summary.failed, "point"), report::shell_line({options.target}));
  if (summary.interrupted) return kInterrupted;
  return summary.failed == 0 ? kDone : kCheckFailed;
}

int show_status(const SweepOptions& options) {
  constexpr auto kInterval = std::chrono::seconds(2);
  constexpr const char* kClearScreen = "\033[H\033[2J";
  if (options.format != Format::kText && options.format != Format::kJson)
    throw UsageError("tcsim sweep status: --format: text or json");
  for (;;) {
    const Folder folder = Folder::open(options.target);
    const SweepCounts counts = counts_of(folder, sweep::rows_of(folder));
    if (options.watch && ::isatty(STDOUT_FILENO) == 1) steer(std::cout, kClearScreen);
    fmt::print(std::cout, "{}",
               options.format == Format::kJson ? counts_json(folder, counts)
                                               : counts_text(folder, counts));
    std::cout.flush();
    if (!options.watch || counts.open == 0) return kDone;
    std::this_thread::sleep_for(kInterval);
  }
}

int collect_sweep(const SweepOptions& options) {
  return collect_folder(Folder::open(options.target));
}

constexpr const char* kSpec = "SPEC.yaml";
constexpr const char* kFolder = "the folder of a sweep";

/// Adds one command with the options that `add` names.
template <typename Add>
CLI::App* add_command(CLI::App& parent, const char* name, const char* sentence, const char* target,
                      const Add& add, int (*run)(const SweepOptions&), int& status) {
  CLI::App* command = parent.add_subcommand(name, sentence);
  const auto texts = std::make_shared<SweepOptionTexts>(*command, name, target);
  add(*texts, *command);
  command->callback([texts, run, &status] {
    try {
      status = run(texts->checked());
    } catch (const sweep::FolderRefused& error) {
      throw UsageError(error.what());
    }
  });
  return command;
}

}  // namespace

void add_sweep_command(CLI::App& app, int& status) {
  using Texts = SweepOptionTexts;
  CLI::App* sweep_app = app.add_subcommand("sweep",
                                           "Many machines, workloads and options: plan, "
                                           "run here or on a cluster, collect");
  sweep_app->require_subcommand(0, 1);
  add_command(
      *sweep_app, "plan", "Print the points of a SPEC, their time and their memory", kSpec,
      [](Texts& texts, CLI::App& command) { texts.add_format(command); }, plan_sweep, status);
  add_command(
      *sweep_app, "run", "Run the points that have no result yet, and collect", kSpec,
      [](Texts& texts, CLI::App& command) {
        texts.add_out(command);
        texts.add_work(command, "the processors of this host");
        texts.add_format(command);
        texts.add_quiet(command);
      },
      run_sweep, status);
  add_command(
      *sweep_app, "work", "Run a shard of the points; engines call this", kFolder,
      [](Texts& texts, CLI::App& command) {
        texts.add_work(command, "1");
        texts.add_shard(command);
        texts.add_quiet(command);
      },
      work_sweep, status);
  add_command(
      *sweep_app, "status", "Progress, from the result files", kFolder,
      [](Texts& texts, CLI::App& command) {
        texts.add_format(command, "text or json");
        texts.add_watch(command);
      },
      show_status, status);
  add_command(
      *sweep_app, "submit", "Submit the open points to a cluster", kSpec,
      [](Texts& texts, CLI::App& command) {
        texts.add_out(command);
        texts.add_work(command, "1");
        texts.add_submit(command);
      },
      submit_sweep, status);
  add_command(
      *sweep_app, "collect", "Write report.html, tables and plots of the results so far", kFolder,
      [](Texts&, CLI::App&) {}, collect_sweep, status);
}

}  // namespace tcsim::cli
