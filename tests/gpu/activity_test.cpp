#include "sim/gpu/activity.hpp"

#include <gtest/gtest.h>

namespace tcsim::gpu {
namespace {

ActivitySample sample(Cycle at) {
  ActivitySample result;
  result.at = at;
  result.totals.dram_read_bytes = static_cast<std::uint64_t>(10 * at);
  return result;
}

TEST(ActivityProbe, AddsUpTheCountersOfAllInstances) {
  stats::Group root("gpu");
  stats::Group one("channel[0]", root);
  stats::Group two("channel[1]", root);
  stats::Counter first(one, "read_bytes", "B", "Test");
  stats::Counter second(two, "read_bytes", "B", "Test");
  stats::Counter other(two, "reads", "bursts", "Test");
  const ActivityProbe probe(root);
  first.add(3);
  second.add(4);
  other.add(100);
  EXPECT_EQ(probe.read().dram_read_bytes, 7U);
  EXPECT_EQ(probe.read().dram_write_bytes, 0U);
}

TEST(ActivityProbe, ReadsWhatIsOfOneSide) {
  stats::Group root("gpu");
  stats::Group channel("channel[0]", root);
  stats::Group slice("l2_slice[0]", root);
  stats::Counter dram_bytes(channel, "read_bytes", "B", "Test");
  stats::Counter l2_bytes(slice, "l2_read_bytes", "B", "Test");
  const ActivityProbe probe(root);
  ActivityTotals totals;
  for (int i = 1; i <= 2; ++i) {
    dram_bytes.add(3);
    l2_bytes.add(5);
    probe.read(Side::kL2, totals);
    EXPECT_EQ(totals.l2_read_bytes, 5U * static_cast<unsigned>(i));
    EXPECT_EQ(totals.dram_read_bytes, 0U);
  }
}

TEST(ActivityTotals, SubtractFieldByField) {
  ActivityTotals before;
  before.l2_read_bytes = 5;
  ActivityTotals after;
  after.l2_read_bytes = 12;
  after.cycles_issued = 3;
  ActivityTotals expected;
  expected.l2_read_bytes = 7;
  expected.cycles_issued = 3;
  EXPECT_EQ(after - before, expected);
}

TEST(ActivityLog, KeepsEqualDistancesHoweverLongTheRun) {
  ActivityLog log;
  for (int i = 0; i < 10000; ++i) log.add(sample(log.due()));
  const std::vector<ActivitySample> samples = log.finish(sample(log.due()));
  ASSERT_LE(samples.size(), ActivityLog::kMostSamples);
  ASSERT_GE(samples.size(), ActivityLog::kMostSamples / 2);
  const Cycle interval = samples[0].at;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    EXPECT_EQ(samples[i].at, interval * static_cast<Cycle>(i + 1));
    EXPECT_EQ(samples[i].totals.dram_read_bytes, 10 * samples[i].at);
  }
}

TEST(ActivityLog, FindsTheSamplesThatItHolds) {
  ActivityLog log;
  EXPECT_EQ(log.find(ActivityLog::kFirstInterval), nullptr);
  for (int i = 0; i < 3; ++i) log.add(sample(log.due()));
  ASSERT_NE(log.find(256), nullptr);
  log.find(256)->l2_read_bytes = 7;
  EXPECT_EQ(log.finish(sample(300))[1].totals.l2_read_bytes, 7U);
  EXPECT_EQ(log.find(257), nullptr);
  EXPECT_EQ(log.find(-1), nullptr);
}

TEST(ActivityLog, EndsWithTheEndOfTheRun) {
  ActivityLog log;
  for (int i = 0; i < 3; ++i) log.add(sample(log.due()));
  // The run ended before the third sample was due.
  const std::vector<ActivitySample> samples = log.finish(sample(300));
  ASSERT_EQ(samples.size(), 3U);
  EXPECT_EQ(samples[1].at, 256);
  EXPECT_EQ(samples[2].at, 300);
}

}  // namespace
}  // namespace tcsim::gpu
