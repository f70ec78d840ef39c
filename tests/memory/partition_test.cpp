#include <gtest/gtest.h>

#include <algorithm>

#include "tests/memory/memory_bench.hpp"

namespace tcsim::memory::test {
namespace {

constexpr int kNearSm = 0;  // GPC 0 sits with slices 0 to 3, GPC 1 with 4 to 7
constexpr int kFarSm = 4;

MemorySetup two_partitions() {
  MemorySetup setup;
  setup.l2.partitions = 2;
  return setup;
}

TEST(Partitions, LinesOfTheOwnSideHitWithoutCrossing) {
  MemoryBench bench(two_partitions());
  bench.warm(line_of_slice(0), 0b0001, kNearSm);
  EXPECT_EQ(bench.lone_latency(line_of_slice(0), 0b0001, kNearSm), kHit);
  EXPECT_EQ(bench.sum("l2_crossings"), 0u);
}

TEST(Partitions, TheFirstFarAccessCrossesAndLeavesACopy) {
  MemoryBench bench(two_partitions());
  bench.warm(line_of_slice(0), 0b0001, kNearSm);
  const Cycle far = bench.lone_latency(line_of_slice(0), 0b0001, kFarSm);
  EXPECT_EQ(bench.sum("l2_crossings"), 1u);
  EXPECT_EQ(bench.lone_latency(line_of_slice(0), 0b0001, kFarSm), kHit);  // from the copy
  EXPECT_EQ(bench.sum("l2_crossings"), 1u);
  EXPECT_EQ(far, kHit + 160);
}

TEST(Partitions, CrossingTakesAtLeastACycleInEachDirection) {
  for (const int latency : {0, 63, 65, 66}) {
    MemorySetup setup = two_partitions();
    setup.l2.crossing_latency_cycles = latency;
    MemoryBench bench(setup);
    bench.warm(line_of_slice(0), 0b0001, kNearSm);
    EXPECT_EQ(bench.lone_latency(line_of_slice(0), 0b0001, kFarSm),
              kHit + std::max(setup.l2.hit_latency_cycles + 2, latency / 2 * 2))
        << latency;
  }
}

TEST(Partitions, CopiesHoldOnlyTheSectorsFetched) {
  MemoryBench bench(two_partitions());
  bench.warm(line_of_slice(0), 0b1111, kNearSm);
  bench.warm(line_of_slice(0), 0b0001, kFarSm);
  EXPECT_EQ(bench.lone_latency(line_of_slice(0), 0b0001, kFarSm), kHit);
  EXPECT_GT(bench.lone_latency(line_of_slice(0), 0b0010, kFarSm), kHit);
  EXPECT_EQ(bench.sum("l2_crossings"), 2u);
}

TEST(Partitions, AFarMissReadsDramOnce) {
  MemoryBench bench(two_partitions());
  bench.warm(line_of_slice(0), 0b0001, kFarSm);
  EXPECT_EQ(bench.at("channel[0].reads"), 1u);
  EXPECT_EQ(bench.lone_latency(line_of_slice(0), 0b0001, kNearSm),
            kHit);  // the home slice has it, too
  EXPECT_EQ(bench.lone_latency(line_of_slice(0), 0b0001, kFarSm), kHit);
}

TEST(Partitions, AFarMissWithLtc128bFillsTheHomeAndCopiesWhatWasAskedFor) {
  MemoryBench bench(two_partitions());
  bench.read_with_line(0, line_of_slice(0), 0b0001, kFarSm);
  bench.settle();
  EXPECT_EQ(bench.at("channel[0].reads"), 4u);
  EXPECT_EQ(bench.sum("l2_crossings"), 1u);
  EXPECT_EQ(bench.at("l2_slice[0].l2_prefetches"), 3u);
  EXPECT_EQ(bench.lone_latency(line_of_slice(0), 0b0010, kNearSm), kHit);
  EXPECT_EQ(bench.lone_latency(line_of_slice(0), 0b0010, kFarSm), kHit + 160);
}

TEST(Partitions, APrefetchLeavesACopyWhereItIsAskedForAndBringsNoData) {
  MemoryBench bench(two_partitions());
  bench.prefetch(0, line_of_slice(0), 0b0001, kFarSm);
  bench.settle();
  EXPECT_EQ(bench.at("channel[0].reads"), 1u);
  EXPECT_EQ(bench.sum("l2_crossings"), 1u);
  EXPECT_EQ(bench.sum("l2_read_bytes"), 0u);
  EXPECT_EQ(bench.lone_latency(line_of_slice(0), 0b0001, kFarSm), kHit);
  EXPECT_EQ(bench.lone_latency(line_of_slice(0), 0b0001, kNearSm), kHit);
  EXPECT_EQ(bench.at("channel[0].reads"), 1u);
}

TEST(Partitions, HitsAndMissesCountForTheSliceThatTheSmAsked) {
  MemoryBench bench(two_partitions());
  bench.warm(line_of_slice(0), 0b0001, kFarSm);
  EXPECT_EQ(bench.at("l2_slice[4].l2_misses"), 1u);
  EXPECT_EQ(bench.at("l2_slice[0].l2_misses"), 0u);
  EXPECT_EQ(bench.sum("l2_read_bytes"), 32u);
}

TEST(Partitions, AWriteDropsTheCopies) {
  MemoryBench bench(two_partitions());
  bench.warm(line_of_slice(0), 0b0011, kFarSm);
  bench.write(bench.now(), line_of_slice(0), 0b0001, 0, kNearSm);
  bench.run_to(bench.now() + 500);
  EXPECT_EQ(bench.lone_latency(line_of_slice(0), 0b0010, kFarSm), kHit);  // not written
  EXPECT_GT(bench.lone_latency(line_of_slice(0), 0b0001, kFarSm), kHit);
  EXPECT_EQ(bench.at("channel[0].reads"), 2u);  // the new data came from the home slice
}

TEST(Partitions, AWriteInNoTimeDropsTheCopies) {
  MemoryBench bench(two_partitions());
  bench.warm(line_of_slice(0), 0b0011, kFarSm);
  bench.system().warm_written(line_of_slice(0), 0b0001);
  EXPECT_EQ(bench.lone_latency(line_of_slice(0), 0b0010, kFarSm), kHit);  // not written
  EXPECT_GT(bench.lone_latency(line_of_slice(0), 0b0001, kFarSm), kHit);
}

TEST(Partitions, AFarWriteGoesToTheHomeSlice) {
  MemoryBench bench(two_partitions());
  bench.write(0, line_of_slice(0), 0b1111, 0, kFarSm);
  bench.run_to(1000);
  EXPECT_EQ(bench.at("l2_slice[0].l2_write_bytes"), 128u);
  EXPECT_EQ(bench.at("l2_slice[4].l2_write_bytes"), 0u);
  EXPECT_EQ(bench.lone_latency(line_of_slice(0), 0b0001, kNearSm), kHit);
}

TEST(Partitions, CrossingDataShareTheirWidth) {
  MemorySetup setup = two_partitions();
  setup.l2.crossing_bytes_per_cycle = 16;
  MemoryBench bench(setup);
  for (int slice = 0; slice < 4; ++slice) bench.warm(line_of_slice(slice), 0b1111, kNearSm);
  const Cycle start = bench.now();
  std::vector<std::uint32_t> tags;
  tags.reserve(4);
  for (int slice = 0; slice < 4; ++slice)
    tags.push_back(bench.read(start, line_of_slice(slice), 0b1111, kFarSm + slice % 4));
  bench.settle();
  Cycle first = kNever;
  Cycle last = 0;
  for (const std::uint32_t tag : tags) {
    first = std::min(first, bench.arrival(tag));
    last = std::max(last, bench.arrival(tag));
  }
  EXPECT_NEAR(static_cast<double>(last - first), 3 * 128.0 / 16, 2);
}

TEST(Partitions, TwoSlicesThatFetchFromEachOtherDoNotLockUp) {
  MemorySetup setup = two_partitions();
  setup.l2.miss_entries = 1;
  MemoryBench bench(setup);
  std::vector<std::uint32_t> tags;
  for (int n = 0; n < 40; ++n) {
    tags.push_back(bench.read(n, line_of_slice(0, n), 0b1111, kFarSm));
    tags.push_back(bench.read(n, line_of_slice(4, n), 0b1111, kFarSm));
    tags.push_back(bench.read(n + 0, line_of_slice(4, n + 40), 0b1111, kFarSm + 1));
  }
  bench.settle();
  for (const std::uint32_t tag : tags) EXPECT_TRUE(bench.has_arrived(tag));
}

}  // namespace
}  // namespace tcsim::memory::test
