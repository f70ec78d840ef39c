#include "models/sm/instruction_fetch.hpp"

#include <gtest/gtest.h>

#include "tests/sm/sm_bench.hpp"

namespace tcsim::sm::test {
namespace {

constexpr Cycle kLatency = 78;
constexpr Cycle kCodeWayOut = kLatency / 2;  // of a read of L2; its answer takes the rest

/// Eight lines per L0 in four sets, sixteen in the L1.
InstructionFetchParams small_caches(int prefetch_lines = 0) {
  return {.l0_bytes = 1024,
          .l0_ways = 2,
          .prefetch_lines = prefetch_lines,
          .l1_bytes = 2048,
          .l1_ways = 4,
          .l1_hit_latency_cycles = kLatency,
          .l1_interval_cycles = 2,
          .line_bytes = 128,
          .instructions_per_line = 8,
          .buffer_entries = 3,
          .at_launch = "kept",
          .replacement = "lru"};
}

SmParams with_caches(int prefetch_lines, int buffer_entries = 3) {
  SmParams params = ampere_sm();
  params.instruction_fetch = small_caches(prefetch_lines);
  params.instruction_fetch.buffer_entries = buffer_entries;
  return params;
}

class Fetch : public ::testing::Test {
 protected:
  InstructionFetch& make(int prefetch_lines = 0, std::uint32_t installed = 16) {
    fetch_ = std::make_unique<InstructionFetch>(with_caches(prefetch_lines), 0, root_);
    fetch_->begin_kernel(installed);
    for (std::uint32_t line = 0; line < installed; ++line) fetch_->install(line);
    return *fetch_;
  }

