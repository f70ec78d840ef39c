#include <fmt/format.h>

#include <cmath>

#include "sim/results/sections.hpp"
#include "sim/text/counted.hpp"

namespace tcsim::results {
namespace {

std::vector<Cell> rate_row(const View& rate) {
  const std::string sparse = rate.at("sparse").get<bool>() ? " 2:4 sparse" : "";
  return {{rate.at("unit").get<std::string>()},
          {rate.at("dtype").get<std::string>() + sparse},
          {rate.at("acc").get<std::string>()},
          number_cell(rate.at("tera_ops_per_s").get<double>(), "{:.1f}"),
          {rate.at("formula").get<std::string>()}};
}

Table bandwidths_table(const View& card, const StoredRun& run) {
  Table table{
      "Peak bandwidths, and the operations per byte at which the rate of this run's unit "
      "and the bandwidth take equal time",
      {"level", "GB/s", "ridge point", "arithmetic"},
      {}};
  const auto peak = run.number("peak_tflops");
  for (const View& bandwidth : card.at("bandwidths").elements()) {
    const auto gb_per_s = bandwidth.at("gb_per_s").get<double>();
    constexpr double kGigaPerTera = 1000;
    table.rows.push_back(
        {{bandwidth.at("level").get<std::string>()},
         number_cell(gb_per_s, "{:.0f}"),
         number_cell(peak ? std::optional(*peak * kGigaPerTera / gb_per_s) : std::nullopt,
                     "{:.1f}"),
         {bandwidth.at("formula").get<std::string>()}});
  }
  return table;
}

}  // namespace

std::string published_clock_text(const View& card) {
  const auto published_mhz = card.find("published_tensor_mhz");
  if (!published_mhz || published_mhz->get<int>() == 0) return "";
  return fmt::format(
      " Rates are for {} MHz; published peaks of the tensor cores, except FP64, are for {} MHz "
      "(tcsim peak).",
      card.at("clock_mhz").get<int>(), published_mhz->get<int>());
}

Table rates_table(const View& card, const std::string& dtype) {
  Table table{dtype.empty()
                  ? "All peak rates"
                  : "Peak rates of " + dtype + "; a multiply-add counts as two operations",
              {"unit", "format", "sum", "10^12/s", "arithmetic"},
              {},
              /*folded=*/dtype.empty()};
  for (const View& rate : card.at("rates").elements())
    if (dtype.empty() || rate.at("dtype").is(dtype)) table.rows.push_back(rate_row(rate));
  return table;
}

double bandwidth_of(const View& card, std::string_view level) {
  for (const View& bandwidth : card.at("bandwidths").elements())
    if (bandwidth.at("level").is(level)) return bandwidth.at("gb_per_s").get<double>();
  return 0;
}

Section machine_section(const StoredRun& run) {
  Section section{"machine", "Machine", {}};
  if (!run.stats.contains("machine_card")) {
    section.parts.emplace_back(Paragraph{"The run does not describe its machine."});
    return section;
  }
  const View card = run.stats.at("machine_card");
  section.parts.emplace_back(Paragraph{
      fmt::format("{}: {}, {} ({}), {} at {} MHz.{}", card.at("name").get<std::string>(),
                  card.at("description").get<std::string>(), card.at("chip").get<std::string>(),
                  card.at("architecture").get<std::string>(),
                  text::counted(std::llround(run.number("sms").value_or(0)), "SM"),
                  card.at("clock_mhz").get<int>(), published_clock_text(card))});
  const auto dtype = run.stats.at("dtype").get<std::string>();
  if (!dtype.empty()) section.parts.emplace_back(rates_table(card, dtype));
  section.parts.emplace_back(bandwidths_table(card, run));
  section.parts.emplace_back(rates_table(card, ""));
  return section;
}

}  // namespace tcsim::results
