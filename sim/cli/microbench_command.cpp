#include "sim/cli/microbench_command.hpp"

#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/cli/interrupt.hpp"
#include "sim/cli/sensitivity_text.hpp"
#include "sim/cli/table.hpp"
#include "sim/config/error.hpp"
#include "sim/config/load.hpp"
#include "sim/errors/errors.hpp"
#include "sim/files/json_text.hpp"
#include "sim/files/nearest.hpp"
#include "sim/files/read_file.hpp"
#include "sim/microbench/measure.hpp"
#include "sim/microbench/published_table.hpp"

namespace tcsim::cli {
namespace {

using Json = nlohmann::ordered_json;
using microbench::MeasuredRow;
using microbench::PublishedRow;

struct MicrobenchOptions {
  std::vector<std::string> words;
  std::vector<std::string> overrides;
  std::string suite;
  std::string table;
  std::string sensitivity;
  std::string format = "text";
  std::optional<double> within_percent;
};

Table row_table(const std::vector<MeasuredRow>& rows, bool for_people) {
  Table table;
  table.columns = {"suite",     "name", "model",
                   "published", "unit", for_people ? "error" : "error_percent",
                   "source"};
  for (const MeasuredRow& row : rows) {
    std::string model = for_people ? row.reason : "";
    std::string error;
    if (row.model) {
      model = for_people ? figure_text(*row.model) : fmt::format("{:.6g}", *row.model);
      error = for_people ? fmt::format("{:+.1f} %", row.error_percent())
                         : fmt::format("{:.2f}", row.error_percent());
    }
    table.rows.push_back(
        {row.row.suite, row.row.name, model,
         for_people ? figure_text(row.row.published) : fmt::format("{:g}", row.row.published),
         row.row.unit, error, row.row.source});
  }
  return table;
}

struct Summary {
  int rows = 0;
  int measured = 0;
  int within_5 = 0;
  int within_15 = 0;
  double largest_percent = 0;
  int predictions = 0;  ///< rows that show no number of the machine file from outside
  int predictions_within_5 = 0;
};

Summary summarise(const std::vector<MeasuredRow>& rows) {
  Summary summary;
  for (const MeasuredRow& row : rows) {
    const bool is_prediction = !is_parameter(row.row);
    ++summary.rows;
    summary.predictions += is_prediction ? 1 : 0;
    if (!row.model) continue;
    const double error = std::abs(row.error_percent());
    ++summary.measured;
    summary.within_5 += error <= 5 ? 1 : 0;
    summary.within_15 += error <= 15 ? 1 : 0;
    summary.predictions_within_5 += is_prediction && error <= 5 ? 1 : 0;
    summary.largest_percent = std::max(summary.largest_percent, error);
  }
  return summary;
}

std::string as_json(const std::string& machine, const std::string& table,
                    const std::vector<MeasuredRow>& rows) {
  const Summary summary = summarise(rows);
  Json json{{"machine", machine}, {"table", table}, {"rows", Json::array()}};
  for (const MeasuredRow& row : rows) {
    Json item{{"suite", row.row.suite},
              {"name", row.row.name},
              {"kind", is_parameter(row.row) ? "parameter" : "prediction"},
              {"model", row.model ? Json(*row.model) : Json()},
              {"published", row.row.published},
              {"unit", row.row.unit},
              {"error_percent", row.model ? Json(row.error_percent()) : Json()},
              {"source", row.row.source},
              {"set", row.row.overrides}};
    if (!row.model) item["reason"] = row.reason;
    json["rows"].push_back(std::move(item));
  }
  json["summary"] = {{"rows", summary.rows},
                     {"measured", summary.measured},
                     {"within_5_percent", summary.within_5},
                     {"within_15_percent", summary.within_15},
                     {"largest_error_percent", summary.largest_percent},
                     {"predictions", summary.predictions},
                     {"predictions_within_5_percent", summary.predictions_within_5}};
  return files::json_text(json, 2) + "\n";
}

std::string as_text(const std::string& machine, const std::string& table,
                    const std::vector<MeasuredRow>& rows, Format format) {
  const Summary summary = summarise(rows);
  return fmt::format(
      "{}: published microbenchmarks of {}, run on the model.\n\n{}\n{} of {} rows have a value; "
      "{} within 5 %, {} within 15 %, largest error {:.1f} %. {} are predictions, {} of them "
      "within "
      "5 %; the others show a number of the machine file from outside.\n",
      machine, table, render(row_table(rows, true), format), summary.measured, summary.rows,
      summary.within_5, summary.within_15, summary.largest_percent, summary.predictions,
      summary.predictions_within_5);
}

void keep_suite(std::vector<PublishedRow>& rows, const std::string& suite) {
  const auto& known = microbench::suites();
  if (std::ranges::find(known, suite) == known.end())
    throw config::ConfigError(
        {fmt::format("--suite: '{}' is not one of {}{}", suite, fmt::join(known, ", "),
                     files::did_you_mean(suite, known))});
  std::erase_if(rows, [&](const PublishedRow& row) { return row.suite != suite; });
}

std::vector<MeasuredRow> measure_all(const std::vector<PublishedRow>& rows,
                                     const MicrobenchOptions& options) {
  const InterruptGuard guard;
  return measure_rows(rows, options.words[0], options.overrides);
}

int status_of(const std::vector<MeasuredRow>& rows, std::optional<double> within_percent) {
  if (InterruptGuard::pending_signal() != 0) return kInterrupted;
  if (!within_percent) return kDone;
  const bool good = std::ranges::all_of(rows, [&](const MeasuredRow& row) {
    return row.model && std::abs(row.error_percent()) <= *within_percent;
  });
  return good ? kDone : kCheckFailed;
}

int run_microbench(const MicrobenchOptions& options) {
  if (options.words.size() != 1)
    throw config::ConfigError(
        {fmt::format("microbench: {} given; write tcsim microbench MACHINE",
                     options.words.empty() ? "no machine" : "several machines")});
  if (options.within_percent && !(*options.within_percent >= 0))
    throw config::ConfigError(
        {fmt::format("--within: {} is not a percentage from 0 on", *options.within_percent)});
  const Format format = parse_format(options.format);
  const std::string machine = config::load_machine(options.words[0], options.overrides).name;
  const std::string file =
      options.table.empty() ? microbench::published_table_file(options.words[0]) : options.table;
  std::vector<PublishedRow> rows =
      microbench::read_published_table(files::read_file(file, files::FileKind::kTable), file);
  if (!options.suite.empty()) keep_suite(rows, options.suite);
  if (rows.empty())
    throw config::ConfigError({fmt::format(
        "{}: no row{}", file, options.suite.empty() ? "" : " of the suite " + options.suite)});
  if (!options.sensitivity.empty()) {
    const InterruptGuard guard;
    const SensitivityRequest request{rows, options.words[0], options.overrides, format};
    const bool of_all = options.sensitivity == "assumptions";
    fmt::print(std::cout, "{}",
               of_all ? assumptions_text(request) : sensitivity_text(request, options.sensitivity));
    return InterruptGuard::pending_signal() == 0 ? kDone : kInterrupted;
  }
  const std::vector<MeasuredRow> measured = measure_all(rows, options);
  switch (format) {
    case Format::kJson:
      fmt::print(std::cout, "{}", as_json(machine, file, measured));
      break;
    case Format::kCsv:
      fmt::print(std::cout, "{}", render(row_table(measured, false), format));
      break;
    case Format::kText:
    case Format::kMarkdown:
      fmt::print(std::cout, "{}", as_text(machine, file, measured, format));
      break;
  }
  return status_of(measured, options.within_percent);
}

}  // namespace

void add_microbench_command(CLI::App& app, int& status) {
  const auto options = std::make_shared<MicrobenchOptions>();
  CLI::App* command =
      app.add_subcommand("microbench", "Published microbenchmarks of a machine, run on its model");
  command->add_option("machine", options->words, "Name or file");
  command->add_option("--suite", options->suite,
                      "mma, alu, shared, l1, l2, dram, sync or launch only");
  command->add_option("--table", options->table, "Published figures from this file");
  command->add_option("--sensitivity", options->sensitivity,
                      "How each row moves when this key is halved and doubled; assumptions: a line "
                      "for every key that is one");
  command->add_option("--within", options->within_percent,
                      "Status 1 if a row is off by more than so many percent");
  command->add_option("--set", options->overrides, "key.path=value on top of the file; repeatable")
      ->allow_extra_args(false);
  command->add_option("-f,--format", options->format, "text, json, csv or md");
  command->callback([options, &status] { status = run_microbench(*options); });
}

}  // namespace tcsim::cli
