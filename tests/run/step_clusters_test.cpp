#include "sim/run/step_clusters.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace tcsim::run {
namespace {

StepClusters with_times(double error, const std::vector<double>& times_us) {
  StepClusters clusters(error);
  for (const double time : times_us) clusters.add("a", {{{"time_us", time}}, {}, {}, 0});
  return clusters;
}

/// Of two, deviation of a mean 0.01, of two means 0.01414; t of one degree of freedom 12.7062.
TEST(StepClusters, OfTwoStepsTellWhereTheyAreNearlyEqual) {
  EXPECT_FALSE(with_times(0.02, {100}).told("a"));
  EXPECT_NEAR(with_times(0.02, {99.99, 100.01}).told("a")->half_width, 0.0018970, 1e-6);
  EXPECT_FALSE(with_times(0.02, {99.8, 100.2}).told("a"));
}

TEST(StepClusters, TellNothingOfAnother) {
  EXPECT_FALSE(with_times(0.02, {100, 100, 100}).told("b"));
}

/// Deviation 0.1, of two means of three 0.08165; t of two degrees of freedom 4.3027.
TEST(StepClusters, AreAsSureAsStudentsTSays) {
  const StepClusters clusters = with_times(0.02, {99.9, 100.1, 100});
  const auto told = clusters.told("a");
  ASSERT_TRUE(told);
  EXPECT_NEAR(told->half_width, 0.0035131, 1e-6);
  EXPECT_DOUBLE_EQ(told->member->result["time_us"].get<double>(), 100);
  EXPECT_FALSE(with_times(0.0035, {99.9, 100, 100.1}).told("a"));
}

TEST(StepClusters, AddWhatTheirMembersAreUnsureOf) {
  StepClusters clusters = with_times(0.02, {100, 100});
  clusters.add("a", {{{"time_us", 100.0}, {"sampling", {{"half_width", 0.01}}}}, {}, {}, 0});
  EXPECT_DOUBLE_EQ(clusters.told("a")->half_width, 0.01);
  clusters.add("a", {{{"time_us", 100.0}, {"sampling", {{"half_width", 0.03}}}}, {}, {}, 0});
  EXPECT_FALSE(clusters.told("a"));
}

}  // namespace
}  // namespace tcsim::run
