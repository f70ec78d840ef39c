#include "models/sm/barrier.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "models/sm/barrier_unit.hpp"
#include "tests/sm/sm_bench.hpp"

namespace tcsim::sm::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(BarrierObject, OpensForAllThatWaitWhenEnoughHaveArrived) {
  Barrier barrier;
  std::vector<int> released;
  const auto release = [&released](std::uint8_t warp) { released.push_back(warp); };
  EXPECT_FALSE(barrier.is_complete(0)) << "nobody waits";
  for (int meeting = 0; meeting < 2; ++meeting) {
    released.clear();
    for (const std::uint8_t warp : {std::uint8_t{9}, std::uint8_t{2}}) {
      barrier.arrive(0);
      barrier.wait(warp);
    }
    EXPECT_FALSE(barrier.is_complete(3));
    EXPECT_TRUE(barrier.is_complete(2));
    EXPECT_TRUE(barrier.is_complete(1)) << "the others have exited";
    barrier.open(release);
    EXPECT_THAT(released, ElementsAre(9, 2));
    EXPECT_FALSE(barrier.is_complete(0)) << "ready for the next meeting";
  }
}

TEST(CtaBarriers, AreApart) {
  CtaBarriers barriers;
  std::vector<int> released;
  const auto open = [&](int expected) {
    released.clear();
    barriers.open_complete(expected, [&](std::uint8_t warp) { released.push_back(warp); });
    return released;
  };
  EXPECT_THAT(open(0), IsEmpty());
  barriers.arrive_and_wait({0}, 10);
  barriers.arrive_and_wait({15}, 11);
  EXPECT_THAT(open(2), IsEmpty());
  barriers.arrive_and_wait({15}, 12);
  EXPECT_THAT(open(2), ElementsAre(11, 12));
  EXPECT_THAT(open(2), IsEmpty());
  barriers.arrive_and_wait({3}, 11);
  EXPECT_THAT(open(1), ElementsAre(10, 11)) << "an exit may complete several";
  EXPECT_THAT(open(0), IsEmpty());
}

TEST(CtaBarriers, OfSomeWarpsOpenForThoseThatWaitWhenAllOfThemHaveCome) {
  CtaBarriers barriers;
  std::vector<int> released;
  const auto open = [&] {
    released.clear();
    barriers.open_complete(8, [&](std::uint8_t warp) { released.push_back(warp); });
    return released;
  };
  barriers.arrive_and_wait({1, 3}, 4);
  barriers.arrive({1, 3});
  EXPECT_THAT(open(), IsEmpty());
  barriers.arrive({2, 1});
  EXPECT_THAT(open(), IsEmpty()) << "nobody waited at 2, and 1 lacks one";
  barriers.arrive({1, 3});
  EXPECT_THAT(open(), ElementsAre(4));
  barriers.arrive_and_wait({1}, 5);
  EXPECT_THAT(open(), IsEmpty()) << "the next meeting there is of all";
}

TEST(BarrierUnit, HandlesArrivalsOneAfterTheOther) {
  BarrierUnit unit({.base_cycles = 21, .per_warp_cycles = 2});
  EXPECT_EQ(unit.opens_at(50), 71) << "an exit completes it";
  unit.arrive(100);
  unit.arrive(100);
  EXPECT_EQ(unit.opens_at(100), 125);
  EXPECT_EQ(unit.opens_at(103), 125);
  EXPECT_EQ(unit.opens_at(105), 126);
  unit.arrive(110);
  EXPECT_EQ(unit.opens_at(110), 133);
}

std::vector<int> all_run(int program, int warps) {
  return std::vector<int>(static_cast<std::size_t>(warps), program);
}

TEST(Barrier, HandlesOneArrivalAfterTheOtherAndAddsTheBase) {
  // 23, 25, 29, 37, 53, 85 cycles for 1 to 32 warps (BB24): issue of the last BAR to issue of what
  // follows.
  for (const int warps :
       {1, 2, 4}) {  // one warp per sub-core, so that all arrive in cycle 0 and leave together
    ProgramBuilder program;
    program.op(Opcode::kBarSync);
    program.op(Opcode::kExit);
    EXPECT_EQ(end_of(make_launch({program.program()}, all_run(0, warps))), 21 + 2 * warps) << warps;
  }
  for (const int warps : {8, 16, 32}) {  // the warps of a sub-core arrive and leave one per cycle
    ProgramBuilder program;
    program.op(Opcode::kBarSync);
    program.op(Opcode::kExit);
    const int turns = warps / 4 - 1;  // of leaving; the arrivals queue for the unit anyway
    EXPECT_EQ(end_of(make_launch({program.program()}, all_run(0, warps))), 21 + 2 * warps + turns)
        << warps;
  }
}

