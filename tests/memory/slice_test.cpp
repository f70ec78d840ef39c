#include <gtest/gtest.h>

#include "tests/memory/memory_bench.hpp"

namespace tcsim::memory::test {
namespace {

TEST(L2Slice, FetchesOnlyTheSectorsAskedFor) {
  MemoryBench bench;
  bench.warm(0, 0b0001);
  EXPECT_EQ(bench.sum("l2_misses"), 1u);
  EXPECT_EQ(bench.at("channel[0].reads"), 1u);
  EXPECT_EQ(bench.lone_latency(0, 0b0001), kHit);
  EXPECT_GT(bench.lone_latency(0, 0b0010), kHit);  // another sector of the same line misses
  EXPECT_EQ(bench.sum("l2_hits"), 1u);
  EXPECT_EQ(bench.sum("l2_misses"), 2u);
  EXPECT_EQ(bench.at("channel[0].reads"), 2u);
}

TEST(L2Slice, FetchesOnlyWhatIsMissing) {
  MemoryBench bench;
  bench.warm(0, 0b0101);
  bench.warm(0, 0b1111);
  EXPECT_EQ(bench.at("channel[0].reads"), 4u);
  EXPECT_EQ(bench.sum("l2_hits"), 2u);
  EXPECT_EQ(bench.sum("l2_misses"), 4u);
  EXPECT_EQ(bench.sum("l2_read_bytes"), 6u * 32);
}

TEST(L2Slice, AMissWithLtc128bBringsTheRestOfItsLine) {
  MemoryBench bench;
  const std::uint32_t tag = bench.read_with_line(0, 0, 0b0001);
  bench.settle();
  EXPECT_EQ(bench.arrival(tag), kMiss);  // the read does not wait for the rest
  EXPECT_EQ(bench.sum("l2_misses"), 1u);
  EXPECT_EQ(bench.sum("l2_prefetches"), 3u);
  EXPECT_EQ(bench.at("channel[0].reads"), 4u);
  EXPECT_EQ(bench.lone_latency(0, 0b0110), kHit);
  EXPECT_EQ(bench.lone_latency(0, 0b1000), kHit);
  EXPECT_EQ(bench.at("channel[0].reads"), 4u);
}

TEST(L2Slice, AHitWithLtc128bFetchesNothing) {
  MemoryBench bench;
  bench.warm(0, 0b0001);
  bench.read_with_line(10'000, 0, 0b0001);
  bench.settle();
  EXPECT_EQ(bench.sum("l2_prefetches"), 0u);
  EXPECT_EQ(bench.at("channel[0].reads"), 1u);
}

TEST(L2Slice, SectorsUnderWayAreNotFetchedAgainByLtc128b) {
  MemoryBench bench;
  bench.read(0, 0, 0b0010);
  bench.read_with_line(1, 0, 0b0001);
  bench.read(2, 0, 0b0100);
  bench.settle();
  EXPECT_EQ(bench.sum("l2_prefetches"), 2u);
  EXPECT_EQ(bench.at("channel[0].reads"), 4u);
}

TEST(L2Slice, ReadsOfASectorUnderWayShareItsFetch) {
  MemoryBench bench;
  const std::uint32_t first = bench.read(0, 0, 0b0001, 0);
  const std::uint32_t second = bench.read(100, 0, 0b0001, 1);
  bench.settle();
  EXPECT_EQ(bench.at("channel[0].reads"), 1u);
  EXPECT_EQ(bench.arrival(first), kMiss);
  EXPECT_LE(bench.arrival(second), kMiss + 1);
}

TEST(L2Slice, SharedFetchesAreAnsweredInTheOrderOfTheReads) {
  // Four readers of a whole line from one port: two cycles apart at the slice, the first one first.
  MemoryBench bench;
  std::vector<std::uint32_t> tags;
  tags.reserve(4);
  for (int sm = 0; sm < 4; ++sm) tags.push_back(bench.read(sm, 0, 0b1111, sm));
  bench.settle();
  for (std::size_t i = 1; i < tags.size(); ++i)
    EXPECT_EQ(bench.arrival(tags[i]) - bench.arrival(tags[i - 1]), 2) << i;
}

TEST(L2Slice, AReadWaitsForAllItsSectors) {
  MemoryBench bench;
  const std::uint32_t one = bench.read(0, 0, 0b0001, 0);
  const std::uint32_t two = bench.read(50, 0, 0b0011, 1);
  bench.settle();
  EXPECT_EQ(bench.arrival(one), kMiss);
  EXPECT_GE(bench.arrival(two),
            kMiss + 50 - 15);  // its second sector hits the open row, 50 cycles later
  EXPECT_LE(bench.arrival(two), kMiss + 50 + 4);
}

TEST(L2Slice, MissEntriesBoundTheLinesUnderWay) {
  MemorySetup setup;
  setup.l2.miss_entries = 2;
  MemoryBench bench(setup);
  std::vector<std::uint32_t> tags;
  tags.reserve(4);
  for (int n = 0; n < 4; ++n) tags.push_back(bench.read(0, line_of_slice(0, n)));
  const std::uint32_t elsewhere = bench.read(0, line_of_slice(1));
  bench.settle();
  EXPECT_EQ(bench.sum("l2_blocked"), 2u);
  EXPECT_LT(bench.arrival(tags[1]), kMiss + 50);
  EXPECT_GT(bench.arrival(tags[2]), kMiss + 200);   // starts when the first is back at the slice
  EXPECT_LT(bench.arrival(elsewhere), kMiss + 50);  // other slices go on
}

TEST(L2Slice, HitsWaitBehindABlockedRead) {
  MemorySetup setup;
  setup.l2.miss_entries = 1;
  MemoryBench bench(setup);
  bench.warm(line_of_slice(0, 8));
  const Cycle start = bench.now();
  bench.read(start, line_of_slice(0, 0));
  bench.read(start, line_of_slice(0, 2));
  const std::uint32_t hit = bench.read(start, line_of_slice(0, 8));
  bench.settle();
  EXPECT_GT(bench.latency(hit), kMiss - 20);
}

TEST(L2Slice, WritesAllocateWithoutFetching) {
  MemoryBench bench;
  bench.write(0, 0, 0b1111);
  bench.run_to(1000);
  EXPECT_EQ(bench.at("channel[0].reads"), 0u);
  EXPECT_EQ(bench.sum("l2_write_bytes"), 128u);
  EXPECT_EQ(bench.lone_latency(0, 0b1111), kHit + 2);
  EXPECT_EQ(bench.sum("l2_hits"), 4u);
}

TEST(L2Slice, PartlyWrittenSectorsAreFetchedWhenRead) {
  MemoryBench bench;
  bench.write(0, 0, 0b0011, 0b0010);  // sector 0 whole, sector 1 in part
  bench.run_to(1000);
  EXPECT_EQ(bench.lone_latency(0, 0b0001), kHit);
  EXPECT_GT(bench.lone_latency(0, 0b0010), kHit);
  EXPECT_EQ(bench.at("channel[0].reads"), 1u);
  EXPECT_EQ(bench.lone_latency(0, 0b0010), kHit);
}

TEST(L2Slice, AWholeWriteCompletesAPartlyWrittenSector) {
  MemoryBench bench;
  bench.write(0, 0, 0b0001, 0b0001);
  bench.write(10, 0, 0b0001, 0);
  bench.run_to(1000);
  EXPECT_EQ(bench.lone_latency(0, 0b0001), kHit);
  EXPECT_EQ(bench.at("channel[0].reads"), 0u);
}

TEST(L2Slice, ReplacesTheLeastRecentlyUsedLine) {
  MemoryBench bench;
  for (int n = 0; n < kWays; ++n) bench.warm(same_set(n));
  EXPECT_EQ(bench.lone_latency(same_set(0)), kHit);  // now 1 is the oldest
  bench.warm(same_set(kWays));
  EXPECT_EQ(bench.lone_latency(same_set(0)), kHit);
  EXPECT_EQ(bench.lone_latency(same_set(2)), kHit);
  EXPECT_EQ(bench.lone_latency(same_set(3)), kHit);
  EXPECT_GT(bench.lone_latency(same_set(1)), kHit);
}

TEST(L2Slice, HoldsAllItsLines) {
  MemoryBench bench;
  for (int n = 0; n < kWays * kSets; ++n) bench.warm(line_of_slice(5, n), 0b0001);
  for (int n = 0; n < kWays * kSets; ++n)
    ASSERT_EQ(bench.lone_latency(line_of_slice(5, n)), kHit) << n;
}

TEST(L2Slice, DirtySectorsGoToDramWhenTheirLineIsReplaced) {
  MemoryBench bench;
  bench.write(0, same_set(0), 0b0101, 0b0100);
  bench.run_to(500);
  for (int n = 1; n <= kWays; ++n) bench.warm(same_set(n), 0b0001);
  bench.run_to(bench.now() + 5000);
  EXPECT_EQ(bench.sum("l2_writeback_bytes"), 2u * 32);
  EXPECT_EQ(bench.at("channel[0].writes"), 2u);
  EXPECT_EQ(bench.at("channel[0].reads"), 4u);
  EXPECT_GT(bench.lone_latency(same_set(0)), kHit);
}

TEST(L2Slice, AnswersAWriteThatItHasTaken) {
  MemoryBench bench;
  bench.write(0, 0, 0b1111);
  EXPECT_FALSE(bench.system().is_quiet());
  bench.settle();
  // 128 B and a header of 8 take 5 cycles at the SM's port, 3 at the TPC's; the answer is a header.
  EXPECT_EQ(bench.arrival(kWriteDone), kHit + 4 + 2);
}

TEST(L2Slice, AWriteWaitsWhileTooManyDirtySectorsGoToDram) {
  MemorySetup setup;
  setup.l2.miss_entries = 4;  // sectors of one line
  MemoryBench bench(setup);
  for (int n = 0; n < kWays; ++n) bench.write(0, same_set(n), 0b1111);
  bench.run_to(1000);
  bench.write(1000, same_set(kWays), 0b1111);      // drives the first line out
  bench.write(1000, same_set(kWays + 1), 0b1111);  // waits for that
  bench.settle();
  EXPECT_EQ(bench.sum("l2_blocked"), 1u);
  EXPECT_GT(bench.arrival(kWriteDone), 1000 + kHit + 200);
  bench.run_to(bench.now() + 5000);
  EXPECT_EQ(bench.sum("l2_writeback_bytes"), 2u * 128);
}

TEST(L2Slice, CleanLinesVanishSilently) {
  MemoryBench bench;
  for (int n = 0; n < 10; ++n) bench.warm(same_set(n));
  bench.run_to(bench.now() + 5000);
  EXPECT_EQ(bench.sum("l2_writeback_bytes"), 0u);
  EXPECT_EQ(bench.at("channel[0].writes"), 0u);
}

TEST(L2Slice, ASetWhoseLinesAreAllUnderWayBlocks) {
  MemoryBench bench;
  std::vector<std::uint32_t> tags;
  for (int n = 0; n <= kWays; ++n) tags.push_back(bench.read(0, same_set(n)));
  bench.settle();
  EXPECT_EQ(bench.sum("l2_blocked"), 1u);
  EXPECT_GT(bench.arrival(tags.back()), kMiss + 200);
}

TEST(L2Slice, ChannelsAreSharedOrSplitEvenly) {
  for (const int channels : {2, 8, 16}) {
    MemorySetup setup;
    setup.dram.channels = channels;
    MemoryBench bench(setup);
    for (int slice = 0; slice < 8; ++slice)
      for (int n = 0; n < 8; ++n) bench.warm(line_of_slice(slice, n), 0b0001);
    for (int channel = 0; channel < channels; ++channel)
      EXPECT_EQ(bench.at("channel[" + std::to_string(channel) + "].reads"),
                64u / static_cast<unsigned>(channels))
          << "channel " << channel << " of " << channels;
  }
}

}  // namespace
}  // namespace tcsim::memory::test
