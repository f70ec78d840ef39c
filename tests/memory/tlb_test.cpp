#include "models/memory/tlb.hpp"

#include <gtest/gtest.h>

#include <vector>

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

TEST_F(SmallTlb, CountsWalksThatTakeNoTime) {
  TlbParams params = small_tlb();
  params.walk_latency_cycles = 0;
  stats::Group root("quick");
  Tlb tlb(params, make_topology(2, {4, 4}), root);
  tlb.install(0, kPage);
  (void)tlb.delay(0, 0, 0);
  (void)tlb.delay(0, 7 * kPage, 0);
  EXPECT_EQ(counter_at(root, "tlb.tlb_walks"), 1u);
}

TEST_F(SmallTlb, BelongsToTheSmsOfATpc) {
  tlb_.install(7 * kPage, kPage);
  EXPECT_EQ(delay(0, 7, 100), kMissLatency);
  EXPECT_EQ(delay(1, 7, 200), 0);
  EXPECT_EQ(delay(2, 7, 200), kMissLatency);
}

TEST_F(SmallTlb, ARequestForAPageUnderWayWaitsForItAndOthersDoNot) {
  tlb_.install(0, kPage);
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
  for (std::uint64_t page = 0; page < 5; ++page) tlb_.install(page * kPage, kPage);
  for (std::uint64_t page = 0; page < 4; ++page) delay(0, page, 100);
  EXPECT_EQ(delay(0, 0, 1000), 0);
  EXPECT_EQ(delay(0, 4, 1001), kMissLatency);  // takes the place of page 1
  EXPECT_EQ(delay(0, 0, 2000), 0);
  EXPECT_EQ(delay(0, 1, 2001), kMissLatency);
}

TEST_F(SmallTlb, TheLeastRecentlyUsedPageOfTheChipGoes) {
  for (std::uint64_t page = 0; page < 9; ++page) tlb_.install(page * kPage, kPage);
  EXPECT_EQ(delay(0, 8, 100), kMissLatency);
  EXPECT_EQ(delay(0, 0, 1000), kWalk + kMissLatency);
}

TEST_F(SmallTlb, OfMorePagesThanItHoldsTheChipKeepsTheLast) {
  tlb_.install(0, 100 * kPage);
  for (std::uint64_t page = 92; page < 100; ++page) EXPECT_EQ(delay(0, page, 100), kMissLatency);
  EXPECT_EQ(delay(0, 91, 200), kWalk + kMissLatency);
}

TEST_F(SmallTlb, PagesThatABufferTouchesWithSingleBytesCount) {
  tlb_.install(7 * kPage - 1, kPage + 2);
  for (std::uint64_t page = 6; page < 9; ++page) EXPECT_EQ(delay(0, page, 100), kMissLatency);
  EXPECT_EQ(delay(0, 9, 200), kWalk + kMissLatency);
}

// Page by page this takes hours.
TEST(LargeTlb, TakesAllPhysicalAddressesAtOnce) {
  TlbParams params = small_tlb();
  params.page_bytes = 4096;
  params.chip_entries = 4096;
  stats::Group root("test");
  Tlb tlb(params, make_topology(2, {4, 4}), root);
  for (int buffer = 0; buffer < 100; ++buffer) tlb.install(0, std::uint64_t{1} << kPhysicalBits);
  EXPECT_EQ(tlb.delay(0, (std::uint64_t{1} << kPhysicalBits) - 1, 0), kMissLatency);
}

/// What Tlb is to keep, searched for entry by entry.
class SearchedPages {
 public:
  explicit SearchedPages(std::size_t capacity) : capacity_(capacity) {}
  bool use(std::uint64_t page) {
    const bool held = std::erase(pages_, page) > 0;
    if (!held && pages_.size() == capacity_) pages_.erase(pages_.begin());
    pages_.push_back(page);
    return held;
  }

 private:
  std::size_t capacity_;
  std::vector<std::uint64_t> pages_;  ///< the oldest first
};

TEST_F(SmallTlb, HoldsTheSamePagesAsASearch) {
  constexpr std::size_t kTpcEntries = 4;
  constexpr std::size_t kChipEntries = 8;
  SearchedPages tpc(kTpcEntries);
  SearchedPages chip(kChipEntries);
  std::uint64_t random = 1;
  for (Cycle now = 0; now < 10'000'000; now += 1000) {
    random = random * 6364136223846793005 + 1442695040888963407;
    const std::uint64_t page = (random >> 33) % 12;
    const bool in_tpc = tpc.use(page);
    const Cycle expected = in_tpc ? 0 : (chip.use(page) ? 0 : kWalk) + kMissLatency;
    ASSERT_EQ(delay(0, page, now), expected) << now;
  }
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