TEST(Barrier, WaitsForTheLastWarp) {
  ProgramBuilder early;
  early.op(Opcode::kBarSync);
  early.op(Opcode::kExit);
  ProgramBuilder late;
  for (int i = 0; i < 10; ++i) late.op(Opcode::kNop).stall(10);
  late.op(Opcode::kBarSync);
  late.op(Opcode::kExit);
  SmBench bench(make_launch({early.program(), late.program()}, {0, 1}));
  bench.start_cta(0);
  EXPECT_EQ(bench.finish(), 100 + 23);
  EXPECT_EQ(bench.reason("barrier", 0), 122u);
  EXPECT_EQ(bench.reason("barrier", 1), 22u);
}

TEST(Barrier, CountsOnlyWarpsThatHaveNotExited) {
  ProgramBuilder leaves;
  leaves.op(Opcode::kExit);
  ProgramBuilder stays;
  stays.op(Opcode::kNop).stall(5);
  stays.op(Opcode::kBarSync);
  stays.op(Opcode::kExit);
  EXPECT_EQ(end_of(make_launch({leaves.program(), stays.program()}, {0, 1, 1})), 5 + 21 + 2 * 2);
}

TEST(Barrier, AnExitCanCompleteIt) {
  ProgramBuilder leaves;
  for (int i = 0; i < 4; ++i) leaves.op(Opcode::kNop).stall(10);
  leaves.op(Opcode::kExit);
  ProgramBuilder stays;
  stays.op(Opcode::kBarSync);
  stays.op(Opcode::kExit);
  EXPECT_EQ(end_of(make_launch({leaves.program(), stays.program()}, {0, 1})), 40 + 21);
}

