#include "sim/cli/peak_command.hpp"

#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "sim/cli/command_tree.hpp"
#include "sim/cli/table.hpp"
#include "sim/config/error.hpp"
#include "sim/config/load.hpp"
#include "sim/config/peak.hpp"
#include "sim/files/nearest.hpp"
#include "sim/report/peak_json.hpp"

namespace tcsim::cli {
namespace {

using config::Peak;
using config::PeakBandwidth;
using config::PeakRate;

struct PeakOptions {
  std::vector<std::string> words;
  std::vector<std::string> overrides;
  std::string dtype;
  std::string format = "text";
};

std::string dense_or_sparse(bool sparse) { return sparse ? "2:4" : "dense"; }

/// For CSV, numbers in full and empty cells where a rate is not supported; otherwise for people.
Table rate_table(const Peak& peak, bool for_people) {
  Table table{{"unit", "dtype", "acc", "kind", for_people ? "peak" : "tera_ops_per_s",
               for_people ? "per DRAM byte" : "ops_per_dram_byte", "formula"},
              {}};
  for (const PeakRate& rate : peak.rates) {
    std::string value;
    std::string intensity;
    if (rate.tera_ops_per_s) {
      value = for_people ? rate.formula.substr(rate.formula.rfind('=') + 2)
                         : fmt::format("{}", *rate.tera_ops_per_s);
      intensity = for_people ? fmt::format("{:.1f}", rate.ops_per_dram_byte)
                             : fmt::format("{}", rate.ops_per_dram_byte);
    } else if (for_people) {
      value = "not supported";
    }
    table.rows.push_back({rate.unit, rate.dtype, rate.accumulate, dense_or_sparse(rate.sparse),
                          value, intensity, rate.formula});
  }
  return table;
}

std::string peak_text(const Peak& peak, Format format) {
  Table bandwidths{{"level", "peak", "formula"}, {}};
  for (const PeakBandwidth& bandwidth : peak.bandwidths)
    bandwidths.rows.push_back(
        {bandwidth.level, fmt::format("{:.0f} GB/s", bandwidth.gb_per_s), bandwidth.formula});
  return fmt::format(
      "{} at {} MHz. A multiply-add counts as two operations; \"per DRAM byte\" is the ridge "
      "point of the roofline.\n\n{}\n{}",
      peak.machine, peak.clock_mhz, render(rate_table(peak, true), format),
      render(bandwidths, format));
}

/// Keeps the rates of one format. Throws if there is no such format.
void keep_dtype(Peak& peak, const std::string& dtype) {
  std::vector<std::string_view> known;
  for (const PeakRate& rate : peak.rates)
    if (std::find(known.begin(), known.end(), rate.dtype) == known.end())
      known.push_back(rate.dtype);
  if (std::find(known.begin(), known.end(), dtype) == known.end())
    throw config::ConfigError(
        {fmt::format("--dtype: '{}' is not one of {}{}", dtype, fmt::join(known, ", "),
                     files::did_you_mean(dtype, known))});
  std::erase_if(peak.rates, [&](const PeakRate& rate) { return rate.dtype != dtype; });
}

std::string peak_view(const PeakOptions& options) {
  if (options.words.size() != 1)
    throw config::ConfigError(
        {fmt::format("peak: {} given; write tcsim peak MACHINE",
                     options.words.empty() ? "no machine" : "several machines")});
  const Format format = parse_format(options.format);
  Peak peak = config::peak(config::load_machine(options.words[0], options.overrides));
  if (!options.dtype.empty()) keep_dtype(peak, options.dtype);
  switch (format) {
    case Format::kJson:
      return report::peak_json(peak);
    case Format::kCsv:
      return render(rate_table(peak, false), format);
    case Format::kText:
    case Format::kMarkdown:
      break;
  }
  return peak_text(peak, format);
}

}  // namespace

void add_peak_command(CLI::App& app, int& status) {
  const auto options = std::make_shared<PeakOptions>();
  CLI::App* command =
      app.add_subcommand("peak", "Peak rates, bandwidths and ridge points of a machine");
  command->add_option("machine", options->words, "Name or file");
  command->add_option("--dtype", options->dtype, "Only this number format");
  add_repeatable(*command, "--set", options->overrides,
                 "key.path=value on top of the file; repeatable");
  command->add_option("-f,--format", options->format, "text, json, csv or md (default: text)");
  command->callback([options, &status] {
    fmt::print(std::cout, "{}", peak_view(*options));
    status = 0;
  });
}

}  // namespace tcsim::cli
