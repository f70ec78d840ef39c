#include <gtest/gtest.h>

#include <algorithm>

#include "models/sm/load_store/queue.hpp"
#include "tests/sm/sm_bench.hpp"

namespace tcsim::sm::test {
namespace {

TEST(MemoryQueueObject, PutsOneAfterTheOtherThroughTheAddressUnit) {
  MemoryQueue queue(/*capacity=*/3, /*address_interval_cycles=*/4);
  EXPECT_EQ(queue.head_ready(), kNever);
  queue.push(7, 10);
  queue.push(8, 11);
  EXPECT_EQ(queue.front(), 7);
  EXPECT_EQ(queue.head_ready(), 14);
  queue.pop(14, 21);
  EXPECT_EQ(queue.front(), 8);
  EXPECT_EQ(queue.head_ready(), 18) << "four cycles behind the one before";
  queue.push(9, 12);
  queue.pop(30, 37);
  EXPECT_EQ(queue.head_ready(), 31) << "the address unit has held the one before until it left";
  queue.pop(31, 38);
  EXPECT_TRUE(queue.is_empty());
  EXPECT_EQ(queue.head_ready(), kNever);
}

TEST(MemoryQueueObject, HasRoomWhenSourcesHaveBeenRead) {
  MemoryQueue queue(/*capacity=*/2, /*address_interval_cycles=*/4);
  EXPECT_EQ(queue.room_at(), 0);
  queue.push(0, 0);
  EXPECT_EQ(queue.room_at(), 0);
  queue.push(1, 1);
  EXPECT_TRUE(queue.is_full());
  EXPECT_EQ(queue.room_at(), kNever) << "depends on when the head leaves";
  queue.pop(4, 11);
  EXPECT_EQ(queue.room_at(), 11);
  queue.pop(8, 15);
  EXPECT_EQ(queue.room_at(), 11) << "one entry is free then";
  queue.push(2, 11);
  EXPECT_EQ(queue.room_at(), 15);
}

/// `count` conflict-free loads of 32 bits, then EXIT.
ProgramBuilder loads(int count) {
  ProgramBuilder program;
  for (int i = 0; i < count; ++i) program.shared(Opcode::kLds32, per_lane(4)).dst(4).src(2);
  program.op(Opcode::kExit);
  return program;
}

TEST(MemoryQueue, FiveInstructionsIssueBackToBack) { EXPECT_EQ(end_of(loads(5)), 5); }

TEST(MemoryQueue, TheSixthWaitsForAnEntry) {
  // An entry is free again when its instruction has read its sources: 11 cycles after the first
  // issue.
  EXPECT_EQ(end_of(loads(6)), 11 + 1);
  EXPECT_EQ(end_of(loads(7)), 15 + 1);
}

TEST(MemoryQueue, HoldsAsManyAsTheMachineSays) {
  // The address unit takes a load every 20 cycles, which has read its sources a cycle later. A load
  // issues when the one that many entries (and the dispatch latch) before it has.
  constexpr Cycle kInterval = 20;
  for (const int entries : {1, 4, 31, 32, 33, 64, 256}) {
    SmParams params = ampere_sm();
    params.memory_queue.entries = entries;
    params.memory_queue.address_interval_cycles = kInterval;
    params.shared_memory.load_latency_cycles = 100;
    const int count = 3 * entries;
    Cycle issued = -1;
    for (int load = 0; load < count; ++load) {
      const int freed = load - (entries + 1);
      issued = std::max(issued + 1, freed < 0 ? 0 : kInterval * (freed + 1) + 1);
    }
    EXPECT_EQ(end_of(loads(count), params), issued + 1) << entries;
  }
}

TEST(MemoryQueue, WaitingForItIsChargedToIt) {
  SmBench bench(single_warp(loads(6)));
  bench.start_cta(0);
  bench.finish();
  EXPECT_EQ(bench.reason("memory_queue_full"), 6u);
  EXPECT_EQ(bench.reason("issued"), 7u);
}

TEST(MemoryQueue, LeavesOtherInstructionsAlone) {
  ProgramBuilder program;
  for (int i = 0; i < 5; ++i) program.shared(Opcode::kLds32, per_lane(4)).dst(4).src(2);
  program.op(Opcode::kFfma);
  program.op(Opcode::kExit);
  EXPECT_EQ(end_of(program), 6);
}

/// Cycles between two loads of one sub-core in the steady state, `sub_cores` of them loading.
Cycle steady_gap(int sub_cores, int bytes_per_cycle) {
  SmParams params = ampere_sm();
  params.l1.bytes_per_cycle = bytes_per_cycle;
  const auto end = [&](int count) {
    std::vector<int> programs;
    for (int i = 0; i < sub_cores; ++i) programs.push_back(0);
    return end_of(make_launch({loads(count).program()}, programs), params);
  };
  constexpr int kMore = 40;
  const Cycle gap = (end(20 + kMore) - end(20)) / kMore;
  EXPECT_EQ(end(20 + kMore) - end(20), gap * kMore);
  return gap;
}

TEST(MemoryQueue, SteadyGapOnADataPathOf128Bytes) {
  // The address unit of each sub-core binds; the pipeline takes one load per cycle (RRZE on A100).
  for (const int sub_cores : {1, 2, 3, 4}) EXPECT_EQ(steady_gap(sub_cores, 128), 4) << sub_cores;
}

TEST(MemoryQueue, SteadyGapOnADataPathOf64Bytes) {
  // 4, 4, 6, 8 for 1, 2, 3, 4 sub-cores on GA10x (HUE25): the pipeline takes a load every two
  // cycles.
  EXPECT_EQ(steady_gap(1, 64), 4);
  EXPECT_EQ(steady_gap(2, 64), 4);
  EXPECT_EQ(steady_gap(3, 64), 6);
  EXPECT_EQ(steady_gap(4, 64), 8);
}

TEST(MemoryQueue, ConflictsHoldThePipelineForTheirWavefronts) {
  // Eight ways: one load per eight cycles from one sub-core, per 32 from four that take turns.
  const auto end = [](int count, std::initializer_list<int> warps) {
    ProgramBuilder program;
    const Expression eight_ways{0, {{Variable::kLane, 4, 8, 0}, {Variable::kLane, 128, 1, 8}}};
    for (int i = 0; i < count; ++i) program.shared(Opcode::kLds32, eight_ways).dst(4).src(2);
    program.op(Opcode::kExit);
    return end_of(on_warps(program, warps));
  };
  EXPECT_EQ(end(40, {0}) - end(20, {0}), 20 * 8);
  EXPECT_EQ(end(40, {0, 1, 2, 3}) - end(20, {0, 1, 2, 3}), 20 * 32);
}

TEST(MemoryQueue, WideLoadsAreBoundByTheReturnPath) {
  // 512 bytes over 64 bytes per cycle: a result every 8 cycles, behind a data path of 4.
  const auto end = [](int count) {
    ProgramBuilder program;
    for (int i = 0; i < count; ++i)
      program.shared(Opcode::kLds128, per_lane(16)).dst(4).src(2).writes(0);
    program.op(Opcode::kExit).waits(0);
    return end_of(program);
  };
  EXPECT_EQ(end(20) - end(10), 10 * 8);
}

}  // namespace
}  // namespace tcsim::sm::test
