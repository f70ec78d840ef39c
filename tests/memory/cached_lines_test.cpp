#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/memory/memory_bench.hpp"

namespace tcsim::memory::test {
namespace {

MemorySetup two_sides() {
  MemorySetup setup;
  setup.l2.partitions = 2;
  return setup;
}

/// Reads and writes some lines of both sides of the die.
std::vector<CachedLine> used_lines(MemoryBench& bench) {
  for (int i = 0; i < 40; ++i)
    bench.read(1000 * (i + 1), 128U * static_cast<unsigned>(7 * i), 0b1011, i % 8);
  for (int i = 0; i < 20; ++i)
    bench.write(60'000 + 1000 * i, 128U * static_cast<unsigned>(7 * i + 3), 0b0110, 0, i % 8);
  bench.settle();
  return bench.system().lines();
}

TEST(CachedLines, AreTheSameInASecondSystem) {
  MemoryBench first(two_sides());
  const std::vector<CachedLine> lines = used_lines(first);
  EXPECT_TRUE(std::ranges::any_of(lines, [](const auto& line) { return line.copy_side >= 0; }));
  EXPECT_TRUE(std::ranges::any_of(lines, [](const auto& line) { return line.dirty != 0; }));
  MemoryBench second(two_sides());
  second.system().restore(lines);
  EXPECT_EQ(second.system().lines(), lines);
}

TEST(CachedLines, AreDirtyWhereTheySaySo) {
  MemoryBench bench(two_sides());
  std::vector<CachedLine> wanted = used_lines(bench);
  std::erase_if(wanted, [](const auto& line) { return line.dirty == 0; });
  ASSERT_FALSE(wanted.empty());
  EXPECT_THAT(bench.system().dirty_lines(), ::testing::UnorderedElementsAreArray(wanted));
}

TEST(CachedLines, AnswerReadsAsBefore) {
  MemoryBench first(two_sides());
  const std::vector<CachedLine> lines = used_lines(first);
  MemoryBench second(two_sides());
  second.system().restore(lines);
  MemoryBench third(two_sides());
  third.warm(0);
  EXPECT_EQ(second.lone_latency(0), third.lone_latency(0));
}

TEST(CachedLines, LeaveTheOldestOutWhereASetIsFull) {
  MemorySetup setup;
  MemoryBench bench(setup);
  std::vector<CachedLine> lines;
  const std::int64_t all = setup.l2.bytes / setup.l2.line_bytes;
  for (std::int64_t i = 0; i < 2 * all; ++i)
    lines.push_back({static_cast<std::uint64_t>(i * setup.l2.line_bytes), 0b1111, 0, -1});
  bench.system().restore(lines);
  const std::vector<CachedLine> kept = bench.system().lines();
  EXPECT_LE(kept.size(), static_cast<std::size_t>(all));
  EXPECT_EQ(kept.back().address, lines.back().address);
}

}  // namespace
}  // namespace tcsim::memory::test
