#include "sim/cli/validate_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <random>

#include "sim/cli/exit_status.hpp"
#include "sim/cli/validate_options.hpp"
#include "sim/cli/validate_runs.hpp"
#include "sim/files/data_folder.hpp"
#include "sim/report/layout.hpp"
#include "sim/report/manifest.hpp"
#include "sim/report/revision.hpp"
#include "sim/stats/writers.hpp"
#include "sim/validate/accuracy.hpp"
#include "sim/validate/scatter.hpp"

namespace tcsim::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using validate::Comparison;
using validate::GroupScore;
using validate::Measurement;
using validate::MeasurementList;

constexpr std::size_t kWorstRows = 10;

/// The tables of the project, sorted.
std::vector<std::string> default_files() {
  const fs::path folder = files::data_folder("tests/validation");
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().filename().string().starts_with("times_")) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

bool is_wanted(const Measurement& row, const ValidateOptions& options) {
  const auto matches = [](const std::string& wanted, const std::string& value) {
    return wanted.empty() || wanted == value;
  };
  return matches(options.gpu, row.gpu) && matches(options.op, row.op) &&
         matches(options.dtype, row.dtype) && matches(options.source, row.source);
}

/// `count` rows drawn without repetition, in the order of the list. The same seed draws the same.
void draw_sample(std::vector<Measurement>& rows, std::size_t count, std::uint64_t seed) {
  if (count == 0 || count >= rows.size()) return;
  std::mt19937_64 random(seed);
  for (std::size_t left = rows.size(); left > count; --left)
    rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(random() % left));
}

MeasurementList measurements(const ValidateOptions& options) {
  MeasurementList all;
  for (const std::string& file : options.files.empty() ? default_files() : options.files) {
    MeasurementList list = validate::read_measurements(file, options.machine);
    std::ranges::move(list.rows, std::back_inserter(all.rows));
    std::ranges::move(list.skipped, std::back_inserter(all.skipped));
  }
  std::erase_if(all.rows, [&](const Measurement& row) { return !is_wanted(row, options); });
  if (all.rows.empty())
    throw UsageError("tcsim validate: no row is left to simulate; see --gpu, --op, --dtype");
  draw_sample(all.rows, options.sample, options.seed);
  return all;
}

std::string percent(double value) { return fmt::format("{:.1f}", value); }

std::vector<std::string> score_cells(const GroupScore& score) {
  return {score.gpu,
          score.op,
          score.dtype,
          score.size_class,
          std::to_string(score.rows),
          percent(score.mape),
          percent(score.median_ape),
          fmt::format("{:+.1f}", score.bias),
          percent(score.p90_ape),
          fmt::format("{:.4f}", score.pearson_log)};
}

const std::vector<std::string> kScoreTitles{"gpu",      "op",     "dtype", "size class", "rows",
                                            "mean |%|", "median", "bias",  "90th",       "log r"};

std::vector<std::vector<std::string>> score_rows(const std::vector<Comparison>& rows) {
  std::vector<std::vector<std::string>> cells;
  for (const GroupScore& score : validate::score_groups(rows)) cells.push_back(score_cells(score));
  cells.push_back(score_cells(validate::score_total(rows)));
  return cells;
}

std::vector<std::vector<std::string>> worst_rows(std::vector<Comparison> rows) {
  const std::size_t count = std::min(kWorstRows, rows.size());
  std::partial_sort(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(count), rows.end(),
                    [](const Comparison& a, const Comparison& b) {
                      return std::abs(a.error_percent()) > std::abs(b.error_percent());
                    });
  std::vector<std::vector<std::string>> cells;
  for (std::size_t i = 0; i < count; ++i) {
    const Comparison& row = rows[i];
    cells.push_back({row.measurement.gpu, row.measurement.source, row.measurement.workload,
                     fmt::format("{:.2f}", row.measurement.time_us),
                     fmt::format("{:.2f}", row.simulated_us),
                     fmt::format("{:+.1f}", row.error_percent()), row.tile});
  }
  return cells;
}

const std::vector<std::string> kWorstTitles{"gpu",          "source",  "workload", "measured us",
                                            "simulated us", "error %", "tile"};

/// "27 rows: flag=overhead: ..." for each reason.
std::string skipped_text(const MeasurementList& list) {
  std::map<std::string, int> counts;
  for (const validate::SkippedRow& row : list.skipped) ++counts[row.reason];
  std::string text;
  for (const auto& [reason, count] : counts)
    text += fmt::format("not scored: {} rows: {}\n", count, reason);
  return text;
}

std::string failed_text(const ValidationRuns& runs) {
  std::string text;
  for (const FailedRow& row : runs.failed)
    text += fmt::format("failed: {}:{}: {}: {}\n", row.measurement.file, row.measurement.line,
                        row.measurement.workload, row.reason);
  return text;
}

