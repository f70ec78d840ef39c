#include "sim/cli/validate_command.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <memory>
#include <random>
#include <set>

#include "sim/cli/interrupt.hpp"
#include "sim/cli/standard_streams.hpp"
#include "sim/cli/validate_options.hpp"
#include "sim/cli/validate_report.hpp"
#include "sim/errors/errors.hpp"
#include "sim/files/data_folder.hpp"
#include "sim/files/json_text.hpp"
#include "sim/files/nearest.hpp"
#include "sim/files/shown_text.hpp"
#include "sim/report/manifest.hpp"
#include "sim/report/revision.hpp"
#include "sim/report/run_directory.hpp"
#include "sim/run/validation.hpp"
#include "sim/text/counted.hpp"
#include "sim/validate/accuracy.hpp"
#include "sim/validate/scatter.hpp"

namespace tcsim::cli {
namespace {

namespace fs = std::filesystem;
using validate::Measurement;
using validate::MeasurementList;

/// The tables of the project, sorted.
std::vector<std::string> default_files() {
  const fs::path folder = files::data_folder("tests/validation");
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().filename().string().starts_with("times_")) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

/// An option that leaves only rows with one word.
struct Filter {
  const char* option;
  std::string ValidateOptions::*wanted;
  std::string Measurement::*word;
};

constexpr std::array kFilters{Filter{"--gpu", &ValidateOptions::gpu, &Measurement::gpu},
                              Filter{"--op", &ValidateOptions::op, &Measurement::op},
                              Filter{"--dtype", &ValidateOptions::dtype, &Measurement::dtype},
                              Filter{"--source", &ValidateOptions::source, &Measurement::source}};

/// Why the options leave no row of `all`, with the first word that no row has.
std::string why_no_row(const std::vector<Measurement>& all, const ValidateOptions& options) {
  for (const auto& [option, wanted, word] : kFilters) {
    std::set<std::string_view> words;
    for (const Measurement& row : all) words.insert(row.*word);
    const std::string& given = options.*wanted;
    if (given.empty() || words.empty() || words.contains(given)) continue;
    return fmt::format("tcsim validate: {}: no row has {}; there are {}{}", option,
                       files::shown(given), fmt::join(words, ", "),
                       files::did_you_mean(given, {words.begin(), words.end()}));
  }
  return "tcsim validate: no row is left to simulate; see --gpu, --op, --dtype, --source";
}

bool is_wanted(const Measurement& row, const ValidateOptions& options) {
  return std::ranges::all_of(kFilters, [&](const Filter& filter) {
    const std::string& wanted = options.*filter.wanted;
    return wanted.empty() || wanted == row.*filter.word;
  });
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
  const validate::GpuNames names =
      options.machine.empty() ? validate::GpuNames() : validate::GpuNames(options.machine);
  for (const std::string& file : options.files.empty() ? default_files() : options.files) {
    MeasurementList list = validate::read_measurements(file, names);
    std::ranges::move(list.rows, std::back_inserter(all.rows));
    std::ranges::move(list.skipped, std::back_inserter(all.skipped));
  }
  if (std::ranges::none_of(all.rows,
                           [&](const Measurement& row) { return is_wanted(row, options); })) {
    std::string message = why_no_row(all.rows, options) + "\n" + skipped_text(all);
    message.pop_back();  // whoever prints it ends the line
    throw UsageError(message);
  }
  std::erase_if(all.rows, [&](const Measurement& row) { return !is_wanted(row, options); });
  draw_sample(all.rows, options.sample, options.seed);
  return all;
}

run::ValidationRuns simulated(const std::vector<Measurement>& rows, const ValidateOptions& options,
                              const std::optional<report::RunDirectory>& files) {
  run::ValidationRequest request{options.overrides, options.tiles, options.fidelity};
  if (files) request.folder = files->path() / "rows";
  const bool announces = !options.quiet && ::isatty(STDERR_FILENO) == 1;
  bool has_announced = false;
  const InterruptGuard guard;
  run::ValidationRuns runs =
      run::simulate_measurements(rows, request, {options.jobs, InterruptGuard::pending_signal},
                                 [&](std::size_t finished, std::size_t count) {
                                   if (!announces) return;
                                   steer(std::cerr, "\r");
                                   fmt::print(std::cerr, "{} of {} runs", finished, count);
                                   has_announced = true;
                                 });
  if (has_announced) fmt::print(std::cerr, "\n");
  return runs;
}

/// Requires rows with a time.
void write_results(const report::RunDirectory& files, const MeasurementList& list,
                   const run::ValidationRuns& runs) {
  files.write("rows.csv", rows_csv(runs.rows));
  files.write("validation.json", files::json_text(validation_json(list, runs), 2) + "\n");
  files.write("accuracy.csv",
              validate::accuracy_csv(validate::accuracies(runs.rows), report::revision()));
  files.write("scatter.svg", validate::scatter_svg(runs.rows));
}

int run_validation(const ValidateOptions& options, const std::vector<std::string>& argv) {
  const MeasurementList list = measurements(options);
  report::Manifest manifest{argv, report::now_utc()};
  const auto start = std::chrono::steady_clock::now();
  std::optional<report::RunDirectory> files;
  const auto write_manifest = [&] {
    const std::string words = fmt::format("{} measured rows", list.rows.size());
    files->write_manifest(report::manifest_json(manifest, {}, words));
  };
  if (!options.no_files) {
    files = options.out ? report::RunDirectory::resume(*options.out, "validate")
                        : report::RunDirectory::create(std::nullopt, /*force=*/false);
    write_manifest();
  }
  const run::ValidationRuns runs = simulated(list.rows, options, files);
  const bool has_rows = !runs.rows.empty();
  if (files) {
    if (has_rows) write_results(*files, list, runs);
    manifest.wall_s =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    manifest.complete = !runs.interrupted && runs.failed.empty();
    manifest.stopped_by = runs.interrupted ? "interrupted" : "finished";
    write_manifest();
  }
  if (has_rows || options.format == Format::kJson)
    fmt::print(std::cout, "{}", validation_text(options.format, list, runs));
  if (!has_rows || options.format == Format::kCsv || options.format == Format::kMarkdown)
    fmt::print(std::cerr, "{}{}", skipped_text(list), failed_text(runs));
  if (files && has_rows && options.format == Format::kText)
    fmt::print(
        std::cout,
        "\n{}/  manifest.json  rows.csv  validation.json  accuracy.csv  scatter.svg  rows/\n",
        files->path().string());
  if (runs.interrupted) {
    fmt::print(std::cerr, "tcsim validate: interrupted after {} of {}; {}\n", runs.rows.size(),
               text::counted(list.rows.size(), "row"),
               files ? "the same command continues with -o " + files->path().string()
                     : "--no-files kept none");
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
