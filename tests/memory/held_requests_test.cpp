#include <gtest/gtest.h>

#include "tests/memory/memory_bench.hpp"

namespace tcsim::memory::test {
namespace {

/// A chip whose slices fetch one line at a time while another request waits.
MemorySetup narrow_slices() {
  MemorySetup setup;
  setup.l2.miss_entries = 1;
  setup.l2.queue_entries = 1;
  return setup;
}

TEST(HeldRequests, SmsTakeTurnsWhateverEachHasUnderWay) {
  MemoryBench bench(narrow_slices());
  std::vector<std::uint32_t> many;
  for (int n = 0; n < 6; ++n) many.push_back(bench.read(n, line_of_slice(0, n), 1, 0));
  const std::uint32_t one = bench.read(6, line_of_slice(0, 6), 1, 1);
  bench.settle();
  // Before it: the one that is fetched, the one that waits, one of its neighbour's turn.
  EXPECT_GT(bench.arrival(one), bench.arrival(many[2]));
  EXPECT_LT(bench.arrival(one), bench.arrival(many[3]));
}

TEST(HeldRequests, WaitInOrderWhateverSliceTheyWant) {
  MemoryBench bench(narrow_slices());
  std::vector<std::uint32_t> busy;
  for (int n = 0; n < 4; ++n) busy.push_back(bench.read(n, line_of_slice(0, n)));
  const std::uint32_t idle_slice = bench.read(4, line_of_slice(1));
  const std::uint32_t of_another_sm = bench.read(4, line_of_slice(2), 1, 1);
  bench.settle();
  // The last busy one is let in when the second goes to DRAM.
  EXPECT_GT(bench.arrival(idle_slice), bench.arrival(busy[1]));
  EXPECT_LT(bench.arrival(of_another_sm), bench.arrival(busy[1]));
}

TEST(HeldRequests, ALongQueueHoldsNobody) {
  MemorySetup setup = narrow_slices();
  setup.l2.queue_entries = 16;
  MemoryBench bench(setup);
  std::vector<std::uint32_t> many;
  for (int n = 0; n < 6; ++n) many.push_back(bench.read(n, line_of_slice(0, n), 1, 0));
  const std::uint32_t one = bench.read(6, line_of_slice(0, 6), 1, 1);
  bench.settle();
  EXPECT_GT(bench.arrival(one), bench.arrival(many[5]));
}

}  // namespace
}  // namespace tcsim::memory::test
