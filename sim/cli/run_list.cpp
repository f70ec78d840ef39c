#include "sim/cli/run_list.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <optional>
#include <sstream>

#include "sim/cli/exit_status.hpp"
#include "sim/cli/interrupt.hpp"
#include "sim/cli/run_files.hpp"
#include "sim/cli/simulate_run.hpp"
#include "sim/cli/workload_preparation.hpp"
#include "sim/config/load.hpp"
#include "sim/files/json_text.hpp"
#include "sim/files/read_file.hpp"
#include "sim/library/load.hpp"
#include "sim/process/child_pool.hpp"
#include "sim/report/json_report.hpp"
#include "sim/report/row_table.hpp"
#include "sim/report/run_directory.hpp"
#include "sim/report/words.hpp"
#include "sim/results/list_report.hpp"
#include "sim/results/page.hpp"
#include "sim/results/text_views.hpp"
#include "sim/stats/writers.hpp"

namespace tcsim::cli {
namespace {

namespace fs = std::filesystem;
using report::RowStatus;
using report::TableRow;

/// Every workload on every machine: all machines of the first workload, then of the second, ...
std::vector<TableRow> plan(const std::vector<workload::Workload>& workloads,
                           const RunOptions& options) {
  std::vector<TableRow> rows;
  const std::size_t limit =
      options.limit > 0 ? static_cast<std::size_t>(options.limit) : workloads.size();
  for (std::size_t i = 0; i < std::min(limit, workloads.size()); ++i) {
    for (const std::string& machine : options.machines) {
      TableRow row;
      row.number = static_cast<int>(i) + 1;
      row.machine = machine;
      row.workload = workloads[i].text;
      row.title = title_of(workloads[i]);
      row.reason = "interrupted";
      row.directory =
          fmt::format("rows/{:04}-{}", rows.size() + 1, fs::path(machine).stem().string());
      rows.push_back(row);
    }
  }
  return rows;
}

/// The command that runs `row` alone; `files` is the run directory of the list.
std::vector<std::string> row_command(const RunOptions& options, const TableRow& row,
                                     const std::optional<report::RunDirectory>& files) {
  std::vector<std::string> words{fs::read_symlink("/proc/self/exe").string(), "run", row.workload,
                                 "-m", row.machine};
  const auto add = [&](const char* option, const std::string& value) {
    words.emplace_back(option);
    words.push_back(value);
  };
  for (const std::string& override_text : options.overrides) add("--set", override_text);
  for (const std::string& library : options.libraries) add("--library", library);
  if (!options.tile.empty()) add("--tile", options.tile);
  add("--unit", options.unit);
  if (options.rtl_tensor_core) add("--tensor-core", "rtl");
  if (options.power_clock) add("--clock", "power");
  if (options.constant_data) add("--data", "constant");
  if (options.cold_code) words.emplace_back("--cold-code");
  if (options.warm_l2) words.emplace_back("--warm-l2");
  if (options.rotate_weights) words.emplace_back("--rotate-weights");
  if (options.ignores_capacity) words.emplace_back("--ignore-capacity");
  if (options.quantum > 0) add("--quantum", std::to_string(options.quantum));
  if (options.max_cycles > 0) add("--max-cycles", std::to_string(options.max_cycles));
  if (options.timeout_s > 0) add("--timeout", fmt::format("{}", options.timeout_s));
  const std::vector<std::string> values = options.values.words();
  words.insert(words.end(), values.begin(), values.end());
  add("-j", "1");
  add("-f", "json");
  words.emplace_back("-q");
  if (files) {
    add("-o", (files->path() / row.directory).string());
  } else {
    words.emplace_back("--no-files");
  }
  return words;
}

/// The last line that is not empty, which in our own messages states the mistake.
std::string last_line(const std::string& text) {
  std::istringstream lines(text);
  std::string last;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) last = line;
  }
  return last;
}

/// Fills in what the child said. Returns the status that stands for the row.
int read_result(const process::ChildResult& child, TableRow& row) {
  if (!child.started) return kInterrupted;
  if (child.signal != 0) {
    row.status = RowStatus::kFailed;
    row.reason = fmt::format("ended by signal {}{}{}", child.signal,
                             child.errors.empty() ? "" : ": ", last_line(child.errors));
    return kOurBug;
  }
  const auto result =
      nlohmann::ordered_json::parse(child.output, nullptr, /*allow_exceptions=*/false);
  if (result.is_object()) row.result = result;
  if (child.status == kDone && result.is_object()) {
    row.status = RowStatus::kDone;
    row.reason.clear();
    return kDone;
  }
  const bool partial = child.status == kStopped || child.status == kInterrupted;
  row.status = partial ? RowStatus::kStopped : RowStatus::kFailed;
  row.reason = partial && result.is_object()
                   ? result["simulation"]["stopped_by"].get<std::string>()
                   : fmt::format("status {}: {}", child.status, last_line(child.errors));
  return child.status == kDone ? kOurBug : child.status;
}

/// The rows of `file` from every row directory under one header.
std::string joined(const report::RunDirectory& files, const std::vector<TableRow>& rows,
                   const char* file, std::string_view header) {
  std::string text(header);
  for (const TableRow& row : rows) {
    const std::filesystem::path stored = files.path() / row.directory / file;
    if (!std::filesystem::exists(stored)) continue;  // the row failed
    std::istringstream input(files::read_file(stored, files::FileKind::kRun));
    std::string line;
    std::getline(input, line);  // the header
    while (std::getline(input, line)) text += line + "\n";
  }
  return text;
}

