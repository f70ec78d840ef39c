#include <gtest/gtest.h>

#include "tests/memory/memory_bench.hpp"

namespace tcsim::memory::test {
namespace {

constexpr std::uint64_t kLine = 128;

/// Sets of four lines, of which two may be dirty.
MemorySetup half_dirty() {
  MemorySetup setup;
  setup.l2.dirty_ways = kWays / 2;
  return setup;
}

void let_dram_write(MemoryBench& bench) { bench.run_to(bench.now() + 5000); }

TEST(Cleaning, TheOldestDirtyLineOfASetGoesToDramAndStays) {
  MemoryBench bench(half_dirty());
  for (int n = 0; n < 3; ++n) bench.write(Cycle{100} * n, same_set(n), 0b1111);
  let_dram_write(bench);
  EXPECT_EQ(bench.sum("l2_writeback_bytes"), kLine);
  EXPECT_EQ(bench.at("channel[0].writes"), 4u);
  const Cycle hit = bench.lone_latency(same_set(2));
  EXPECT_EQ(bench.lone_latency(same_set(0)), hit);
}

TEST(Cleaning, UpToThatNoLineMoves) {
  MemoryBench bench(half_dirty());
  for (int n = 0; n < 2; ++n) bench.write(Cycle{100} * n, same_set(n), 0b1111);
  bench.write(300, same_set(0), 0b1111);          // dirty already
  bench.write(400, line_of_slice(0), 0b1111);     // the same line
  bench.write(500, line_of_slice(0, 1), 0b1111);  // another set
  let_dram_write(bench);
  EXPECT_EQ(bench.sum("l2_writeback_bytes"), 0u);
}

TEST(Cleaning, TheLeastRecentlyUsedOneIsTheOldest) {
  MemoryBench bench(half_dirty());
  bench.write(0, same_set(0), 0b1111);
  bench.write(100, same_set(1), 0b0011);
  bench.write(200, same_set(0), 0b1111);
  bench.write(300, same_set(2), 0b1111);
  let_dram_write(bench);
  EXPECT_EQ(bench.sum("l2_writeback_bytes"), kLine / 2);
}

TEST(Cleaning, ACleanedLineLeavesSilently) {
  MemoryBench bench(half_dirty());
  for (int n = 0; n < kWays; ++n) bench.write(Cycle{100} * n, same_set(n), 0b1111);
  let_dram_write(bench);
  ASSERT_EQ(bench.sum("l2_writeback_bytes"), 2 * kLine);
  for (int n = 0; n < 2; ++n) bench.warm(same_set(kWays + n));
  let_dram_write(bench);
  EXPECT_EQ(bench.sum("l2_writeback_bytes"), 2 * kLine);
}

TEST(Cleaning, LinesThatMayNotGoAtTheEndOfARunGoInTheNext) {
  MemoryBench first(half_dirty());
  first.system().let_clean(false);
  for (int n = 0; n < kWays; ++n) first.write(Cycle{100} * n, same_set(n), 0b1111);
  let_dram_write(first);
  EXPECT_EQ(first.sum("l2_writeback_bytes"), 0u);

  MemoryBench second(half_dirty());
  second.system().restore(first.system().lines());
  second.read(0, same_set(0));  // anything that comes
  let_dram_write(second);
  EXPECT_EQ(second.sum("l2_writeback_bytes"), 2 * kLine);

  first.system().let_clean(true);
  first.read(first.now(), same_set(0));
  let_dram_write(first);
  EXPECT_EQ(first.sum("l2_writeback_bytes"), 2 * kLine);
}

TEST(Cleaning, AsManySectorsAreUnderWayAsDramMayTake) {
  MemorySetup setup = half_dirty();
  setup.l2.miss_entries = 4;  // sectors of one line
  MemoryBench bench(setup);
  for (int n = 0; n < kWays; ++n) bench.write(n, same_set(n), 0b1111);
  bench.settle();
  EXPECT_EQ(bench.sum("l2_writeback_bytes"), kLine);
  EXPECT_EQ(bench.sum("l2_blocked"), 0u);
  let_dram_write(bench);
  EXPECT_EQ(bench.sum("l2_writeback_bytes"), 2 * kLine);
}

TEST(Cleaning, WritesOfABurstFindRoomWhileDramIsBehind) {
  // As L2Slice.AWriteWaitsWhileTooManyDirtySectorsGoToDram, but cleaned before.
  MemorySetup setup = half_dirty();
  setup.l2.miss_entries = 4;
  MemoryBench bench(setup);
  for (int n = 0; n < kWays; ++n) bench.write(0, same_set(n), 0b1111);
  let_dram_write(bench);
  for (int n = 0; n < 2; ++n) bench.write(bench.now(), same_set(kWays + n), 0b1111);
  bench.settle();
  EXPECT_EQ(bench.sum("l2_blocked"), 0u);
}

TEST(Cleaning, WaitsWhileDirtyLinesAreDrivenOut) {
  MemorySetup setup = half_dirty();
  setup.l2.miss_entries = 4;  // sectors of one line
  MemoryBench bench(setup);
  // The first is cleaned; the others find DRAM busy and drive each other out.
  for (int n = 0; n < kWays + 2; ++n) bench.write(n, same_set(n), 0b1111);
  bench.settle();
  const std::uint64_t busy = bench.sum("l2_writeback_bytes");
  bench.run_to(bench.now() + 200);
  EXPECT_EQ(bench.sum("l2_writeback_bytes"), busy);
  // Half of the set is dirty when it has been quiet and anything comes.
  bench.run_to(bench.now() + 1000);
  for (int n = 0; n < 4; ++n) {
    bench.read(bench.now(), line_of_slice(0, 1));
    let_dram_write(bench);
  }
  EXPECT_EQ(bench.sum("l2_writeback_bytes"), kWays * kLine);
}

TEST(Cleaning, APartlyWrittenSectorIsFetchedAfterwards) {
  MemoryBench bench(half_dirty());
  bench.write(0, same_set(0), 0b0001, 0b0001);
  for (int n = 1; n < 3; ++n) bench.write(Cycle{100} * n, same_set(n), 0b1111);
  let_dram_write(bench);
  ASSERT_EQ(bench.sum("l2_writeback_bytes"), kLine / 4);
  bench.lone_latency(same_set(0));
  EXPECT_EQ(bench.at("channel[0].reads"), 1u);
}

TEST(Cleaning, WhatAnEarlierRunLeftIsCleanedAsWell) {
  MemoryBench bench(half_dirty());
  for (int n = 0; n < kWays; ++n) bench.system().install(same_set(n), /*dirty=*/true);
  for (int n = 0; n < kWays; ++n) bench.warm(same_set(kWays + n));
  let_dram_write(bench);
  EXPECT_EQ(bench.sum("l2_writeback_bytes"), 2 * kLine);
}

}  // namespace
}  // namespace tcsim::memory::test