  stats::Group root_{"test"};
  std::unique_ptr<InstructionFetch> fetch_;
};

TEST_F(Fetch, AMissThatTheL1HoldsCostsItsLatencyOnce) {
  InstructionFetch& fetch = make();
  EXPECT_EQ(fetch.need(0, 5, 100), 100 + kLatency);
  EXPECT_EQ(fetch.need(0, 5, 500), 100 + kLatency);
  EXPECT_TRUE(fetch.requests().empty());
}

TEST_F(Fetch, LinesLeaveTheL1OnePerInterval) {
  InstructionFetch& fetch = make();
  EXPECT_EQ(fetch.need(0, 5, 100), 100 + kLatency);
  EXPECT_EQ(fetch.need(1, 6, 101), 102 + kLatency);
  EXPECT_EQ(fetch.need(2, 7, 104), 104 + kLatency);
}

TEST_F(Fetch, ALaunchEmptiesTheCachesWhereTheMachineSaysSo) {
  for (const bool emptied : {false, true}) {
    SmParams params = with_caches(0);
    params.instruction_fetch.at_launch = emptied ? "emptied" : "kept";
    fetch_ = std::make_unique<InstructionFetch>(params, 0, root_);
    fetch_->install(5);
    fetch_->install(6);
    EXPECT_EQ(fetch_->need(0, 5, 100), 100 + kLatency);
    fetch_->begin_kernel(16);
    EXPECT_EQ(fetch_->need(0, 5, 1000), emptied ? kNever : 100 + kLatency);
    EXPECT_EQ(fetch_->need(0, 6, 1010), emptied ? kNever : 1010 + kLatency);
  }
}

TEST_F(Fetch, AMissOfBothReadsTheL2Once) {
  InstructionFetch& fetch = make(0, 0);
  EXPECT_EQ(fetch.need(0, 5, 100), kNever);
  EXPECT_EQ(fetch.need(3, 5, 110), kNever);
  ASSERT_EQ(fetch.requests().size(), 1u);
  EXPECT_EQ(fetch.requests()[0].cycle, 100 + kCodeWayOut);
  fetch.receive(5, 400);
  EXPECT_EQ(fetch.need(0, 5, 400), 400 + kLatency - kCodeWayOut);
  EXPECT_EQ(fetch.need(3, 5, 400), 400 + kLatency - kCodeWayOut);
  EXPECT_EQ(fetch.need(2, 5, 500), 500 + kLatency);  // the L1 has it now
  EXPECT_EQ(counter_at(root_, "instruction_fetch.instruction_l1_misses"), 1u);
}

TEST_F(Fetch, TheStreamBufferRunsAheadOfAMiss) {
  InstructionFetch& fetch = make(2);
  EXPECT_EQ(fetch.need(0, 5, 100), 100 + kLatency);
  EXPECT_EQ(fetch.need(0, 6, 120), 102 + kLatency);
  EXPECT_EQ(fetch.need(0, 7, 300), 300);  // has waited there
  EXPECT_EQ(fetch.need(0, 8, 310), 120 + kLatency > 310 ? 120 + kLatency : 310);
  EXPECT_EQ(counter_at(root_, "instruction_fetch.instruction_stream_hits"), 3u);
}

TEST_F(Fetch, AJumpStartsTheStreamAnew) {
  InstructionFetch& fetch = make(2);
  fetch.need(0, 5, 100);
  EXPECT_EQ(fetch.need(0, 12, 300), 300 + kLatency);
  EXPECT_EQ(fetch.need(0, 6, 600), 600 + kLatency);  // no longer in the buffer
}

TEST_F(Fetch, NothingIsPrefetchedPastTheCode) {
  InstructionFetch& fetch = make(8, 0);
  fetch.begin_kernel(7);
  fetch.need(0, 5, 100);
  ASSERT_EQ(fetch.requests().size(), 2u);
  EXPECT_EQ(fetch.requests()[1].address, memory::kCodeMemory + 6 * 128);
}

TEST_F(Fetch, ALineThatComesFromL2ReachesTheStreamBuffer) {
  InstructionFetch& fetch = make(1, 0);
  fetch.begin_kernel(16);
  fetch.need(0, 5, 100);
  fetch.receive(6, 400);
  EXPECT_EQ(fetch.need(0, 6, 410), 400 + kLatency - kCodeWayOut);
}

TEST_F(Fetch, TheLeastRecentlyUsedLineOfASetLeaves) {
  InstructionFetch& fetch = make();
  fetch.need(0, 0, 100);
  fetch.need(0, 4, 200);
  fetch.need(0, 0, 300);
  fetch.need(0, 8, 400);  // in the place of 4
  EXPECT_EQ(fetch.need(0, 0, 500), 100 + kLatency);
  EXPECT_EQ(fetch.need(0, 4, 600), 600 + kLatency);
}

/// The cycle of the EXIT behind `count` NOPs of one cycle each, code in the L1.
Cycle end_of_nops(int count, const SmParams& params, std::int64_t trips = 1) {
  ProgramBuilder program;
  const int loop = program.begin_loop(0, {trips, {}});
  for (int i = 0; i < count; ++i) program.op(Opcode::kNop);
  program.end_loop(loop);
  program.op(Opcode::kExit);
  SmBench bench(single_warp(program), params);
  for (std::uint32_t line = 0; line < 16; ++line) bench.sm().install_code(line);
  bench.start_cta(0);
  return bench.finish();
}

TEST(InstructionFetchOfAnSm, AWarpStartsWhenItsFirstLineIsThere) {
  ProgramBuilder program;
  program.op(Opcode::kExit);
  SmBench bench(single_warp(program), with_caches(0));
  bench.sm().install_code(0);
  bench.start_cta(0, 10);
  EXPECT_EQ(bench.finish(), 10 + kLatency);
  EXPECT_EQ(bench.reason("instruction_fetch"), static_cast<std::uint64_t>(kLatency));
  EXPECT_EQ(bench.reason("no_warp"), 10u);
}

TEST(InstructionFetchOfAnSm, ReadsWhatNoCacheHoldsFromTheL2) {
  ProgramBuilder program;
  program.op(Opcode::kExit);
  SmBench bench(single_warp(program), with_caches(0));
  bench.start_cta(0);
  EXPECT_EQ(bench.finish(), kLatency + 200);
  ASSERT_EQ(bench.requests().size(), 1u);
  EXPECT_EQ(bench.requests()[0].address, memory::kCodeMemory);
  EXPECT_EQ(bench.requests()[0].sectors, 0xf);
}

TEST(InstructionFetchOfAnSm, WhatIsFetchedAheadHidesSoManyCycles) {
  // The next line is asked for when the instruction issues behind which its first one enters the
  // buffer.
  const Cycle perfect = end_of_nops(14, ampere_sm());
  EXPECT_EQ(end_of_nops(14, with_caches(0, 1)) - perfect, 2 * kLatency - 1);
  EXPECT_EQ(end_of_nops(14, with_caches(0, 2)) - perfect, 2 * kLatency - 2);
  EXPECT_EQ(end_of_nops(14, with_caches(0, 3)) - perfect, 2 * kLatency - 3);
}

TEST(InstructionFetchOfAnSm, StraightCodeFlowsBehindTheFirstMissWithAStreamBuffer) {
  const Cycle perfect = end_of_nops(60, ampere_sm());
  EXPECT_EQ(end_of_nops(60, with_caches(8)) - perfect, kLatency);
  EXPECT_EQ(end_of_nops(60, with_caches(0)) - perfect, kLatency + 7 * (kLatency - 3));
}

TEST(InstructionFetchOfAnSm, ALoopThatFitsIsFetchedOnce) {
  for (const int prefetch : {0, 8}) {
    const Cycle twice = end_of_nops(50, with_caches(prefetch), 2);
    EXPECT_EQ(end_of_nops(50, with_caches(prefetch), 12) - twice,
              end_of_nops(50, ampere_sm(), 12) - end_of_nops(50, ampere_sm(), 2));
  }
}

TEST(InstructionFetchOfAnSm, ALoopBeyondTheL0IsFetchedInEveryTrip) {
  // Twelve lines in sets of two: the oldest is always the next one needed.
  const Cycle more = end_of_nops(94, with_caches(0), 12) - end_of_nops(94, with_caches(0), 2);
  const Cycle perfect = end_of_nops(94, ampere_sm(), 12) - end_of_nops(94, ampere_sm(), 2);
  EXPECT_GE(more - perfect, 10 * 11 * (kLatency - 3));
}

TEST(InstructionFetchOfAnSm, WarpsGoOnThoughCachesOfOneLineHoldOnlyWhatAnotherAsksFor) {
  SmParams params = with_caches(0);
  params.instruction_fetch.l0_bytes = params.instruction_fetch.l1_bytes = 128;
  params.instruction_fetch.l0_ways = params.instruction_fetch.l1_ways = 1;
  ProgramBuilder program;
  for (int i = 0; i < 60; ++i) program.op(Opcode::kNop);
  program.op(Opcode::kExit);
  constexpr int kCtas = 12;  // three warps on each sub-core, at different lines
  SmBench bench(single_warp(program), params, kCtas);
  for (int cta = 0; cta < kCtas; ++cta) bench.start_cta(cta, 70 * cta);
  EXPECT_GT(bench.finish(), 0);
}

TEST(InstructionFetchOfAnSm, WarpsGoOnThoughWhatTheyFetchAheadEvictsTheLineThatTheyWaitFor) {
  SmParams params = with_caches(8);
  params.instruction_fetch.l0_bytes = 128;
  params.instruction_fetch.l0_ways = 1;
  params.instruction_fetch.l1_bytes = 1024;
  params.instruction_fetch.l1_ways = 8;
  params.instruction_fetch.instructions_per_line = 1;
  ProgramBuilder program;
  for (int i = 0; i < 60; ++i) program.op(Opcode::kNop);
  program.op(Opcode::kExit);
  EXPECT_GT(end_of(on_warps(program, {0, 1, 2, 3}), params), 0);
}

}  // namespace
}  // namespace tcsim::sm::test
