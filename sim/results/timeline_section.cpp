#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/results/sections.hpp"

#include "sim/files/json_text.hpp"

namespace tcsim::results {
namespace {

constexpr double kGiga = 1e3;  // bytes per microsecond in a GB/s

/// Differences of the cumulative sums `names` of the activity, added up.
std::vector<double> steps_of(const View& activity, const std::vector<const char*>& names) {
  std::vector<double> steps(activity.at("cycle").elements().size(), 0.0);
  for (const char* name : names) {
    const std::vector<View> sums = activity.at(name).elements();
    double before = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const auto sum = sums[i].get<double>();
      steps[i] += sum - before;
      before = sum;
    }
  }
  return steps;
}

/// `steps` over what `per_cycle` would have made of each interval.
std::vector<double> fractions(const View& activity, const std::vector<const char*>& names,
                              double per_cycle) {
  std::vector<double> steps = steps_of(activity, names);
  const std::vector<View> cycles = activity.at("cycle").elements();
  double before = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto at = cycles[i].get<double>();
    steps[i] = per_cycle > 0 && at > before ? steps[i] / ((at - before) * per_cycle) : 0;
    before = at;
  }
  return steps;
}

void add_warps(const View& activity, plot::Strips& strips) {
  double most = 0;
  for (const View& warps : activity.at("resident_warps").elements())
    most = std::max(most, warps.get<double>());
  if (most == 0) return;
  plot::Strips::Row row{"resident warps", {}, fmt::format("{:.0f}", most)};
  for (const View& warps : activity.at("resident_warps").elements())
    row.values.push_back(warps.get<double>() / most);
  strips.rows.push_back(std::move(row));
}

/// What page/report.js draws: x in microseconds, each series in percent.
std::string chart_json(const plot::Strips& strips) {
  constexpr double kRounding = 1e3;
  const auto rounded = [](double value) { return std::round(value * kRounding) / kRounding; };
  Json json{{"x", Json::array()}, {"series", Json::array()}};
  for (const double edge : strips.edges) json["x"].push_back(rounded(edge));
  for (const plot::Strips::Row& row : strips.rows) {
    Json values = Json::array();
    for (const double value : row.values) values.push_back(rounded(100 * value));
    json["series"].push_back(
        {{"label", fmt::format("{} (% of {})", row.label, row.full)}, {"values", values}});
  }
  return files::json_text(json);
}

}  // namespace

plot::Strips activity_of(const StoredRun& run) {
  const View activity = run.stats.at("activity");
  plot::Strips strips{"Activity over time", "microseconds", {}, {}, setting_of(run.stats)};
  const double clock_mhz = run.number("clock_mhz").value_or(1);
  for (const View& cycle : activity.at("cycle").elements())
    strips.edges.push_back(cycle.get<double>() / clock_mhz);
  const auto sub_cores = run.scope("sub_core").at("instances").get<double>();
  const auto sms = run.number("sms").value_or(0);
  const double l2_peak = run.number("l2_peak_bytes_per_cycle").value_or(0);
  const double dram_peak = run.number("dram_peak_gb_per_s").value_or(0);
  const auto add = [&](const char* label, const std::vector<const char*>& names, double per_cycle,
                       std::string full) {
    strips.rows.push_back({label, fractions(activity, names, per_cycle), std::move(full)});
  };
  if (run.stats.at("unit").is("tensor"))
    add("tensor pipes", {"tensor_issue_slots"}, sub_cores, "all issue slots");
  else if (activity.find("fma_slots"))
    add("FMA pipes", {"fma_slots"}, sub_cores, "all issue slots");
  add("issue slots", {"cycles_issued"}, sub_cores, "all sub-cores");
  add("shared memory/L1", {"sm_memory_cycles"}, sms, "all SMs");
  const std::string l2_rate = fmt::format("{:.0f} GB/s", l2_peak * clock_mhz / kGiga);
  add("L2, read", {"l2_read_bytes"}, l2_peak, l2_rate);
  add("L2, written", {"l2_write_bytes"}, l2_peak, l2_rate);
  add("DRAM", {"dram_read_bytes", "dram_write_bytes"}, dram_peak * kGiga / clock_mhz,
      fmt::format("{:.0f} GB/s", dram_peak));
  add_warps(activity, strips);
  return strips;
}

Section timeline_section(const StoredRun& run) {
  Section section{"timeline", "Timeline", {}};
  const plot::Strips strips = activity_of(run);
  if (strips.edges.empty() || strips.edges.back() <= 0) {
    section.parts.emplace_back(Paragraph{"The run took no time."});
    return section;
  }
  section.parts.emplace_back(
      Figure{fmt::format("{} intervals over the whole chip. "
                         "Work counts when its unit accepts it, so a burst can exceed 100 %.",
                         strips.edges.size()),
             plot::strips_svg(strips, plot::Theme::kPage), plot::strips_ascii(strips)});
  section.parts.emplace_back(ZoomChart{chart_json(strips)});
  return section;
}

}  // namespace tcsim::results
