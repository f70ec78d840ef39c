#include "sim/run/step_clusters.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tcsim::run {
namespace {

using Bytes = std::vector<std::int64_t>;

/// Of the DRAM, per microsecond.
constexpr double kDramBytesPerUs = 1e6;

/// An L2 with so many bytes of a buffer, and so many of them dirty.
networks::L2Contents::Shape found(const Bytes& bytes, const std::vector<int>& eighths = {}) {
  return {bytes, eighths};
}

const networks::L2Contents::Shape found_nothing = found({0, 0});
/// Members find nothing or twice this: contents say nothing then, and times decide.
const networks::L2Contents::Shape found_by_none = found({1'000'000'000, 0});
const networks::L2Contents::Shape found_twice = found({2'000'000'000, 0});

StepClusters::Member member(double time_us) { return {{{"time_us", time_us}}, {}, 0}; }

StepClusters::Member sampled_member(double time_us, double half_width) {
  StepClusters::Member made = member(time_us);
  made.result["sampling"] = {{"half_width", half_width}};
  return made;
}

StepClusters with_times(double error, const std::vector<double>& times_us) {
  StepClusters clusters(error, kDramBytesPerUs);
  for (std::size_t i = 0; i < times_us.size(); ++i)
    clusters.add("a", i == 0 ? found_twice : found_nothing, member(times_us[i]));
  return clusters;
}

/// Of two, deviation of a mean 0.1, of two means 0.1414; t of one degree of freedom 12.7062.
TEST(StepClusters, OfTwoStepsTellWhereTheyAreNearlyEqual) {
  EXPECT_FALSE(with_times(0.02, {100}).estimate("a", found_by_none));
  EXPECT_NEAR(with_times(0.02, {99.9, 100.1}).estimate("a", found_by_none)->half_width, 0.0189694,
              1e-6);
  EXPECT_FALSE(with_times(0.02, {99.8, 100.2}).estimate("a", found_by_none));
}

TEST(StepClusters, TellNothingOfAnother) {
  EXPECT_FALSE(with_times(0.02, {100, 100, 100}).estimate("b", found_nothing));
}

/// Deviation 0.5, of two means of three 0.40825; t of two degrees of freedom 4.3027.
TEST(StepClusters, AreAsSureAsStudentsTSays) {
  const StepClusters clusters = with_times(0.02, {99.5, 100.5, 100});
  const auto estimate = clusters.estimate("a", found_by_none);
  ASSERT_TRUE(estimate);
  EXPECT_NEAR(estimate->half_width, 0.0175655, 1e-6);
  EXPECT_DOUBLE_EQ(estimate->member->result["time_us"].get<double>(), 100);
  EXPECT_FALSE(with_times(0.0175, {99.5, 100, 100.5}).estimate("a", found_by_none));
}

TEST(StepClusters, AddWhatTheirMembersAreUnsureOf) {
  StepClusters clusters = with_times(0.02, {100, 100});
  clusters.add("a", found_nothing, sampled_member(100, 0.01));
  EXPECT_DOUBLE_EQ(clusters.estimate("a", found_by_none)->half_width, 0.01) << "the least";
  clusters.add("a", found_nothing, sampled_member(100, 0.015));
  EXPECT_DOUBLE_EQ(clusters.estimate("a", found_by_none)->half_width, 0.015);
  clusters.add("a", found_nothing, sampled_member(100, 0.03));
  EXPECT_FALSE(clusters.estimate("a", found_by_none));
}

/// 300,000 bytes of a buffer and 100,000 dirty ones, which count three times: 0.6 us of DRAM.
TEST(StepClusters, OfOneStepTellWhereTheDramIsQuickWithWhatOthersFind) {
  StepClusters clusters(0.02, kDramBytesPerUs);
  clusters.add("a", found({800'000, 500'000}), member(100));
  EXPECT_NEAR(clusters.estimate("a", found({800'000, 500'000}))->half_width, 0.01, 1e-12);
  EXPECT_NEAR(clusters.estimate("a", found({500'000, 600'000}))->half_width, 0.016, 1e-12);
  EXPECT_FALSE(clusters.estimate("a", found({800'000, 1'600'000})));
}

/// Causes of their own: the squares of 0.015 and 0.01 add up.
TEST(StepClusters, OfOneSampledStepAreLessSure) {
  StepClusters clusters(0.02, kDramBytesPerUs);
  clusters.add("a", found_nothing, sampled_member(100, 0.015));
  EXPECT_NEAR(clusters.estimate("a", found_nothing)->half_width, 0.0180278, 1e-6);
  EXPECT_FALSE(clusters.estimate("a", found({300'000, 0})));
}

/// 0.3 us of DRAM from the second, 0.7 from the first.
TEST(StepClusters, TellAsTheMemberThatIsNearestByContents) {
  StepClusters clusters(0.02, kDramBytesPerUs);
  clusters.add("a", found({0, 0}, {0}), member(100));
  clusters.add("a", found({1'000'000, 0}, {4}), member(101));
  const auto estimate = clusters.estimate("a", found({700'000, 0}, {3}));
  ASSERT_TRUE(estimate);
  EXPECT_DOUBLE_EQ(estimate->member->result["time_us"].get<double>(), 101);
  EXPECT_NEAR(estimate->half_width, 0.01 + 0.3 / 101, 1e-12);
}

/// Equal times say nothing of steps that find the L2 in another state, nor of bytes that no member
/// found: 0.3 us of DRAM for dirty ones.
TEST(StepClusters, TellByTimesOfStepsInALikeStateAlone) {
  StepClusters clusters(0.02, kDramBytesPerUs);
  for (const std::int64_t bytes : {0, 9'000'000, 18'000'000})
    clusters.add("a", found({bytes, 0}, {0}), member(100));
  EXPECT_DOUBLE_EQ(clusters.estimate("a", found({5'000'000, 0}, {0}))->half_width, 0.01);
  EXPECT_NEAR(clusters.estimate("a", found({5'000'000, 100'000}, {0}))->half_width, 0.013, 1e-12);
  EXPECT_FALSE(clusters.estimate("a", found({5'000'000, 1'000'000}, {0})));
  EXPECT_FALSE(clusters.estimate("a", found({5'000'000, 0}, {1})));
}

/// Every step after an estimated one has a half-width of 1 %, which would be too much.
TEST(StepClusters, TellNothingWhereMoreIsAskedThanLikeStepsAreSure) {
  StepClusters clusters(0.009, kDramBytesPerUs);
  clusters.add("a", found_nothing, member(100));
  clusters.count(member(1e6).result);
  EXPECT_FALSE(clusters.estimate("a", found_nothing));
}

/// 2 us of DRAM: within 3 % of 100 us, where 2 % were asked for; of 160 us together 1.9 %.
TEST(StepClusters, TellAsLongAsAllStepsAreSureEnough) {
  StepClusters clusters(0.02, kDramBytesPerUs);
  clusters.add("a", found_nothing, member(100));
  const auto unlike = found({2'000'000, 0});
  EXPECT_FALSE(clusters.estimate("a", unlike));
  clusters.count(member(60).result);
  const auto estimate = clusters.estimate("a", unlike);
  ASSERT_TRUE(estimate);
  EXPECT_NEAR(estimate->half_width, 0.03, 1e-12);
  clusters.count(sampled_member(100, estimate->half_width).result);
  EXPECT_FALSE(clusters.estimate("a", unlike));
}

TEST(StepClusters, TellNoStepThatIsUnsureByItself) {
  StepClusters clusters(0.02, kDramBytesPerUs);
  clusters.add("a", found_nothing, member(100));
  clusters.count(member(1e6).result);
  EXPECT_TRUE(clusters.estimate("a", found({4'900'000, 0})));
  EXPECT_FALSE(clusters.estimate("a", found({5'100'000, 0})));
}

}  // namespace
}  // namespace tcsim::run
