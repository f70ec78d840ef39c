#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "sim/report/energy_section.hpp"
#include "sim/results/sections.hpp"

namespace tcsim::results {
namespace {

constexpr double kMilli = 1e3;
constexpr const char* kEnergyFormat = "{:.4g}";  // the parts of small runs add up too

/// A part of the energy, and the sums of the activity with which it grows: each event of a unit
/// takes as much, so it is spread over time as they are.
struct Part {
  const char* label;
  const char* metric;
  std::vector<const char*> grows_with;
};

std::vector<Part> parts() {
  return {{"tensor cores", "tensor_energy_j", {"tensor_issue_slots"}},
          {"CUDA cores", "vector_energy_j", {"cycles_issued"}},
          {"shared memory/L1", "l1_energy_j", {"sm_memory_cycles"}},
          {"L2", "l2_energy_j", {"l2_read_bytes", "l2_write_bytes"}},
          {"DRAM", "dram_energy_j", {"dram_read_bytes", "dram_write_bytes"}},
          {"constant", "constant_energy_j", {"cycle"}}};
}

/// Joules of `part` up to each of the cycles `at` (places in the activity), all of it at the last.
/// A part whose events the activity does not see grows with time.
std::vector<double> joules_until(const StoredRun& run, const Part& part,
                                 const std::vector<std::size_t>& at) {
  const View activity = run.stats.at("activity");
  const double joules = run.number(part.metric).value_or(0);
  const auto sums_of = [&](const std::vector<const char*>& names) {
    std::vector<double> sums(at.size(), 0.0);
    for (const char* name : names) {
      const std::vector<View> values = activity.at(name).elements();
      for (std::size_t i = 0; i < at.size(); ++i) sums[i] += values[at[i]].get<double>();
    }
    return sums;
  };
  std::vector<double> sums = sums_of(part.grows_with);
  if (sums.back() <= 0) sums = sums_of({"cycle"});
  const double all = sums.back();
  for (double& sum : sums) sum *= joules / all;
  return sums;
}

/// Energy and power of each part in at most 32 intervals of the run.
void add_over_time(const StoredRun& run, double limit_w, Section& section) {
  constexpr std::size_t kIntervals = 32;
  const std::vector<View> cycles = run.stats.at("activity").at("cycle").elements();
  if (cycles.empty() || cycles.back().get<double>() <= 0) return;
  std::vector<std::size_t> at;
  const std::size_t rows = std::min(kIntervals, cycles.size());
  for (std::size_t i = 1; i <= rows; ++i) at.push_back(i * cycles.size() / rows - 1);
  const double clock_mhz = run.number("clock_mhz").value_or(1);
  Table table{"Energy over time",
              {"from cycle", "to cycle"},
              std::vector<std::vector<Cell>>(rows),
              /*folded=*/true};
  plot::Strips strips{"Power over time", "microseconds", {}, {}};
  std::vector<double> seconds;
  std::vector<double> joules(rows, 0.0);
  double before = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    const auto end = cycles[at[i]].get<double>();
    strips.edges.push_back(end / clock_mhz);
    seconds.push_back((end - before) / (clock_mhz * 1e6));
    table.rows[i] = {count_cell(static_cast<std::int64_t>(before)),
                     count_cell(static_cast<std::int64_t>(end))};
    before = end;
  }
  const auto add_strip = [&](const char* label, const std::vector<double>& of_interval) {
    plot::Strips::Row row{label, {}, report::readable_power(limit_w)};
    for (std::size_t i = 0; i < rows; ++i)
      row.values.push_back(seconds[i] > 0 ? of_interval[i] / seconds[i] / limit_w : 0);
    strips.rows.push_back(std::move(row));
  };
  for (const Part& part : parts()) {
    std::vector<double> own = joules_until(run, part, at);
    for (std::size_t i = rows; i-- > 1;) own[i] -= own[i - 1];
    table.columns.push_back(fmt::format("{} mJ", part.label));
    for (std::size_t i = 0; i < rows; ++i) {
      table.rows[i].push_back(number_cell(own[i], kEnergyFormat, kMilli));
      joules[i] += own[i];
    }
    if (run.number(part.metric).value_or(0) > 0) add_strip(part.label, own);
  }
  add_strip("all", joules);
  table.columns.insert(table.columns.end(), {"all mJ", "W"});
  for (std::size_t i = 0; i < rows; ++i) {
    table.rows[i].push_back(number_cell(joules[i], kEnergyFormat, kMilli));
    table.rows[i].push_back(number_cell(
        seconds[i] > 0 ? std::optional(joules[i] / seconds[i]) : std::nullopt, "{:.1f}"));
  }
  section.parts.emplace_back(Figure{
      "Power of each unit, of the board's limit. The energy of a unit is spread over time as "
      "its work is accepted.",
      plot::strips_svg(strips, plot::Theme::kPage), plot::strips_ascii(strips)});
  section.parts.emplace_back(std::move(table));
}

}  // namespace

Section energy_section(const StoredRun& run) {
  Section section{"energy", "Energy", {}};
  const auto energy_j = run.number("energy_j");
  const View energy = run.stats.at("energy");
  if (!energy_j || *energy_j <= 0 || energy.is_null()) {
    section.parts.emplace_back(
        Paragraph{"Not applicable: the number format of the operands is not known, or the run was "
                  "stopped before its work on CUDA cores was done."});
    return section;
  }
  section.parts.emplace_back(Paragraph{fmt::format(
      "{} of the board's {} on average, with {} data at the {} clock.",
      report::readable_power(run.number("power_w").value_or(0)),
      report::readable_power(energy.at("limit_w").get<double>()),
      energy.at("data").get<std::string>(), energy.at("clock_policy").get<std::string>())});
  Table table{"", {"part", "mJ", "%", "pJ per operation"}, {}};
  std::vector<Part> rows = parts();
  rows.push_back({"all", "energy_j", {}});
  for (const Part& part : rows) {
    table.rows.push_back(
        {{part.label},
         metric_cell(run, part.metric, kEnergyFormat, kMilli),
         number_cell(run.number(part.metric).value_or(0) / *energy_j, "{:.1f}", 100),
         {"-"}});
  }
  table.rows.back().back() = metric_cell(run, "energy_pj_per_flop", "{:.2f}");
  section.parts.emplace_back(std::move(table));
  add_over_time(run, energy.at("limit_w").get<double>(), section);
  return section;
}

}  // namespace tcsim::results
