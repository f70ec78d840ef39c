#include "sim/cli/microbench_command.hpp"

#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/cli/command_tree.hpp"
#include "sim/cli/interrupt.hpp"
#include "sim/cli/microbench_views.hpp"
#include "sim/config/error.hpp"
#include "sim/config/load.hpp"
#include "sim/errors/errors.hpp"
#include "sim/files/nearest.hpp"
#include "sim/files/read_file.hpp"
#include "sim/microbench/measure.hpp"
#include "sim/microbench/published_table.hpp"

namespace tcsim::cli {
namespace {

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
  if (options.within_percent && !options.sensitivity.empty())
    throw config::ConfigError({"--within has no effect with --sensitivity"});
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
    const VariationRequest request{rows, options.words[0], options.overrides, format};
    const bool of_all = options.sensitivity == "assumptions";
    fmt::print(std::cout, "{}",
               of_all ? assumptions_text(request) : key_text(request, options.sensitivity));
    return InterruptGuard::pending_signal() == 0 ? kDone : kInterrupted;
  }
  const std::vector<MeasuredRow> measured = measure_all(rows, options);
  fmt::print(std::cout, "{}", measured_view(machine, file, measured, format));
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
                      "How each row changes when this key is halved and doubled; assumptions: one "
                      "line for each key that is an assumption");
  command->add_option("--within", options->within_percent,
                      "Status 1 if a row is off by more than this many percent");
  add_repeatable(*command, "--set", options->overrides,
                 "key.path=value on top of the file; repeatable");
  command->add_option("-f,--format", options->format, "text, json, csv or md (default: text)");
  command->callback([options, &status] { status = run_microbench(*options); });
}

}  // namespace tcsim::cli
