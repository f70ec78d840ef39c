#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/memory/memory_bench.hpp"

namespace tcsim::memory::test {
namespace {

TEST(L2Latency, AHitTakesNetworkAndSlice) {
  MemoryBench bench;
  bench.warm(0);
  EXPECT_EQ(bench.lone_latency(0), kHit);
}

TEST(L2Latency, AMissAddsControllerAndDram) {
  MemoryBench bench;
  EXPECT_EQ(bench.lone_latency(0), kMiss);
}

TEST(L2Latency, ASectorOfTwoBurstsIsThereWithTheSecond) {
  MemorySetup setup;
  setup.dram.burst_length_beats = 2;  // 16 bytes
  setup.dram.t_ccd_s_clocks = setup.dram.t_ccd_l_clocks = 10;
  MemoryBench bench(setup);
  constexpr Cycle kOneBeatPairLess = 1;
  EXPECT_EQ(bench.lone_latency(0), kMiss - kOneBeatPairLess + 10);
}

TEST(L2Latency, EverySectorOfALineOfEightComesFromDram) {
  MemorySetup setup;
  setup.l2.line_bytes = 256;
  setup.l2.interleave_bytes = 512;
  MemoryBench bench(setup);
  const std::uint32_t all = bench.read(0, 0, 0b11111111);
  bench.settle();
  EXPECT_GE(bench.latency(all), kMiss);
  EXPECT_EQ(bench.lone_latency(0, 0b10000000), kHit);
}

TEST(L2Latency, MoreSectorsTakeTheirPortCycles) {
  MemoryBench bench;
  bench.warm(0);
  EXPECT_EQ(bench.lone_latency(0, 0b0011), kHit);  // 64 bytes pass slice and SM port in one cycle
  EXPECT_EQ(bench.lone_latency(0, 0b0111), kHit + 1 + 1);  // a second cycle at each
  EXPECT_EQ(bench.lone_latency(0, 0b1111), kHit + 1 + 1);
}

TEST(L2Latency, IsTheSameFromEverySmAndSliceWithoutASpread) {
  MemoryBench bench;
  for (int slice = 0; slice < 8; ++slice) bench.warm(line_of_slice(slice));
  for (int sm = 0; sm < 8; ++sm)
    for (int slice = 0; slice < 8; ++slice)
      EXPECT_EQ(bench.lone_latency(line_of_slice(slice), 1, sm), kHit)
          << "SM " << sm << ", slice " << slice;
}

TEST(L2Latency, LargestQuantumIsTheShortestRoundTrip) {
  EXPECT_EQ(MemoryBench().system().largest_quantum(), kHit);
  MemorySetup setup;
  setup.clocks = {1590, 1410, 1215};
  EXPECT_EQ(MemoryBench(setup).system().largest_quantum(), kHit * 1590 / 1410);
}

TEST(L2Latency, FollowsTheL2Clock) {
  MemorySetup setup;
  setup.clocks = {1590, 1410, 1215};
  MemoryBench bench(setup);
  const Cycle start = bench.warm(0);
  for (Cycle later = 0; later < 20; ++later) {
    // To the next L2 edge, 152 L2 cycles, to the next SM edge: 171.4 SM cycles and less than two
    // more.
    bench.run_to(start + 1000 * (later + 1) + later);
    const Cycle latency = bench.lone_latency(0);
    EXPECT_GE(latency, 172);
    EXPECT_LE(latency, 173);
  }
}

TEST(L2Latency, OneRequestPerCycleEntersASlice) {
  MemoryBench bench;
  bench.warm(0);
  const Cycle start = bench.now();
  std::vector<std::uint32_t> tags;
  for (int sm = 0; sm < 8; ++sm) tags.push_back(bench.read(start, 0, 0b0001, sm));
  bench.settle();
  for (int sm = 0; sm < 8; ++sm)
    EXPECT_EQ(bench.latency(tags[static_cast<std::size_t>(sm)]), kHit + sm);
}

/// Cycles from the first to the last arrival of `reads` hits of four sectors; `line` and `sm`
/// choose where from.
template <typename Line, typename SmOf>
Cycle span_of_hits(const MemorySetup& setup, int reads, Line line, SmOf sm_of) {
  MemoryBench bench(setup);
  for (int slice = 0; slice < 8; ++slice)
    for (int n = 0; n < 4; ++n) bench.warm(line_of_slice(slice, n));
  const Cycle start = bench.now();
  std::vector<std::uint32_t> tags;
  for (int i = 0; i < reads; ++i)
    tags.push_back(bench.read(start + i / 8, line(i), 0b1111, sm_of(i)));
  bench.settle();
  Cycle first = kNever;
  Cycle last = 0;
  for (const std::uint32_t tag : tags) {
    first = std::min(first, bench.arrival(tag));
    last = std::max(last, bench.arrival(tag));
  }
  return last - first;
}

std::uint64_t any_slice(int i) { return line_of_slice(i % 8, i / 8 % 4); }

TEST(L2Bandwidth, OneSmTakes64BytesPerCycle) {
  const Cycle span = span_of_hits({}, 201, any_slice, [](int) { return 0; });
  EXPECT_EQ(span, 200 * 128 / 64);
}

TEST(L2Bandwidth, OneSliceGives64BytesPerCycle) {
  const Cycle span = span_of_hits(
      {}, 201, [](int i) { return line_of_slice(3, i % 4); }, [](int i) { return i % 8; });
  EXPECT_EQ(span, 200 * 128 / 64);
}

TEST(L2Bandwidth, OneGpcTakesWhatItsPortTakes) {
  MemorySetup setup;
  setup.noc.gpc_read_bytes_per_cycle = 96;
  const Cycle span = span_of_hits(setup, 1201, any_slice, [](int i) { return i % 4; });
  EXPECT_NEAR(static_cast<double>(span), 1200 * 128.0 / 96, 4);
  // Two GPCs have two ports.
  const Cycle both = span_of_hits(setup, 1201, any_slice, [](int i) { return i % 8; });
  EXPECT_NEAR(static_cast<double>(both), 1200 * 128.0 / 192, 8);
}

TEST(L2Bandwidth, WritesOfOneSmPassItsRequestPort) {
  // Each write takes (8 + 128) / 32 cycles of the SM's port; a read behind them shows when they
  // have left.
  MemoryBench bench;
  bench.warm(0);
  const Cycle start = bench.now();
  for (int i = 0; i < 40; ++i) bench.write(start, line_of_slice(1 + i % 7, i / 7));
  const std::uint32_t behind = bench.read(start, 0);
  bench.settle();
  EXPECT_NEAR(static_cast<double>(bench.latency(behind) - kHit), 40 * 136.0 / 32, 4);
}

/// Keeps the tags that it is told.
class RecordingObserver : public Observer {
 public:
  void sent(std::uint16_t, std::uint32_t tag, Cycle, Cycle) override { of_sent.push_back(tag); }
  void looked_up(std::uint16_t, std::uint32_t tag, Cycle) override { of_looked_up.push_back(tag); }
  void found(std::uint16_t, std::uint32_t tag, Cycle, Cycle) override { of_found.push_back(tag); }

  std::vector<std::uint32_t> of_sent;
  std::vector<std::uint32_t> of_looked_up;
  std::vector<std::uint32_t> of_found;
};

TEST(MemoryObserver, HearsOfReadsAndAtomicsAlone) {
  MemoryBench bench;
  RecordingObserver observer;
  bench.system().attach(observer);
  bench.read(0, 0);
  bench.settle();
  bench.prefetch(bench.now(), line_of_slice(1));
  bench.write(bench.now(), line_of_slice(2));
  bench.atomic(bench.now(), 0, {1, 1}, 0b0001, LineAccess::kReduction);
  bench.settle();
  bench.atomic(bench.now(), 0, {1, 1});
  bench.settle();
  const auto tags = ::testing::ElementsAre(0U, 1U);
  EXPECT_THAT(observer.of_sent, tags);
  EXPECT_THAT(observer.of_looked_up, tags);
  EXPECT_THAT(observer.of_found, tags);
}

}  // namespace
}  // namespace tcsim::memory::test
