#include "sim/sweep/estimate.hpp"

#include <fmt/format.h>

#include <cmath>

namespace tcsim::sweep {

Speed measured_speed(const std::vector<Row>& rows) {
  double flop = 0;
  double seconds = 0;
  for (const Row& row : rows) {
    const auto& result = row.record.result;
    if (!row.point->flop || !result.is_object() || !result.contains("simulation")) continue;
    flop += *row.point->flop;
    seconds += result["simulation"].value("wall_s", 0.0);
  }
  Speed speed;
  if (flop > 0 && seconds > 0) {
    speed.flop_per_second = flop / seconds;
    speed.measured = true;
  }
  return speed;
}

double estimated_seconds(const std::vector<const Point*>& points, const Speed& speed) {
  double seconds = 0;
  for (const Point* point : points)
    seconds += speed.seconds_per_point + point->flop.value_or(0) / speed.flop_per_second;
  return seconds;
}

std::string duration_text(double seconds) {
  const auto whole = static_cast<long long>(std::llround(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

}  // namespace tcsim::sweep
