#include <gtest/gtest.h>

#include "tests/sm/sm_bench.hpp"

namespace tcsim::sm::test {
namespace {

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
