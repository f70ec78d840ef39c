#include "sim/microbench/measure.hpp"

#include <gtest/gtest.h>

namespace tcsim::microbench {
namespace {

MeasuredRow run(const std::string& test, const std::string& unit, double published,
                const std::string& machine = "a100", const std::string& set = "") {
  const std::string text = "suite,test,published,unit,set,source\nalu," + test + ',' +
                           std::to_string(published) + ',' + unit + ',' + set + ",test\n";
  return measure(read_published_table(text, "t.csv").front(), machine, {}, {});
}

double value(const std::string& test, const std::string& unit, const std::string& machine = "a100",
             const std::string& set = "") {
  const MeasuredRow row = run(test, unit, 1, machine, set);
  EXPECT_TRUE(row.model.has_value()) << row.reason;
  return row.model.value_or(-1);
}

TEST(Measure, ADependentChainTakesTheLatency) {
  EXPECT_NEAR(value("FFMA", "cycles"), 4, 0.01);
  EXPECT_NEAR(value("FFMA", "cycles", "a100", "sm.pipes.fp32_latency_cycles=9"), 9, 0.01);
  EXPECT_NEAR(value("LDS", "cycles"), 23, 0.01);
  EXPECT_NEAR(value("HMMA.16816.F32", "cycles"), 25, 0.05);
}

TEST(Measure, IndependentChainsTakeTheInterval) {
  EXPECT_NEAR(value("FFMA ilp=4", "cycles/instruction"), 2, 0.02);
  EXPECT_NEAR(value("MUFU.EX2 ilp=4", "cycles/instruction"), 8, 0.02);
  EXPECT_NEAR(value("HMMA.16816.F32 ilp=4", "cycles/instruction"), 8, 0.05);
  EXPECT_NEAR(value("HMMA.16816.F32 ilp=4 rolled=1", "cycles/instruction"), 8.75, 0.05)
      << "counter and branch of every trip";
}

TEST(Measure, RatesFollowFromTheTimeOfAGroup) {
  const double group = value("HMMA.16816.F32 warps=4 ilp=3", "cycles");
  EXPECT_NEAR(value("HMMA.16816.F32 warps=4 ilp=3", "MAC/cycle/SM"), 4 * 3 * 2048 / group, 0.1);
}

TEST(Measure, ConflictsAddTheirCycles) {
  EXPECT_NEAR(value("LDS stride=8", "cycles"), 37, 0.01);
  EXPECT_NEAR(value("LDS stride=8", "cycles", "a100", "sm.shared_memory.conflict_extra_cycles=5"),
              23 + 7 * 5, 0.01);
}

TEST(Measure, CtasOfABarrierShareItsUnit) {
  EXPECT_NEAR(value("BAR.SYNC warps=16", "cycles"), 53, 0.1);
  EXPECT_NEAR(value("BAR.SYNC warps=16 ctas=2", "cycles"), 64, 0.5);
}

TEST(Measure, MoreCtasThanAnSmHoldsHaveNoValue) {
  EXPECT_NEAR(value("FFMA warps=32 ilp=2 ctas=2", "cycles/instruction", "a100"), 32, 0.5);
  const MeasuredRow row = run("FFMA warps=32 ilp=2 ctas=3", "cycles/instruction", 1, "a100");
  EXPECT_FALSE(row.model.has_value());
  EXPECT_EQ(row.reason.rfind("2 of 3 CTAs fit on an SM: ", 0), 0U) << row.reason;
}

TEST(Measure, ASmallListStaysInL1) { EXPECT_NEAR(value("chase bytes=8KiB", "cycles"), 33, 0.1); }

TEST(Measure, BoxesBehindAnotherProgramsWritesWaitForThem) {
  const auto time = [](const std::string& dirty_ways) {
    return value("boxes bytes=8KiB places=4 ctas=64 trips=8 overwritten=1", "us", "h100",
                 "l2.bytes=3276800 l2.dirty_ways=" + dirty_ways);
  };
  EXPECT_GT(time("20"), 1.25 * time("1"));
}

TEST(Measure, PlacesThatNoBoxHasFilledAreNotWaitedFor) {
  EXPECT_GT(value("boxes bytes=8KiB places=4 trips=1", "us", "h100"), 0);
}

TEST(Measure, ANullKernelTakesTheLaunch) {
  EXPECT_NEAR(value("null", "us"), 1.44, 0.002);
  EXPECT_NEAR(value("null", "us", "a100", "launch.overhead_us=3"), 3, 0.002);
}

TEST(Measure, AMachineWithoutAnotherPartitionHasNoValueFromIt) {
  const MeasuredRow row = run("chase bytes=4MiB across=1", "cycles", 100, "lab-tiny");
  EXPECT_FALSE(row.model);
  EXPECT_EQ(row.reason.find("nan"), std::string::npos);
  EXPECT_NE(row.reason.find("nothing to measure"), std::string::npos) << row.reason;
}

TEST(Measure, ASmallListThatIsWalkedAcrossIsFarFromL1) {
  EXPECT_GT(value("chase bytes=64KiB across=1", "cycles"), 250);
}

TEST(Measure, AnInstructionThatTheMachineLacksHasNoValue) {
  const MeasuredRow row = run("HMMA.16816.F32", "cycles", 25, "v100");
  EXPECT_FALSE(row.model.has_value());
  EXPECT_EQ(row.reason, "v100-sxm2 has no HMMA.16816.F32");
}

TEST(Measure, ErrorsAreRelativeToThePublishedFigure) {
  EXPECT_NEAR(run("FFMA", "cycles", 5).error_percent(), -20, 0.1);
}

TEST(Measure, CanBeInterrupted) {
  const std::string text = "suite,test,published,unit,set,source\nalu,FFMA,4,cycles,,test\n";
  const MeasuredRow row =
      measure(read_published_table(text, "t.csv").front(), "a100", {}, [] { return false; });
  EXPECT_FALSE(row.model.has_value());
  EXPECT_EQ(row.reason, "interrupted");
}

}  // namespace
}  // namespace tcsim::microbench
