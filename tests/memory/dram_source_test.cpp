#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/memory/memory_bench.hpp"

namespace tcsim::memory::test {
namespace {

/// A line in the i-th row of one bank of the channel of slice 0, in a set of its own.
std::uint64_t line_of_bank(int i) {
  constexpr int kLinesPerRow = 8;
  constexpr int kBanks = 16;
  return line_of_slice(0, i * kBanks * kLinesPerRow + i);
}

/// How many of six reads of SM 1, each in another row of a bank, are answered before one of SM 2
/// that leaves after them.
std::ptrdiff_t answered_before_the_last(const char* scheduling) {
  MemorySetup setup;
  setup.dram.address_mapping = "row_bank_column";
  setup.dram.scheduling = scheduling;
  MemoryBench bench(setup);
  std::vector<std::uint32_t> reads;
  for (int i = 0; i < 6; ++i) reads.push_back(bench.read(i, line_of_bank(i), 1, 1));
  const std::uint32_t last = bench.read(6, line_of_bank(6), 1, 2);
  bench.settle();
  return std::count_if(reads.begin(), reads.end(),
                       [&](std::uint32_t tag) { return bench.arrival(tag) < bench.arrival(last); });
}

TEST(DramSource, OfAReadIsTheSmThatAsks) {
  EXPECT_EQ(answered_before_the_last("fcfs"), 6);
  EXPECT_EQ(answered_before_the_last("fr_fcfs"), 6);
  // The first read is a batch of its own; in the next SM 2 waits for least.
  EXPECT_EQ(answered_before_the_last("par_bs"), 1);
}

}  // namespace
}  // namespace tcsim::memory::test
