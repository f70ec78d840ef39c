#include "sim/sweep/estimate.hpp"

#include <gtest/gtest.h>

#include "tests/sweep/sweep_samples.hpp"

namespace tcsim::sweep {
namespace {

Row row_of(const Point& point, std::optional<double> wall_s) {
  Row row{&point, {}, {}};
  if (wall_s) row.record.result = {{"simulation", {{"wall_s", *wall_s}}}};
  return row;
}

TEST(Estimate, AddsUpSecondsAndTakesTheLargestMemory) {
  Point small;
  small.key = "small";
  small.expected = Expected{1, 0.5, 30};
  Point large;
  large.key = "large";
  large.expected = Expected{4, 1, 50};
  const Point refused;
  const Estimate estimate = estimate_of({&large, &small, &refused});
  EXPECT_DOUBLE_EQ(estimate.seconds, 5);
  EXPECT_DOUBLE_EQ(estimate.sampled_s, 1.5);
  EXPECT_DOUBLE_EQ(estimate.memory_mib, 50);
  EXPECT_EQ(without_forecast_text(estimate), "; 1 point has no forecast");
  EXPECT_EQ(without_forecast_text(estimate_of({&large})), "");
}

TEST(Estimate, CountsEqualPointsOnce) {
  Point point;
  point.key = "same";
  point.expected = Expected{4, 1, 50};
  const Point again = point;
  EXPECT_DOUBLE_EQ(estimate_of({&point, &again}).seconds, 4);
}

TEST(Estimate, IsCorrectedByWhatFinishedPointsTook) {
  Point point;
  point.expected = Expected{2, 1, 30};
  const Point refused;
  EXPECT_DOUBLE_EQ(measured_ratio({}), 1);
  EXPECT_DOUBLE_EQ(measured_ratio({row_of(point, {})}), 1);
  EXPECT_DOUBLE_EQ(measured_ratio({row_of(point, 3), row_of(point, 5), row_of(point, {})}), 2);
  EXPECT_DOUBLE_EQ(measured_ratio({row_of(refused, 3)}), 1);
}

}  // namespace
}  // namespace tcsim::sweep
