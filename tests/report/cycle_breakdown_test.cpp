#include "sim/report/cycle_breakdown.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace tcsim::report {
namespace {

stats::Scope scope_with(const std::vector<std::uint64_t>& cycles) {
  stats::Scope scope{"sub_core", 1, {}, {}};
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    scope.counters.push_back({"cycles_reason_" + std::to_string(i), "cycles", "", cycles[i], 0, 0});
  }
  return scope;
}

std::vector<int> tenths_of(const std::vector<std::uint64_t>& cycles) {
  const auto sum = std::accumulate(cycles.begin(), cycles.end(), std::uint64_t{0});
  std::vector<int> tenths;
  for (const CycleShare& share : cycle_breakdown(scope_with(cycles), static_cast<Cycle>(sum))) {
    tenths.push_back(share.tenths);
  }
  return tenths;
}

TEST(CycleBreakdown, RoundsSoThatSharesAddUpToOneHundredPercent) {
  EXPECT_EQ(tenths_of({1, 1, 1}), (std::vector<int>{334, 333, 333}));
  EXPECT_EQ(tenths_of({1, 5}), (std::vector<int>{167, 833}));
  EXPECT_EQ(tenths_of({9999, 1}), (std::vector<int>{1000, 0}));
}

TEST(CycleBreakdown, GivesTheMissingTenthToTheLargestRemainder) {
  EXPECT_EQ(tenths_of({1002, 1008, 7990}), (std::vector<int>{100, 101, 799}));
}

TEST(CycleBreakdown, NamesReasonsWithoutPrefixAndIgnoresOtherCounters) {
  stats::Scope scope = scope_with({10});
  scope.counters.push_back({"warp_instructions", "instructions", "", 99, 0, 0});
  const auto shares = cycle_breakdown(scope, 10);
  ASSERT_EQ(shares.size(), 1u);
  EXPECT_EQ(shares[0].reason, "reason_0");
  EXPECT_EQ(shares[0].label, "reason 0");
}

TEST(CycleBreakdown, OfNoCyclesHasNoShares) {
  EXPECT_EQ(tenths_of({0, 0}), (std::vector<int>{0, 0}));
}

}  // namespace
}  // namespace tcsim::report