/// The first warp arrives at once and goes on, the other waits for it and for nobody else.
TEST(Barrier, IsWhatARunIsChargedToThatEndsThere) {
  // Warp 0, alone on its sub-core, waits for warp 1, which waits for data that do not come.
  ProgramBuilder waiting;
  waiting.op(Opcode::kBarSync);
  waiting.op(Opcode::kExit);
  ProgramBuilder loading("loading");
  loading.global(Opcode::kLdg32, per_lane(4)).dst(4).writes(0).stall(2);
  loading.op(Opcode::kBarSync).waits(0);
  loading.op(Opcode::kExit);
  SmBench bench(make_launch({waiting.program(), loading.program()}, {0, 1}));
  bench.memory_latency = [](const memory::LineRequest&) { return Cycle{100'000}; };
  bench.start_cta(0);
  bench.run_to(1000);
  bench.sm().charge_rest(1000);
  EXPECT_GT(bench.reason("barrier", 0), 900u);
  EXPECT_GT(bench.reason("dependence_global", 1), 900u);
  EXPECT_EQ(bench.reason("no_warp", 2), 1000u);
}

TEST(Barrier, OfSomeWarpsHoldsThoseThatWaitAlone) {
  const auto pair = [](int arrives_after) {
    ProgramBuilder arrives;
    for (int i = 0; i < arrives_after; ++i) arrives.op(Opcode::kNop).stall(10);
    arrives.op(Opcode::kBarArrive).immediate(isa::immediate_of({1, 2}));
    arrives.op(Opcode::kExit);
    ProgramBuilder waits;
    waits.op(Opcode::kBarSync).immediate(isa::immediate_of({1, 2}));
    waits.op(Opcode::kExit);
    ProgramBuilder other;
    other.op(Opcode::kExit);
    return end_of(make_launch({arrives.program(), waits.program(), other.program()}, {0, 1, 2}));
  };
  EXPECT_EQ(pair(0), 21 + 2 * 2);
  EXPECT_EQ(pair(4), 40 + 21 + 2);
}

TEST(Barrier, CanBeUsedAgainAndAgain) {
  ProgramBuilder program;
  for (int i = 0; i < 5; ++i) program.op(Opcode::kBarSync);
  program.op(Opcode::kExit);
  EXPECT_EQ(end_of(make_launch({program.program()}, {0, 0, 0, 0})), 5 * (21 + 8));
}

TEST(Barrier, HoldsTheWarpForItsOwnStallCountToo) {
  SmParams params = ampere_sm();
  params.barrier = {.base_cycles = 1, .per_warp_cycles = 1};
  ProgramBuilder program;
  program.op(Opcode::kBarSync).stall(9);
  program.op(Opcode::kExit);
  EXPECT_EQ(end_of(program, params), 9);
}

TEST(Barrier, IsNotReachedByAWarpWhoseLanesAreAllOff) {
  ProgramBuilder program;
  const int first_warp = program.guard({0, {{Variable::kWarp, 1}}}, 1);
  program.op(Opcode::kBarSync).guard(first_warp);
  program.op(Opcode::kExit);
  // Warp 0 arrives, warp 1 passes by and exits in cycle 1, which completes the barrier for the one
  // that is left.
  EXPECT_EQ(end_of(make_launch({program.program()}, {0, 0})), 2 + 21);
}

TEST(Barrier, IsChargedAlsoWhenACounterFellMeanwhile) {
  ProgramBuilder program;
  program.op(Opcode::kMufuEx2)
      .dst(4)
      .src(2)
      .writes(0);  // back at 17, before the barrier opens at 24
  program.op(Opcode::kBarSync);
  program.op(Opcode::kExit).waits(0);
  SmBench bench(single_warp(program));
  bench.start_cta(0);
  EXPECT_EQ(bench.finish(), 1 + 23);
  EXPECT_EQ(bench.reason("barrier"), 22u);
}

ProgramBuilder meets_at(int barrier) {
  ProgramBuilder program;
  program.op(Opcode::kBarSync).immediate(barrier);
  program.op(Opcode::kExit);
  return program;
}

TEST(Barrier, OfAnotherNameIsAnotherOne) {
  SmBench bench(make_launch({meets_at(1).program(), meets_at(2).program()}, {0, 1}));
  bench.start_cta(0);
  bench.advance(10'000);
  const std::vector<WarpWait> waits = bench.sm().waits();
  ASSERT_EQ(waits.size(), 2u);
  for (int warp = 0; warp < 2; ++warp) {
    const WarpWait& wait = waits[static_cast<std::size_t>(warp)];
    EXPECT_EQ(wait.kind, WaitKind::kBarrier);
    EXPECT_EQ(wait.barrier, 1 + warp);
    EXPECT_EQ(wait.instruction, 0);
  }
}

TEST(Barrier, OfAnyNameTakesTheSameTime) {
  for (const int barrier : {0, 1, 15})
    EXPECT_EQ(end_of(make_launch({meets_at(barrier).program()}, {0, 0})), 21 + 2 * 2) << barrier;
}

TEST(Barrier, CtasOfAnSmShareTheUnit) {
  // Two CTAs of 16 warps take 64 cycles per barrier (BB24): 2 for each of 32 arrivals.
  ProgramBuilder program;
  for (int i = 0; i < 11; ++i) program.op(Opcode::kBarSync);
  program.op(Opcode::kExit);
  const auto end = [&](int ctas) {
    SmBench bench(make_launch({program.program()}, all_run(0, 16), ctas), ampere_sm(), ctas);
    for (int cta = 0; cta < ctas; ++cta) bench.start_cta(cta);
    return bench.finish();
  };
  EXPECT_NEAR(static_cast<double>(end(2)) / 11, 64, 3);
  EXPECT_NEAR(static_cast<double>(end(1)) / 11, 53, 3);
}

/// An arrival that nobody waited for is not one of the CTA that has the slot next.
TEST(Barrier, CtasOfASlotDoNotArriveForEachOther) {
  const auto duration_of_second = [](int arrivals) {
    ProgramBuilder arrives;
    for (int i = 0; i < 20; ++i) arrives.op(Opcode::kNop).stall(10);
    for (int i = 0; i < arrivals; ++i)
      arrives.op(Opcode::kBarArrive).immediate(isa::immediate_of({1, 2}));
    arrives.op(Opcode::kExit);
    ProgramBuilder waits;
    waits.op(Opcode::kBarSync).immediate(isa::immediate_of({1, 2}));
    for (int i = 0; i < 20; ++i) waits.op(Opcode::kNop).stall(10);
    waits.op(Opcode::kExit);
    SmBench bench(make_launch({arrives.program(), waits.program()}, {0, 1}, 2));
    bench.start_cta(0);
    while (bench.sm().ended_ctas().empty()) bench.advance(1);
    const Cycle first = bench.now();
    bench.start_cta(1, first);
    return bench.finish() - first;
  };
  EXPECT_GT(duration_of_second(1), 400);
  EXPECT_GT(duration_of_second(2), 400);
}

TEST(Barrier, CtasDoNotWaitForEachOther) {
  ProgramBuilder program;
  program.op(Opcode::kBarSync);
  program.op(Opcode::kExit);
  ProgramBuilder slow;
  const int second_cta = slow.guard({0, {{Variable::kCtaX, 1}}}, 1);
  const int loop = slow.begin_loop(0, {1, {{Variable::kCtaX, 100}}});
  slow.op(Opcode::kNop).stall(8);
  slow.end_loop(loop);
  slow.op(Opcode::kNop).guard(second_cta);
  slow.op(Opcode::kBarSync);
  slow.op(Opcode::kExit);
  SmBench bench(make_launch({program.program(), slow.program()}, {0, 1}, 2), ampere_sm(), 2);
  bench.start_cta(0);
  bench.start_cta(1);
  bench.finish();
  ASSERT_EQ(bench.sm().ended_ctas().size(), 2u);
  EXPECT_LT(bench.sm().ended_ctas()[0], 60);
  EXPECT_GT(bench.sm().ended_ctas()[1], 1000);
}

}  // namespace
}  // namespace tcsim::sm::test
