#include "sim/sweep/plot_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sim/files/shown_text.hpp"
#include "sim/sweep/metrics.hpp"

namespace tcsim::sweep {
namespace {

using config::Mistakes;

bool meets(const Point& point, const NamedText& condition) {
  const std::string* const value = find_value(point.parameters, condition.name);
  return value != nullptr && *value == condition.text;
}

std::string condition_text(const NamedText& condition) {
  return fmt::format("{}: {}", condition.name, files::shown(condition.text));
}

/// At the condition that no point meets, or at the last where none meets all of them.
void refuse_conditions(const PlotRequest& plot, const Plan& plan, Mistakes& mistakes) {
  std::string all;
  for (const NamedText& condition : plot.where) {
    if (std::ranges::none_of(plan.points,
                             [&](const Point& point) { return meets(point, condition); }))
      return mistakes.add(condition.place, "plots.where",
                          "no point has " + condition_text(condition));
    all += (all.empty() ? "" : ", ") + condition_text(condition);
  }
  mistakes.add(plot.where.back().place, "plots.where", "no point has all of " + all);
}

/// The metrics that `plot` draws, with their keys.
std::vector<std::pair<std::string, std::string>> metrics_in(const PlotRequest& plot,
                                                            const Plan& plan) {
  std::vector<std::pair<std::string, std::string>> metrics;
  if (plot.kind == "pareto") metrics.emplace_back("x", plot.x);
  if (plot.kind != "heatmap" && plot.kind != "parallel") metrics.emplace_back("y", plot.y);
  if (plot.kind == "heatmap") metrics.emplace_back("value", plot.value);
  for (const std::string& axis : plot.axes)
    if (std::ranges::find(plan.parameters, axis) == plan.parameters.end())
      metrics.emplace_back("axes", axis);
  return metrics;
}

/// Why no result of `point` has `metric`; empty if it may have it.
std::string why_none(const Point& point, bool is_sum, const std::string& metric) {
  const auto of = [&](const char* parameter) {
    return files::shown(value_of(point.parameters, parameter));
  };
  if (metric == "area_mm2" && !point.area_mm2)
    return "no areas are known for the chip of machine " + of("machine");
  if (metric == "core_gates" && !point.core_gates)
    return "machine " + of("machine") + " has no tensor cores";
  if (is_sum && !is_added_up(metric))
    return "the parts of workload " + of("workload") + " have no sum of it";
  return {};
}

void check_plot(const PlotRequest& plot, const Plan& plan, Mistakes& mistakes) {
  std::map<int, std::int64_t> runs;  // of configurations
  for (const Point& point : plan.points) runs[point.configuration] += point.count;
  std::vector<const Point*> chosen;
  for (const Point& point : plan.points)
    if (std::ranges::all_of(plot.where, [&](const NamedText& one) { return meets(point, one); }))
      chosen.push_back(&point);
  if (chosen.empty()) return refuse_conditions(plot, plan, mistakes);
  for (const auto& [key, metric] : metrics_in(plot, plan)) {
    for (const Point* const point : chosen) {
      const std::string reason = why_none(*point, runs[point->configuration] > 1, metric);
      if (reason.empty()) continue;
      mistakes.add(plot.place, "plots." + key, metric + ": " + reason);
      break;
    }
  }
}

}  // namespace

void check_plots(const Spec& spec, const Plan& plan) {
  Mistakes mistakes(spec.file);
  for (const PlotRequest& plot : spec.plots) check_plot(plot, plan, mistakes);
  mistakes.finish();
}

}  // namespace tcsim::sweep
