#include "models/sm/dependence_counters.hpp"

#include <gtest/gtest.h>

#include "tests/sm/sm_bench.hpp"

namespace tcsim::sm::test {
namespace {

TEST(DependenceCounters, AreBusyUntilAllIsDone) {
  DependenceCounters counters;
  counters.count_up(2);
  counters.count_up(2);
  counters.count_up(5);
  EXPECT_EQ(counters.busy(), 0b100100);
  EXPECT_FALSE(counters.count_down(2));
  EXPECT_EQ(counters.busy(), 0b100100);
  EXPECT_TRUE(counters.count_down(2));
  EXPECT_EQ(counters.busy(), 0b100000);
  EXPECT_TRUE(counters.count_down(5));
  EXPECT_EQ(counters.busy(), 0);
}

TEST(DependenceCounters, CountWhateverIsUnderWay) {
  constexpr int kMany = 70'000;
  DependenceCounters counters;
  for (int i = 0; i < kMany; ++i) counters.count_up(0);
  for (int i = 1; i < kMany; ++i) ASSERT_FALSE(counters.count_down(0));
  EXPECT_TRUE(counters.count_down(0));
}

TEST(DependenceCounter, HoldsTheConsumerForTheLatency) {
  ProgramBuilder program;
  program.op(Opcode::kMufuEx2).dst(4).src(2).writes(0);
  program.op(Opcode::kExit).waits(0);
  EXPECT_EQ(end_of(program), 17);
}

TEST(DependenceCounter, HoldsOnlyThoseThatWaitForIt) {
  ProgramBuilder program;
  program.op(Opcode::kMufuEx2).dst(4).src(2).writes(0);
  program.op(Opcode::kNop).waits(1);
  program.op(Opcode::kNop).waits(5);
  program.global(Opcode::kStg32, per_lane(4));
  program.op(Opcode::kExit).waits(0);
  SmBench bench(single_warp(program));
  bench.start_cta(0);
  EXPECT_EQ(bench.finish(), 17);
  ASSERT_EQ(bench.requests().size(), 1u);
  EXPECT_EQ(bench.requests()[0].cycle, 3 + 16);  // the store issued at 3
}

TEST(DependenceCounter, CountsEveryProducerThatUsesIt) {
  ProgramBuilder program;
  program.op(Opcode::kMufuEx2).dst(4).src(2).writes(3);  // 0 .. 17
  program.op(Opcode::kMufuRcp).dst(5).src(2).writes(3);  // 8 .. 25
  program.op(Opcode::kExit).waits(3);
  EXPECT_EQ(end_of(program), 25);
}

TEST(DependenceCounter, AWarpWaitsForAllOfItsMask) {
  ProgramBuilder program;
  program.op(Opcode::kShfl).dst(4).src(2, 3).writes(0);  // 0 .. 25
  program.op(Opcode::kMufuEx2).dst(5).src(2).writes(1);  // 1 .. 18
  program.op(Opcode::kExit).waits(0).waits(1);
  EXPECT_EQ(end_of(program), 25);
}

TEST(DependenceCounter, ReadCounterFreesTheSourcesOfALoad) {
  ProgramBuilder program;
  program.shared(Opcode::kLds32, per_lane(4)).dst(4).src(2).reads(2);
  program.op(Opcode::kExit).waits(2);
  EXPECT_EQ(end_of(program), 11);
}

TEST(DependenceCounter, WideStoresReadTheirDataLonger) {
  const auto released = [](Opcode opcode) {
    ProgramBuilder program;
    program.shared(opcode, per_lane(16)).src(2, 4).reads(2);
    program.op(Opcode::kExit).waits(2);
    return end_of(program);
  };
  EXPECT_EQ(released(Opcode::kSts32), 11);
  EXPECT_EQ(released(Opcode::kSts64), 11 + 2);   // HUE25: 64-bit stores +2
  EXPECT_EQ(released(Opcode::kSts128), 11 + 6);  // 128-bit +6
}

TEST(DependenceCounter, AStoreThatNamesAWriteCounterDoesNotHoldIt) {
  ProgramBuilder program;
  program.shared(Opcode::kSts32, per_lane(4)).src(2, 4).writes(1);
  program.op(Opcode::kExit).waits(1);
  EXPECT_EQ(end_of(program), 1);
}

TEST(DependenceCounter, IsChargedToWhatReturned) {
  ProgramBuilder program;
  program.shared(Opcode::kLds32, per_lane(4)).dst(4).src(2).writes(0);
  program.op(Opcode::kMufuEx2).dst(5).src(4).writes(1).waits(0);
  program.op(Opcode::kExit).waits(1);
  SmBench bench(single_warp(program));
  bench.start_cta(0);
  EXPECT_EQ(bench.finish(), 23 + 17);
  EXPECT_EQ(bench.reason("dependence_shared"), 22u);
  EXPECT_EQ(bench.reason("dependence_global"), 16u);
}

TEST(Guard, LanesThatAreOffMoveNothing) {
  ProgramBuilder program;
  const int half = program.guard(per_lane(1), 16);
  program.global(Opcode::kStg32, per_lane(4)).guard(half);
  program.op(Opcode::kExit);
  SmBench bench(single_warp(program));
  bench.start_cta(0);
  bench.finish();
  ASSERT_EQ(bench.requests().size(), 1u);
  EXPECT_EQ(bench.requests()[0].sectors, 0b0011);
}

TEST(Guard, WithAllLanesOnChangesNothing) {
  ProgramBuilder program;
  const int all = program.guard(per_lane(1), 32);
  program.shared(Opcode::kLds32, per_lane(4)).dst(4).src(2).writes(0).guard(all);
  program.op(Opcode::kExit).waits(0);
  EXPECT_EQ(end_of(program), 23);
}

TEST(Guard, WithNoLaneOnALoadTouchesNoCounterAndSendsNothing) {
  ProgramBuilder program;
  const int none = program.guard(per_lane(1), 0);
  program.global(Opcode::kLdg32, per_lane(4)).dst(4).src(2).writes(0).reads(1).guard(none);
  program.op(Opcode::kExit).waits(0).waits(1);
  SmBench bench(single_warp(program));
  bench.start_cta(0);
  EXPECT_EQ(bench.finish(), 1);  // takes its issue slot
  EXPECT_TRUE(bench.requests().empty());
}

TEST(Guard, FollowsCtaAndLoopVariables) {
  // Stores of trip i are on while cta + i < 3.
  ProgramBuilder program;
  const int on = program.guard({0, {{Variable::kCtaX, 1}, {Variable::kLoop0, 1}}}, 3);
  const int loop = program.begin_loop(0, {4, {}});
  program.global(Opcode::kStg32, per_lane(4)).guard(on);
  program.end_loop(loop);
  program.op(Opcode::kExit);
  for (const int cta : {0, 1, 2, 3}) {
    SmBench bench(single_warp(program));
    bench.start_cta(cta);
    bench.finish();
    EXPECT_EQ(bench.requests().size(), static_cast<std::size_t>(3 - cta)) << "CTA " << cta;
  }
}

ProgramBuilder exit_under_guard(int lanes_that_exit) {
  ProgramBuilder program;
  const int leaving = program.guard(per_lane(1), lanes_that_exit);
  program.op(Opcode::kExit).guard(leaving);
  program.global(Opcode::kStg32, per_lane(4));
  program.op(Opcode::kExit);
  return program;
}

TEST(Guard, ExitOfAllLanesEndsTheWarp) {
  SmBench bench(single_warp(exit_under_guard(32)));
  bench.start_cta(0);
  EXPECT_EQ(bench.finish(), 0);
  EXPECT_TRUE(bench.requests().empty());
}

TEST(Guard, ExitOfNoLaneIsSkipped) {
  SmBench bench(single_warp(exit_under_guard(0)));
  bench.start_cta(0);
  EXPECT_EQ(bench.finish(), 2);
  ASSERT_EQ(bench.requests().size(), 1u);
  EXPECT_EQ(bench.requests()[0].sectors, 0b1111);
}

TEST(Guard, ExitOfSomeLanesLeavesTheOthersRunning) {
  SmBench bench(single_warp(exit_under_guard(24)));
  bench.start_cta(0);
  EXPECT_EQ(bench.finish(), 2);
  ASSERT_EQ(bench.requests().size(), 1u);
  EXPECT_EQ(bench.requests()[0].sectors, 0b1000);  // lanes 24 to 31
}

TEST(Loop, RunsItsTripsAndPaysForEachBranch) {
  ProgramBuilder program;
  const int loop = program.begin_loop(0, {5, {}});
  program.op(Opcode::kNop);
  program.end_loop(loop);
  program.op(Opcode::kExit);
  EXPECT_EQ(end_of(program), 5 * (1 + 2));  // a NOP, then a branch of two cycles
}

TEST(Loop, TripsFollowCtaAndWarp) {
  ProgramBuilder program;
  const int loop = program.begin_loop(0, {1, {{Variable::kCtaX, 2}, {Variable::kWarp, 3}}});
  program.op(Opcode::kNop);
  program.end_loop(loop);
  program.op(Opcode::kExit);
  SmBench bench(make_launch({program.program()}, {0, 0}));
  bench.start_cta(4);
  bench.finish();
  EXPECT_EQ(bench.counter("sub_core[0].warp_instructions"), 9u * 2 + 1);
  EXPECT_EQ(bench.counter("sub_core[1].warp_instructions"), 12u * 2 + 1);
}

TEST(Loop, IsPassedOverWithoutTrips) {
  ProgramBuilder program;
  program.op(Opcode::kBraSkip).immediate(0);
  const int loop = program.begin_loop(0, {0, {{Variable::kCtaX, 2}}});
  program.op(Opcode::kNop);
  program.end_loop(loop);
  program.op(Opcode::kExit);
  SmBench bench(single_warp(program));
  bench.start_cta(0);
  EXPECT_EQ(bench.finish(), 2) << "a branch of two cycles, then EXIT";
  EXPECT_EQ(bench.counter("sub_core[0].warp_instructions"), 2u);
  SmBench other(single_warp(program));
  other.start_cta(3);
  EXPECT_EQ(other.finish(), 2 + 6 * (1 + 2));
  EXPECT_EQ(other.counter("sub_core[0].warp_instructions"), 1u + 6 * 2 + 1);
}

TEST(Loop, InnerLoopsStartAnewInEachTripOfTheOuterOne) {
  ProgramBuilder program;
  const int outer = program.begin_loop(0, {3, {}});
  const int inner = program.begin_loop(1, {4, {}});
  program.global(Opcode::kStg32,
                 {0, {{Variable::kLoop0, 4096}, {Variable::kLoop1, 128}, {Variable::kLane, 4}}});
  program.end_loop(inner);
  program.end_loop(outer);
  program.op(Opcode::kExit);
  SmBench bench(single_warp(program));
  bench.start_cta(0);
  bench.finish();
  std::vector<std::uint64_t> offsets;
  for (const memory::LineRequest& request : bench.requests())
    offsets.push_back(request.address - (std::uint64_t{1} << 30));
  std::vector<std::uint64_t> expected;
  for (std::uint64_t i = 0; i < 3; ++i)
    for (std::uint64_t j = 0; j < 4; ++j) expected.push_back(i * 4096 + j * 128);
  EXPECT_EQ(offsets, expected);
}

}  // namespace
}  // namespace tcsim::sm::test