Json validation_json(const MeasurementList& list, const ValidationRuns& runs) {
  Json json;
  json["groups"] = Json::array();
  for (const GroupScore& score : validate::score_groups(runs.rows))
    json["groups"].push_back(validate::score_json(score));
  json["total"] = validate::score_json(validate::score_total(runs.rows));
  std::map<std::string, int> counts;
  for (const validate::SkippedRow& row : list.skipped) ++counts[row.reason];
  json["skipped"] = counts;
  json["failed"] = Json::array();
  for (const FailedRow& row : runs.failed)
    json["failed"].push_back({{"workload", row.measurement.workload}, {"reason", row.reason}});
  return json;
}

std::string rows_csv(const std::vector<Comparison>& rows) {
  std::string text =
      "file,line,gpu,machine,op,dtype,workload,source_id,measured_us,simulated_us,error_percent,"
      "tile,bound_by\n";
  for (const Comparison& row : rows) {
    const Measurement& m = row.measurement;
    text += fmt::format("{},{},{},{},{},{},{},{},{:.6g},{:.6g},{:.3f},{},{}\n",
                        stats::csv_field(fs::path(m.file).filename().string()), m.line,
                        stats::csv_field(m.gpu), stats::csv_field(m.model.machine), m.op, m.dtype,
                        stats::csv_field(m.workload), stats::csv_field(m.source), m.time_us,
                        row.simulated_us, row.error_percent(), stats::csv_field(row.tile),
                        stats::csv_field(row.bound_by));
  }
  return text;
}

std::string text_in(Format format, const MeasurementList& list, const ValidationRuns& runs) {
  switch (format) {
    case Format::kText:
      return report::aligned_table(kScoreTitles, score_rows(runs.rows)) + "\nworst rows\n" +
             report::aligned_table(kWorstTitles, worst_rows(runs.rows)) + "\n" +
             skipped_text(list) + failed_text(runs);
    case Format::kJson:
      return validation_json(list, runs).dump(2) + "\n";
    case Format::kCsv:
      return rows_csv(runs.rows);
    case Format::kMarkdown:
      return report::markdown_table(kScoreTitles, score_rows(runs.rows)) + "\n" +
             report::markdown_table(kWorstTitles, worst_rows(runs.rows));
  }
  return "";
}

int run_validation(const ValidateOptions& options, const std::vector<std::string>& argv) {
  const MeasurementList list = measurements(options);
  report::Manifest manifest{argv, report::now_utc()};
  std::optional<report::RunDirectory> files;
  const auto write_manifest = [&] {
    const std::string words = fmt::format("{} measured rows", list.rows.size());
    files->write("manifest.json", report::manifest_json(manifest, {}, words).dump(2) + "\n");
  };
  if (!options.no_files) {
    files = options.out ? report::RunDirectory::resume(*options.out)
                        : report::RunDirectory::create(std::nullopt, /*force=*/false);
    write_manifest();
  }
  const ValidationRuns runs = simulate_measurements(list.rows, options, files);
  if (runs.rows.empty()) {
    fmt::print(stderr, "{}", failed_text(runs));
    return runs.interrupted ? kInterrupted : kCheckFailed;
  }
  if (files) {
    files->write("rows.csv", rows_csv(runs.rows));
    files->write("validation.json", validation_json(list, runs).dump(2) + "\n");
    files->write("accuracy.csv",
                 validate::accuracy_csv(validate::accuracies(runs.rows), report::revision()));
    files->write("scatter.svg", validate::scatter_svg(runs.rows));
    manifest.complete = !runs.interrupted && runs.failed.empty();
    manifest.stopped_by = runs.interrupted ? "interrupted" : "finished";
    write_manifest();
  }
  fmt::print("{}", text_in(options.format, list, runs));
  if (files && options.format == Format::kText)
    fmt::print(
        "\n{}/  manifest.json  rows.csv  validation.json  accuracy.csv  scatter.svg  rows/\n",
        files->path().string());
  if (runs.interrupted) {
    fmt::print(stderr,
               "tcsim validate: interrupted after {} of {} rows; the same command goes on "
               "with -o {}\n",
               runs.rows.size(), list.rows.size(), files ? files->path().string() : "DIR");
    return kInterrupted;
  }
  return runs.failed.empty() ? kDone : kCheckFailed;
}

}  // namespace

void add_validate_command(CLI::App& app, const std::vector<std::string>& argv, int& status) {
  CLI::App* command =
      app.add_subcommand("validate", "Simulate measured kernels and print the model's errors");
  const auto texts = std::make_shared<ValidateOptionTexts>(*command);
  command->callback([texts, argv, &status] { status = run_validation(texts->checked(), argv); });
}

}  // namespace tcsim::cli
