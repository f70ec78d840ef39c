#include <gtest/gtest.h>

#include <set>

#include "tests/memory/memory_bench.hpp"

namespace tcsim::memory::test {
namespace {

constexpr Cycle kLong = 1000;  // after which nothing is under way

constexpr Cycle kWindow = 300;

/// GPC 0 has SMs 0 to 3, GPC 1 the others.
MemorySetup with_coalescer(int entries = 16, int merges = 4) {
  MemorySetup setup;
  setup.noc.coalescer_entries = entries;
  setup.noc.coalescer_merges = merges;
  setup.noc.coalescer_window_cycles = kWindow;
  return setup;
}

/// A read as TMA makes it; tag.
std::uint32_t read(MemoryBench& bench, Cycle cycle, std::uint64_t address, int sectors, int sm) {
  return bench.read(cycle, address, sectors, sm, true);
}

TEST(Coalescer, JoinsReadsOfALine) {
  MemoryBench bench(with_coalescer());
  const Cycle quiet = bench.warm(0) + kLong;
  const std::uint64_t before = bench.sum("l2_read_bytes");
  const std::uint32_t first = read(bench, quiet, 0, 0b1111, 0);
  const std::uint32_t second = read(bench, quiet + 10, 0, 0b0110, 4);
  bench.settle();
  EXPECT_EQ(bench.sum("l2_read_bytes") - before, 128u) << "the slice reads the line once";
  EXPECT_EQ(bench.at("coalescer.l2_coalesced"), 2u);
  EXPECT_EQ(bench.latency(first), kHit + 2) << "128 bytes take two cycles at two ports";
  EXPECT_EQ(bench.latency(second), kHit) << "no sooner than a hit of its own";
}

TEST(Coalescer, AReadThatJoinsAMissWaitsForIt) {
  MemoryBench bench(with_coalescer());
  const std::uint32_t first = read(bench, 0, 0, 0b0001, 0);
  const std::uint32_t second = read(bench, 200, 0, 0b0001, 3);
  bench.settle();
  EXPECT_EQ(bench.latency(first), kMiss);
  EXPECT_EQ(bench.arrival(second), bench.arrival(first));
}

TEST(Coalescer, OthersDoNotJoin) {
  MemoryBench bench(with_coalescer());
  const Cycle quiet = bench.warm(0) + kLong;
  read(bench, quiet, 0, 0b0011, 0);
  bench.read(quiet + 1, 0, 0b0001, 3);     // an ordinary load
  read(bench, quiet + 1, 0, 0b0111, 1);    // wants more
  read(bench, quiet + 2, 128, 0b0001, 2);  // another line
  const Cycle late = bench.settle() + kLong;
  read(bench, late, 0, 0b0001, 1);  // the answer has left
  bench.settle();
  EXPECT_EQ(bench.at("coalescer.l2_coalesced"), 0u);
}

TEST(Coalescer, AnswersSoManySmsAtMost) {
  MemoryBench bench(with_coalescer(16, 3));
  const Cycle quiet = bench.warm(0) + kLong;
  for (int i = 0; i < 4; ++i) read(bench, quiet + i, 0, 0b0001, i);
  bench.settle();
  EXPECT_EQ(bench.at("coalescer.l2_coalesced"), 2u) << "the fourth reads the line again";
}

TEST(Coalescer, ReadsJoinInAWindowThatTheFirstOpens) {
  MemorySetup setup = with_coalescer();
  setup.noc.coalescer_window_cycles = 10;
  MemoryBench bench(setup);
  const Cycle quiet = bench.warm(0) + kLong;
  for (const int after : {0, 5, 10, 11, 20}) read(bench, quiet + after, 0, 0b0001, 0);
  bench.settle();
  EXPECT_EQ(bench.at("coalescer.l2_coalesced"), 3u) << "the fourth opens another window";
}

TEST(Coalescer, FollowsSoManyLines) {
  MemoryBench bench(with_coalescer(2));
  for (int line = 0; line < 3; ++line) read(bench, 0, line_of_slice(0, line), 0b0001, 0);
  for (int line = 0; line < 3; ++line) read(bench, 100, line_of_slice(0, line), 0b0001, 1);
  bench.settle();
  EXPECT_EQ(bench.at("coalescer.l2_coalesced"), 2u);
}

/// Cycles in which all SMs of GPC 0 read the same lines.
Cycle shared_read(const MemorySetup& setup) {
  constexpr int kLines = 64;
  MemoryBench bench(setup);
  Cycle quiet = 0;
  for (int line = 0; line < kLines; ++line)
    quiet = bench.warm(128 * static_cast<std::uint64_t>(line)) + kLong;
  for (int line = 0; line < kLines; ++line)
    for (int sm = 0; sm < 4; ++sm)
      read(bench, quiet + line, 128 * static_cast<std::uint64_t>(line), 0b1111, sm);
  Cycle last = 0;
  bench.settle();
  for (std::uint32_t tag = kLines; tag < 5 * kLines; ++tag)
    last = std::max(last, bench.arrival(tag));
  return last - quiet;
}

TEST(Coalescer, TheSliceGivesALineOnce) {
  MemorySetup setup = with_coalescer(1024);
  setup.noc.sm_read_bytes_per_cycle = 128;
  setup.noc.gpc_read_bytes_per_cycle = 1024;
  setup.l2.bytes_per_cycle_per_slice = 4;
  const Cycle coalesced = shared_read(setup);
  setup.noc.coalescer_entries = 0;
  const Cycle apart = shared_read(setup);
  EXPECT_GT(apart - kHit, 3 * (coalesced - kHit));
}

TEST(Coalescer, EveryAnswerTakesTheGpcsPort) {
  MemorySetup setup = with_coalescer(1024);
  setup.noc.sm_read_bytes_per_cycle = 128;
  setup.noc.gpc_read_bytes_per_cycle = 128;
  setup.l2.bytes_per_cycle_per_slice = 128;
  const Cycle cycles = shared_read(setup);
  EXPECT_GT(cycles, kHit + 4 * 64 - 10);
  EXPECT_LT(cycles, kHit + 4 * 64 + 10);
}

TEST(Coalescer, EveryAnswerTakesThePortOfItsTpc) {
  MemorySetup setup = with_coalescer(1024);
  setup.noc.sm_read_bytes_per_cycle = 128;
  setup.noc.gpc_read_bytes_per_cycle = 1024;
  setup.noc.tpc_read_bytes_per_cycle = 128;  // for two SMs
  setup.l2.bytes_per_cycle_per_slice = 128;
  const Cycle cycles = shared_read(setup);
  EXPECT_GT(cycles, kHit + 2 * 64 - 10);
  EXPECT_LT(cycles, kHit + 2 * 64 + 10);
}

}  // namespace
}  // namespace tcsim::memory::test