std::string table_in(const RunOptions& options, const std::vector<TableRow>& rows) {
  switch (options.format) {
    case Format::kText:
      return report::rows_text(rows) + "\n" + report::summary_text(rows);
    case Format::kJson:
      return files::json_text(report::rows_json(rows), 2) + "\n";
    case Format::kCsv:
      return report::rows_csv(rows);
    case Format::kMarkdown:
      return report::rows_markdown(rows);
  }
  return "";
}

std::string number_or_dash(const nlohmann::ordered_json& value) {
  return value.is_number() ? fmt::format("{:.1f}", value.get<double>()) : std::string("-");
}

/// One line per finished row on standard error.
void announce(const TableRow& row, std::size_t finished, std::size_t total) {
  const std::string what = row.status == RowStatus::kDone
                               ? fmt::format("{} us, {} {}", number_or_dash(row.result["time_us"]),
                                             number_or_dash(row.result["tflops"]),
                                             report::rate_unit(row.result.value("dtype", "")))
                               : fmt::format("{}: {}", report::status_text(row.status), row.reason);
  fmt::print(std::cerr, "[{}/{}] {} on {}: {}\n", finished, total, row.title, row.machine, what);
}

/// The rows that failed, on standard error.
void tell_failures(const std::vector<TableRow>& rows) {
  constexpr std::size_t kMostTold = 20;
  std::size_t failed = 0;
  for (const TableRow& row : rows) {
    if (row.status != RowStatus::kFailed && row.status != RowStatus::kStopped) continue;
    if (++failed <= kMostTold)
      fmt::print(std::cerr, "tcsim run: row {}, {} on {}: {}: {}\n", row.number, row.title,
                 row.machine, report::status_text(row.status), row.reason);
  }
  if (failed > kMostTold) fmt::print(std::cerr, "and {} further rows\n", failed - kMostTold);
}

int overall_status(const std::vector<int>& statuses, bool interrupted) {
  if (interrupted) return kInterrupted;
  const auto failed =
      std::find_if(statuses.begin(), statuses.end(), [](int status) { return status != kDone; });
  return failed == statuses.end() ? static_cast<int>(kDone) : *failed;
}

void write_list_files(const report::RunDirectory& files, const std::vector<TableRow>& rows) {
  files.write("rows.csv", report::rows_csv(rows));
  files.write("stats.csv", joined(files, rows, "stats.csv", stats::kStatsCsvHeader));
  files.write("kernels.csv", joined(files, rows, "kernels.csv", report::kKernelsCsvHeader));
  files.write("rows.json", files::json_text(report::rows_json(rows), 2) + "\n");
}

/// Writes the report of the list, which reads what stands in its directory by now.
void write_report(const report::RunDirectory& files) {
  const results::Document document = results::report_of(results::load_list(files.path()));
  files.write("report.html", results::page(document));
  files.write("report.md", results::document_markdown(document));
}

}  // namespace

int run_list(const std::vector<workload::Workload>& workloads, const RunOptions& options,
             const std::vector<std::string>& command) {
  const auto start = std::chrono::steady_clock::now();
  StopWatch::limit(0);  // the limit is that of each row
  // A mistake in a machine concerns every row, so it ends the command before any row runs.
  for (const std::string& machine : options.machines)
    note_inert_overrides(options,
                         library::read_machine(machine, options.overrides, options.libraries));
  std::vector<TableRow> rows = plan(workloads, options);
  RunFiles run_files(options, command);
  const std::optional<report::RunDirectory>& files = run_files.directory();

  std::vector<std::vector<std::string>> commands;
  commands.reserve(rows.size());
  for (const TableRow& row : rows) commands.push_back(row_command(options, row, files));
  std::vector<int> statuses(rows.size(), kInterrupted);
  std::size_t finished = 0;
  const bool announces = options.verbose || (!options.quiet && ::isatty(STDERR_FILENO) == 1);
  const InterruptGuard guard(run_files.last_words());
  process::PoolEvents events;
  events.finished = [&](std::size_t index, const process::ChildResult& child) {
    statuses[index] = read_result(child, rows[index]);
    ++finished;
    if (announces) announce(rows[index], finished, rows.size());
  };
  events.pending_signal = InterruptGuard::pending_signal;
  process::ChildPool({options.jobs, {}, {}}).run(commands, events);

  const bool interrupted = InterruptGuard::pending_signal() != 0;
  const int status = overall_status(statuses, interrupted);
  const double wall_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const std::exception_ptr trouble = held_back([&] {
    if (files) write_list_files(*files, rows);
    run_files.finish(wall_s, status == kDone,
                     interrupted       ? "interrupted"
                     : status == kDone ? "finished"
                                       : "failed rows");
    if (files) write_report(*files);
  });
  fmt::print(std::cout, "{}", table_in(options, rows));
  if (options.format == Format::kText) {
    fmt::print(std::cout, "simulated in {:.1f} s with {} jobs\n", wall_s, options.jobs);
    if (files && !trouble)
      fmt::print(std::cout,
                 "\n{}/  report.html  report.md  rows.csv  rows.json  stats.csv  kernels.csv  "
                 "manifest.json  rows/\n",
                 files->path().string());
  }
  if (!announces) tell_failures(rows);
  if (trouble) std::rethrow_exception(trouble);
  if (interrupted)
    fmt::print(std::cerr, "tcsim run: interrupted after {} of {} rows\n", finished, rows.size());
  return status;
}

}  // namespace tcsim::cli
