#include <gtest/gtest.h>

#include "tests/memory/memory_bench.hpp"

namespace tcsim::memory::test {
namespace {

AtomicLanes lanes(int count, int passes = 1, AtomicClass type = AtomicClass::kInteger32) {
  return {static_cast<std::uint8_t>(count), static_cast<std::uint8_t>(passes), type};
}

/// Latency of an atomic on a sector that the L2 holds, one of `setup`.
Cycle latency_of(const AtomicLanes& atomic, const MemorySetup& setup = {}) {
  MemoryBench bench(setup);
  bench.warm(0);
  const std::uint32_t tag = bench.atomic(bench.now(), 0, atomic);
  bench.settle();
  return bench.latency(tag);
}

TEST(Atomics, OnePassTakesAsLongAsAHit) {
  // The request carries 4 bytes more than a read, within one cycle of the SM's port.
  EXPECT_EQ(latency_of(lanes(1)), kHit);
}

TEST(Atomics, LanesOfOneWordGoOneByOne) {
  EXPECT_EQ(latency_of(lanes(2, 2)), kHit + 1);
  EXPECT_EQ(latency_of(lanes(4, 4)), kHit + 3);
}

TEST(Atomics, LanesOfDifferentWordsGoAtTheRateOfTheUnit) {
  MemorySetup narrow;
  narrow.l2.atomic_lanes_per_cycle = 2;
  narrow.l2.atomic_float_lanes_per_cycle = 1;
  const Cycle wide = latency_of(lanes(8));
  EXPECT_EQ(latency_of(lanes(8), narrow), wide + 3);
  EXPECT_EQ(latency_of(lanes(8, 1, AtomicClass::kFloat), narrow), wide + 7);
  // 32 more bytes of operands take two cycles of the SM's port instead of one, in both.
  const Cycle wide64 = latency_of(lanes(4, 1, AtomicClass::kInteger64));
  EXPECT_EQ(latency_of(lanes(4, 1, AtomicClass::kInteger64), narrow), wide64 + 3);
}

TEST(Atomics, WaitForTheOnesBeforeThemInTheirSlice) {
  MemoryBench bench;
  bench.warm(0);
  bench.warm(line_of_slice(1));
  const Cycle start = bench.now();
  const std::uint32_t slow = bench.atomic(start, 0, lanes(32, 32), 0b0001, LineAccess::kAtomic, 0);
  const std::uint32_t behind = bench.atomic(start + 8, 0, lanes(1), 0b0001, LineAccess::kAtomic, 2);
  const std::uint32_t elsewhere =
      bench.atomic(start + 8, line_of_slice(1), lanes(1), 0b0001, LineAccess::kAtomic, 4);
  bench.settle();
  EXPECT_EQ(bench.latency(elsewhere), kHit);
  EXPECT_GT(bench.latency(behind), kHit + 20);
  EXPECT_LT(bench.arrival(slow), bench.arrival(behind) + 4);
  EXPECT_EQ(bench.sum("l2_atomic_lanes"), 34u);
  EXPECT_EQ(bench.sum("l2_write_bytes"), 4 * 34u);
  EXPECT_EQ(bench.sum("l2_atomic_cycles"), 34u);
}

TEST(Atomics, FetchTheirSectorAndWriteItBack) {
  MemoryBench bench;
  const std::uint32_t tag = bench.atomic(0, 0, lanes(1));
  bench.settle();
  EXPECT_EQ(bench.latency(tag), kMiss);
  EXPECT_EQ(bench.lone_latency(0), kHit);
  for (int n = 1; n <= 4; ++n) bench.warm(line_of_slice(0, 16 * n), 0b0001);  // the other ways
  bench.run_to(bench.now() + 5000);
  EXPECT_EQ(bench.sum("l2_writeback_bytes"), 32u);
}

TEST(Atomics, ReductionsAreAnsweredLikeWrites) {
  MemoryBench bench;
  bench.warm(0);
  const Cycle start = bench.now();
  bench.atomic(start, 0, lanes(1), 0b0001, LineAccess::kReduction);
  EXPECT_FALSE(bench.system().is_quiet());
  bench.settle();
  EXPECT_EQ(bench.arrival(kWriteDone), start + kHit);
}

TEST(Atomics, GoToTheHomeSliceAndDropTheCopies) {
  MemorySetup setup;
  setup.l2.partitions = 2;
  MemoryBench bench(setup);
  constexpr int kFarSm = 4;
  bench.warm(0, 0b0001, kFarSm);
  EXPECT_EQ(bench.lone_latency(0, 0b0001, kFarSm), kHit);
  const std::uint32_t tag =
      bench.atomic(bench.now(), 0, lanes(1), 0b0001, LineAccess::kAtomic, kFarSm);
  bench.settle();
  EXPECT_GT(bench.latency(tag), kHit);
  EXPECT_EQ(bench.at("l2_slice[0].l2_atomic_lanes"), 1u);
  EXPECT_GT(bench.lone_latency(0, 0b0001, kFarSm), kHit);
}

}  // namespace
}  // namespace tcsim::memory::test
