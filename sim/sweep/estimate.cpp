#include "sim/sweep/estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

namespace tcsim::sweep {

double measured_ratio(const std::vector<Row>& rows) {
  double expected_s = 0;
  double measured_s = 0;
  for (const Row& row : rows) {
    const auto& result = row.record.result;
    if (!row.point->expected || !result.is_object() || !result.contains("simulation")) continue;
    expected_s += row.point->expected->seconds;
    measured_s += result["simulation"].value("wall_s", 0.0);
  }
  return expected_s > 0 && measured_s > 0 ? measured_s / expected_s : 1;
}

Estimate estimate_of(const std::vector<const Point*>& points) {
  Estimate estimate;
  std::set<std::string_view> seen;
  for (const Point* point : points) {
    if (!point->expected) ++estimate.without_forecast;
    if (!point->expected || !seen.insert(point->key).second) continue;
    estimate.seconds += point->expected->seconds;
    estimate.sampled_s += point->expected->sampled_s;
    estimate.memory_mib = std::max(estimate.memory_mib, point->expected->memory_mib);
  }
  return estimate;
}

std::string without_forecast_text(const Estimate& estimate) {
  if (estimate.without_forecast == 0) return "";
  return fmt::format("; {} {} no forecast", estimate.without_forecast,
                     estimate.without_forecast == 1 ? "point has" : "points have");
}

std::string duration_text(double seconds) {
  const auto whole = static_cast<long long>(std::llround(seconds));
  constexpr double kTenths = 10;  // seconds from which they say nothing
  if (seconds > 0 && seconds < kTenths) return fmt::format("{:.1f} s", std::max(seconds, 0.1));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

}  // namespace tcsim::sweep
