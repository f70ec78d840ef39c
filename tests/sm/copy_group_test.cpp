#include "models/sm/async_groups.hpp"

#include <gtest/gtest.h>

#include "tests/sm/sm_bench.hpp"

namespace tcsim::sm::test {
namespace {

/// LDGSTS issue to data in shared memory: 16 out, the way, 19 from the fill into shared memory.
constexpr Cycle kCopy = 16 + kMemoryLatency + 19;

void copy(ProgramBuilder& program, int line) {
  program.global(Opcode::kLdgsts32, per_lane(4, 128 * line), per_lane(4)).src(2, 4);
}

TEST(AsyncGroups, AreCompleteInOrder) {
  AsyncGroups groups;
  EXPECT_EQ(groups.incomplete(), 0);
  const std::uint16_t first = groups.add();
  EXPECT_EQ(groups.incomplete(), 0) << "an open group is none that DEPBAR waits for";
  EXPECT_TRUE(groups.has_any_under_way());
  groups.close();
  const std::uint16_t second = groups.add();
  groups.close();
  EXPECT_EQ(groups.incomplete(), 2);
  groups.done(second);
  EXPECT_EQ(groups.incomplete(), 2) << "the one before is not complete";
  groups.done(first);
  EXPECT_EQ(groups.incomplete(), 0);
  EXPECT_FALSE(groups.has_any_under_way());
}

TEST(AsyncGroups, CountWhateverIsUnderWay) {
  AsyncGroups groups;
  for (int i = 0; i < 1 << 16; ++i) (void)groups.add();
  groups.close();
  EXPECT_EQ(groups.incomplete(), 1);
  EXPECT_TRUE(groups.has_any_under_way());
}

TEST(AsyncGroups, AreCompleteWhenTheirLastCopyIs) {
  AsyncGroups groups;
  const std::uint16_t a = groups.add();
  const std::uint16_t b = groups.add();
  groups.close();
  groups.close();  // an empty one, which waits for the first
  groups.done(a);
  EXPECT_EQ(groups.incomplete(), 2);
  groups.done(b);
  EXPECT_EQ(groups.incomplete(), 0);
}

TEST(AsyncGroups, TellWhatWaitsForTheCopiesBeforeIt) {
  const CompletionToken arrival{CompletionToken::Kind::kArrival, 3, 7};
  AsyncGroups groups;
  const std::uint16_t before = groups.add();
  groups.close();
  EXPECT_FALSE(groups.tell_when_complete(arrival));
  EXPECT_FALSE(groups.tell_when_complete(arrival)) << "another thread";
  const std::uint16_t behind = groups.add();
  EXPECT_FALSE(groups.take_complete());
  groups.done(before);
  EXPECT_EQ(groups.take_complete(), arrival);
  EXPECT_EQ(groups.take_complete(), arrival);
  EXPECT_FALSE(groups.take_complete()) << "each is told once";
  groups.done(behind);
  groups.close();
  EXPECT_TRUE(groups.tell_when_complete(arrival)) << "nothing is under way";
}

TEST(AsyncGroups, GoOnForEver) {
  AsyncGroups groups;
  for (int i = 0; i < 3 * AsyncGroups::kMost; ++i) {
    const std::uint16_t copy = groups.add();
    groups.close();
    ASSERT_EQ(groups.incomplete(), 1) << i;
    groups.done(copy);
    ASSERT_EQ(groups.incomplete(), 0) << i;
  }
}

TEST(CopyGroup, DepbarZeroWaitsForTheData) {
  ProgramBuilder program;
  copy(program, 0);
  program.op(Opcode::kLdgdepbar);
  program.op(Opcode::kDepbar).immediate(0);
  program.op(Opcode::kExit);
  SmBench bench(single_warp(program));
  bench.start_cta(0);
  EXPECT_EQ(bench.finish(), kCopy + 1);
  EXPECT_EQ(bench.reason("copy_wait"), static_cast<std::uint64_t>(kCopy - 2));
  EXPECT_EQ(bench.counter("memory_pipeline.shared_fill_bytes"), 128u);
}

TEST(CopyGroup, ClosingOneTooManyWaitsForTheOldest) {
  const auto end_of_groups = [](int count) {
    ProgramBuilder program;
    for (int i = 0; i < count; ++i) {
      if (i == 0) copy(program, 0);
      program.op(Opcode::kLdgdepbar);
    }
    program.op(Opcode::kExit);
    SmBench bench(single_warp(program));
    bench.start_cta(0);
    EXPECT_GT(bench.finish(), 0) << count;
    return bench.reason("copy_wait");
  };
  EXPECT_EQ(end_of_groups(AsyncGroups::kMost - 1), 0u);
  EXPECT_GT(end_of_groups(AsyncGroups::kMost), 50u);
}

TEST(CopyGroup, AWarpWithoutRoomForAnotherGroupIsFoundWaitingForCopies) {
  ProgramBuilder program;
  copy(program, 0);
  for (int i = 0; i < AsyncGroups::kMost; ++i) program.op(Opcode::kLdgdepbar);
  program.op(Opcode::kExit);
  SmBench bench(single_warp(program));
  bench.start_cta(0);
  constexpr Cycle kEnd = 100;  // before the copy is there
  bench.run_to(kEnd);
  ASSERT_EQ(bench.sm().waits().size(), 1u);
  EXPECT_EQ(bench.sm().waits().front().kind, WaitKind::kCopies);
  bench.sm().charge_rest(kEnd);
  EXPECT_EQ(bench.reason("copy_wait"), static_cast<std::uint64_t>(kEnd - AsyncGroups::kMost));
}

TEST(CopyGroup, DepbarWaitsForAllButTheNewestGroups) {
  // Three groups whose copies leave 4 cycles apart; DEPBAR N passes when group 3 - N is complete.
  for (const int open : {0, 1, 2, 3}) {
    ProgramBuilder program;
    for (int group = 0; group < 3; ++group) {
      copy(program, group);
      program.op(Opcode::kLdgdepbar);
    }
    program.op(Opcode::kDepbar).immediate(open);
    program.op(Opcode::kNop);
    program.op(Opcode::kExit);
    SmBench bench(single_warp(program));
    bench.start_cta(0);
    // The warp's end does not show it (it stays until its copies are back), the time of the NOP
    // does.
    Cycle issued = 0;
    while (bench.counter("sub_core[0].warp_instructions") < 7) {
      issued = bench.now();
      bench.advance(1);
      ASSERT_LT(issued, 1000);
    }
    EXPECT_EQ(issued, open == 3 ? 6 : kCopy + 4 * (2 - open)) << open << " groups may stay open";
    bench.finish();
  }
}

TEST(CopyGroup, AGroupHoldsAllCopiesSinceTheLastOne) {
  ProgramBuilder program;
  for (int line = 0; line < 3; ++line) copy(program, line);
  program.op(Opcode::kLdgdepbar);
  program.op(Opcode::kDepbar).immediate(0);
  program.op(Opcode::kExit);
  EXPECT_EQ(end_of(program), kCopy + 8 + 1);
}

TEST(CopyGroup, CopiesAfterTheLastGroupAreNotWaitedFor) {
  ProgramBuilder program;
  copy(program, 0);
  program.op(Opcode::kLdgdepbar);
  copy(program, 1);
  program.op(Opcode::kDepbar).immediate(0);
  program.op(Opcode::kNop);
  program.op(Opcode::kExit);
  SmBench bench(single_warp(program));
  bench.start_cta(0);
  EXPECT_EQ(bench.finish(), kCopy + 4);  // the slot is free when the second copy is back
  EXPECT_EQ(bench.reason("copy_wait"), static_cast<std::uint64_t>(kCopy - 3));
}

TEST(CopyGroup, EmptyGroupsAreCompleteAtOnce) {
  ProgramBuilder program;
  const int none = program.guard(per_lane(1), 0);
  program.global(Opcode::kLdgsts32, per_lane(4), per_lane(4)).src(2, 4).guard(none);
  program.op(Opcode::kLdgdepbar);
  program.op(Opcode::kDepbar).immediate(0);
  program.op(Opcode::kExit);
  EXPECT_EQ(end_of(program), 3);
}

TEST(CopyGroup, WhatNoLaneExecutesNeitherWaitsNorClosesAGroup) {
  const auto copy_wait = [](bool closes_two, bool waits) {
    ProgramBuilder program;
    const int none = program.guard(per_lane(1), 0);
    copy(program, 0);
    program.op(Opcode::kLdgdepbar);
    program.op(Opcode::kLdgdepbar).guard(closes_two ? isa::kNoIndex : none);
    program.op(Opcode::kDepbar).immediate(1).guard(waits ? isa::kNoIndex : none);
    program.op(Opcode::kExit);
    SmBench bench(single_warp(program));
    bench.start_cta(0);
    bench.finish();
    return bench.reason("copy_wait");
  };
  EXPECT_GT(copy_wait(true, true), 50u);
  EXPECT_EQ(copy_wait(true, false), 0u);
  EXPECT_EQ(copy_wait(false, true), 0u);
}

TEST(CopyGroup, CopiesThatOnlyWriteZerosTakeNoTime) {
  ProgramBuilder program;
  program.global(Opcode::kLdgsts32, per_lane(4), per_lane(4)).src(2, 4);
  program.source(per_lane(1), 0);
  program.op(Opcode::kLdgdepbar);
  program.op(Opcode::kDepbar).immediate(0);
  program.op(Opcode::kExit);
  EXPECT_EQ(end_of(program), 3);
}

TEST(CopyGroup, AnEmptyGroupBehindAFullOneWaitsForIt) {
  ProgramBuilder program;
  copy(program, 0);
  program.op(Opcode::kLdgdepbar);
  program.op(Opcode::kLdgdepbar);
  program.op(Opcode::kDepbar).immediate(0);
  program.op(Opcode::kExit);
  EXPECT_EQ(end_of(program), kCopy + 1);
}

TEST(CopyGroup, AGroupClosedAfterItsDataArrivedIsComplete) {
  ProgramBuilder program;
  copy(program, 0);
  const int loop = program.begin_loop(0, {100, {}});
  program.op(Opcode::kNop).stall(8);
  program.end_loop(loop);
  program.op(Opcode::kLdgdepbar);
  program.op(Opcode::kDepbar).immediate(0);
  program.op(Opcode::kExit);
  EXPECT_EQ(end_of(program), 1 + 100 * (8 + 2) + 2);
}

TEST(CopyGroup, DepbarWithoutAnyGroupPasses) {
  ProgramBuilder program;
  program.op(Opcode::kDepbar).immediate(0);
  program.op(Opcode::kExit);
  EXPECT_EQ(end_of(program), 1);
}

TEST(CopyGroup, WarpsHaveGroupsOfTheirOwn) {
  ProgramBuilder copies;
  copy(copies, 0);
  copies.op(Opcode::kLdgdepbar);
  copies.op(Opcode::kExit);
  ProgramBuilder waits;
  waits.op(Opcode::kDepbar).immediate(0);
  waits.global(Opcode::kStg32, per_lane(4, 4096));
  waits.op(Opcode::kExit);
  SmBench bench(make_launch({copies.program(), waits.program()}, {0, 1}));
  bench.start_cta(0);
  bench.finish();
  ASSERT_EQ(bench.requests().size(), 2u);
  EXPECT_LT(bench.requests()[1].cycle, 30);  // the store did not wait for the other warp's copy
}

TEST(CopyGroup, AnExitedWarpKeepsItsSlotUntilItsCopiesAreBack) {
  ProgramBuilder program;
  copy(program, 0);
  program.op(Opcode::kExit);
  EXPECT_EQ(end_of(program), kCopy);
}

TEST(CopyGroup, ArrivingDataTakeTheDataPath) {
  ProgramBuilder program;
  for (int i = 0; i < 4; ++i)
    program.global(Opcode::kLdgsts128, per_lane(16, 512 * i), per_lane(16)).src(2, 4);
  program.op(Opcode::kExit);
  SmBench bench(single_warp(program));
  bench.start_cta(0);
  bench.finish();
  EXPECT_EQ(bench.counter("memory_pipeline.shared_fill_bytes"), 4u * 512);
  // One cycle for each 128 bytes that arrive; on their way out the instructions move none.
  EXPECT_EQ(bench.counter("memory_pipeline.memory_pipeline_busy_cycles"), 16u);
}

TEST(CopyGroup, ArrivingDataHoldUpSharedMemory) {
  // The four lines of a copy come back before, in or after the cycle in which the pipeline would
  // take the LDS.
  const auto latency = [](Cycle answer) {
    ProgramBuilder program;
    program.global(Opcode::kLdgsts128, per_lane(16), per_lane(16)).src(2, 4);
    program.op(Opcode::kNop).stall(15);
    program.op(Opcode::kNop).stall(15);
    program.op(Opcode::kNop).stall(15);
    program.shared(Opcode::kLds32, per_lane(4))
        .dst(4)
        .src(2)
        .writes(0);  // issues at 46, enters at 50
    program.op(Opcode::kNop).waits(0);
    program.op(Opcode::kExit);
    SmBench bench(single_warp(program));
    bench.memory_latency = [answer](const memory::LineRequest& request) {
      return answer - request.cycle;
    };
    bench.start_cta(0);
    Cycle issued = 0;
    while (bench.counter("sub_core[0].warp_instructions") < 6) {
      issued = bench.now();
      bench.advance(1);
      if (issued > 1000) return Cycle{-1};
    }
    bench.finish();
    return issued - 46;
  };
  EXPECT_EQ(latency(40), 23);
  EXPECT_EQ(latency(50), 23 + 4);  // four wavefronts go first
  EXPECT_EQ(latency(51), 23);
}

/// One warp copies the line twice, the second time when the first is there.
std::string sectors_of(Opcode opcode, int bytes) {
  ProgramBuilder program;
  for (int i = 0; i < 2; ++i) {
    program.global(opcode, per_lane(bytes), per_lane(bytes)).src(2, 4);
    program.op(Opcode::kLdgdepbar);
    program.op(Opcode::kDepbar).immediate(0);
  }
  program.op(Opcode::kExit);
  SmBench bench(single_warp(program));
  bench.start_cta(0);
  bench.finish();
  const auto count = [&](const char* name) {
    return std::to_string(bench.counter(std::string("memory_pipeline.") + name));
  };
  return count("l1_misses") + " missed, " + count("l1_hits") + " hit, " + count("l1_bypassed") +
         " past, " + count("shared_fill_bytes") + " bytes";
}

TEST(CopyGroup, CopiesOfLessThanSixteenBytesGoThroughTheL1) {
  EXPECT_EQ(sectors_of(Opcode::kLdgsts32, 4), "4 missed, 4 hit, 0 past, 256 bytes");
  EXPECT_EQ(sectors_of(Opcode::kLdgsts64, 8), "8 missed, 8 hit, 0 past, 512 bytes");
  EXPECT_EQ(sectors_of(Opcode::kLdgsts128, 16), "0 missed, 0 hit, 32 past, 1024 bytes");
}

TEST(CopyGroup, CopiesOfPartOfASectorFillOnlyTheirBytes) {
  ProgramBuilder program;  // 32 lanes, 4 bytes each from 32 different sectors
  program.global(Opcode::kLdgsts32, per_lane(32), per_lane(4)).src(2, 4);
  program.op(Opcode::kExit);
  SmBench bench(single_warp(program));
  bench.start_cta(0);
  bench.finish();
  EXPECT_EQ(bench.counter("memory_pipeline.shared_fill_bytes"), 128u);
}

}  // namespace
}  // namespace tcsim::sm::test
