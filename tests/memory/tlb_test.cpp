#include "models/memory/tlb.hpp"

#include <gtest/gtest.h>

#include "tests/memory/memory_bench.hpp"

namespace tcsim::memory::test {
namespace {

constexpr std::uint64_t kPage = 65536;
constexpr Cycle kMissLatency = 9;
constexpr Cycle kWalk = 500;

class SmallTlb : public ::testing::Test {
 protected:
  Cycle delay(int sm, std::uint64_t page, Cycle now) { return tlb_.delay(sm, page * kPage, now); }

  stats::Group root_{"test"};
  Tlb tlb_{small_tlb(), make_topology(2, {4, 4}), root_};
};

TEST_F(SmallTlb, AFirstUseWalksAndASecondOneCostsNothing) {
  EXPECT_EQ(delay(0, 7, 100), kWalk + kMissLatency);
  EXPECT_EQ(delay(0, 7, 1000), 0);
  EXPECT_EQ(counter_at(root_, "tlb.tlb_misses"), 1u);
  EXPECT_EQ(counter_at(root_, "tlb.tlb_walks"), 1u);
}

TEST_F(SmallTlb, BelongsToTheSmsOfATpc) {
  tlb_.install(7 * kPage);
  EXPECT_EQ(delay(0, 7, 100), kMissLatency);
  EXPECT_EQ(delay(1, 7, 200), 0);
  EXPECT_EQ(delay(2, 7, 200), kMissLatency);
}

TEST_F(SmallTlb, ARequestForAPageUnderWayWaitsForItAndOthersDoNot) {
  tlb_.install(0);
  delay(0, 0, 0);
  EXPECT_EQ(delay(0, 7, 100), kWalk + kMissLatency);
  EXPECT_EQ(delay(0, 0, 101), 0);
  EXPECT_EQ(delay(0, 7, 100 + kWalk), kMissLatency);
  EXPECT_EQ(delay(0, 7, 100 + kWalk + kMissLatency - 1), 1);
  EXPECT_EQ(delay(0, 7, 100 + kWalk + kMissLatency), 0);
}

TEST_F(SmallTlb, TheChipWaitsForOneWalkOfAPage) {
  EXPECT_EQ(delay(0, 7, 100), kWalk + kMissLatency);
  EXPECT_EQ(delay(4, 7, 200), kWalk - 100 + kMissLatency);
  EXPECT_EQ(counter_at(root_, "tlb.tlb_walks"), 1u);
}

TEST_F(SmallTlb, TheLeastRecentlyUsedPageOfATpcGoes) {
  for (std::uint64_t page = 0; page < 5; ++page) tlb_.install(page * kPage);
  for (std::uint64_t page = 0; page < 4; ++page) delay(0, page, 100);
  EXPECT_EQ(delay(0, 0, 1000), 0);
  EXPECT_EQ(delay(0, 4, 1001), kMissLatency);  // takes the place of page 1
  EXPECT_EQ(delay(0, 0, 2000), 0);
  EXPECT_EQ(delay(0, 1, 2001), kMissLatency);
}

TEST_F(SmallTlb, TheLeastRecentlyUsedPageOfTheChipGoes) {
  for (std::uint64_t page = 0; page < 9; ++page) tlb_.install(page * kPage);
  EXPECT_EQ(delay(0, 8, 100), kMissLatency);
  EXPECT_EQ(delay(0, 0, 1000), kWalk + kMissLatency);
}

TEST(Translation, DelaysTheRequestsOfAPageThatTheTpcLacks) {
  MemorySetup setup;
  setup.tlb = small_tlb();
  MemoryBench bench(setup);
  bench.system().install_pages(0, 2 * kPage);
  bench.warm(0);
  bench.warm(kPage);
  const Cycle hit = bench.lone_latency(0);
  for (std::uint64_t page = 2; page < 6; ++page) bench.warm(page * kPage + 256 * page, 0b0001);
  EXPECT_EQ(bench.lone_latency(0), hit + kMissLatency);
  EXPECT_EQ(bench.lone_latency(0), hit);
}

TEST(Translation, OfCodeAndConstantsCostsNothing) {
  MemorySetup setup;
  setup.tlb = small_tlb();
  MemoryBench bench(setup);
  bench.warm(kCodeMemory);
  EXPECT_EQ(bench.at("tlb.tlb_misses"), 0u);
}

}  // namespace
}  // namespace tcsim::memory::test
