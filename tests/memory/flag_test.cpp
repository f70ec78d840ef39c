#include <gtest/gtest.h>

#include "tests/memory/memory_bench.hpp"

namespace tcsim::memory::test {
namespace {

constexpr int kWord = 3;

TEST(Flags, HoldWhatReductionsHaveAdded) {
  MemoryBench bench;
  bench.warm(0);
  bench.raise(bench.now(), 0, kWord, 1);
  bench.settle();
  bench.raise(bench.now(), 0, kWord, 2);
  bench.settle();
  const std::uint32_t raised = bench.read_flag(bench.now(), 0, kWord);
  const std::uint32_t other = bench.read_flag(bench.now(), 0, kWord + 1);
  bench.settle();
  EXPECT_EQ(bench.flag(raised), 3u);
  EXPECT_EQ(bench.flag(other), 0u);
  bench.raise(bench.now(), 0, kWord, -3);
  bench.settle();
  const std::uint32_t again = bench.read_flag(bench.now(), 0, kWord);
  bench.settle();
  EXPECT_EQ(bench.flag(again), 0u);
}

TEST(Flags, AReadSeesWhatReachedTheSliceBeforeIt) {
  for (const int delay : {-40, -1, 1, 40}) {
    MemoryBench bench;
    bench.warm(0);
    const Cycle start = bench.now() + 100;
    std::uint32_t tag = 0;
    if (delay < 0) tag = bench.read_flag(start + delay, 0, kWord, 2);
    bench.raise(start, 0, kWord, 1, 0);
    if (delay > 0) tag = bench.read_flag(start + delay, 0, kWord, 2);
    bench.settle();
    EXPECT_EQ(bench.flag(tag), delay > 0 ? 1u : 0u) << delay;
  }
}

TEST(Flags, AreReadInTheirHomeSliceFromBothPartitions) {
  MemorySetup setup;
  setup.l2.partitions = 2;
  setup.l2.crossing_latency_cycles = setup.l2.hit_latency_cycles + 100;
  MemoryBench bench(setup);
  // A copy of the line lies in the other partition before the flag is raised.
  bench.warm(0, 0b1111, 0);
  bench.warm(0, 0b1111, 7);
  bench.raise(bench.now(), 0, kWord, 1, 0);
  bench.settle();
  const Cycle start = bench.now();
  const std::uint32_t near = bench.read_flag(start, 0, kWord, 0);
  const std::uint32_t far = bench.read_flag(start, 0, kWord, 7);
  bench.settle();
  EXPECT_EQ(bench.flag(near), 1u);
  EXPECT_EQ(bench.flag(far), 1u);
  EXPECT_GT(std::max(bench.latency(near), bench.latency(far)),
            std::min(bench.latency(near), bench.latency(far)) + 50);
}

}  // namespace
}  // namespace tcsim::memory::test
