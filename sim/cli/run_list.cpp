#include "sim/cli/run_list.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <map>
#include <optional>
#include <sstream>

#include "sim/cli/interrupt.hpp"
#include "sim/cli/run_files.hpp"
#include "sim/cli/run_hooks.hpp"
#include "sim/config/load.hpp"
#include "sim/errors/errors.hpp"
#include "sim/files/json_text.hpp"
#include "sim/files/read_file.hpp"
#include "sim/library/load.hpp"
#include "sim/report/json_report.hpp"
#include "sim/report/layout.hpp"
#include "sim/report/row_table.hpp"
#include "sim/report/run_directory.hpp"
#include "sim/report/words.hpp"
#include "sim/results/list_report.hpp"
#include "sim/results/page.hpp"
#include "sim/results/text_views.hpp"
#include "sim/run/list.hpp"
#include "sim/stats/writers.hpp"
#include "sim/text/counted.hpp"

namespace tcsim::cli {
namespace {

using report::RowStatus;
using report::TableRow;

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
  return value.is_number() ? report::readable_number(value.get<double>(), 1) : std::string("-");
}

/// One line per finished row on standard error.
void announce(const TableRow& row, std::size_t finished, std::size_t total) {
  const std::string what =
      row.status == RowStatus::kDone
          ? fmt::format("{} us, {} {}{}", number_or_dash(row.result["time_us"]),
                        number_or_dash(row.result["tflops"]),
                        report::rate_unit(row.result.value("dtype", "")),
                        row.result.value("gpus", 1) > 1 ? " per GPU" : "")
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
  if (failed > kMostTold)
    fmt::print(std::cerr, "and {}\n", text::counted(failed - kMostTold, "further row"));
}

/// What the rows would have told alone, on standard error: each note once, at its first row.
void tell_notes(const std::vector<TableRow>& rows) {
  std::map<std::string, std::vector<const TableRow*>> rows_of;
  std::vector<std::string> notes;
  for (const TableRow& row : rows) {
    if (!row.result.contains("notes")) continue;
    for (const auto& note : row.result.at("notes")) {
      std::vector<const TableRow*>& same = rows_of[note.get<std::string>()];
      if (same.empty()) notes.push_back(note.get<std::string>());
      same.push_back(&row);
    }
  }
  for (const std::string& note : notes) {
    const std::vector<const TableRow*>& same = rows_of.at(note);
    fmt::print(std::cerr, "note: row {}, {} on {}{}: {}\n", same.front()->number,
               same.front()->title, same.front()->machine,
               same.size() == 1
                   ? ""
                   : fmt::format(" and {}", text::counted(same.size() - 1, "further row")),
               note);
  }
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
  // Kernels of a network stand with its layers, in the directory of its row.
  if (!report::are_of_network(rows))
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

int run_list(std::vector<TableRow> rows, const RunOptions& options,
             const std::vector<std::string>& command) {
  const auto start = std::chrono::steady_clock::now();
  const run::RunRequest& request = options.request;
  StopWatch::limit(0);  // the limit is that of each row
  // A mistake in a machine concerns every row, so it ends the command before any row runs.
  for (const std::string& machine : request.machines)
    (void)library::read_machine(machine, request.overrides, request.libraries);
  RunFiles run_files(options, command);
  const std::optional<report::RunDirectory>& files = run_files.directory();
  std::vector<int> statuses(rows.size(), kInterrupted);
  std::size_t finished = 0;
  const bool announces = shows_progress(options);
  const InterruptGuard guard(run_files.last_words());
  run_files.replace_earlier_run();  // rows write theirs from now on
  run::run_rows(rows, request, files ? std::optional(files->path()) : std::nullopt,
                {run::jobs_of(request), InterruptGuard::pending_signal},
                [&](std::size_t index, int status) {
                  statuses[index] = status;
                  ++finished;
                  if (announces) announce(rows[index], finished, rows.size());
                });

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
    fmt::print(std::cout, "simulated in {:.1f} s with {}\n", wall_s,
               text::counted(run::jobs_of(request), "job"));
    if (files && !trouble)
      fmt::print(std::cout,
                 "\n{}/  report.html  report.md  rows.csv  rows.json  stats.csv  {}manifest.json  "
                 "rows/\n",
                 files->path().string(), report::are_of_network(rows) ? "" : "kernels.csv  ");
  }
  if (!announces) tell_failures(rows);
  if (!options.quiet) tell_notes(rows);
  if (trouble) std::rethrow_exception(trouble);
  if (interrupted)
    fmt::print(std::cerr, "tcsim run: interrupted after {} of {}\n",
               std::ranges::count(rows, RowStatus::kDone, &TableRow::status),
               text::counted(rows.size(), "row"));
  return status;
}

}  // namespace tcsim::cli
