#include "models/energy/clock_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace tcsim::energy {
namespace {

constexpr int kBoostMhz = 1410;
constexpr double kLimitW = 400;
constexpr double kConstantW = 54;

/// A run: what it draws at a clock, and how much of that DRAM takes.
struct Load {
  std::function<double(double ratio)> dynamic_w;
  std::function<double(double ratio)> dram_w;
};

struct Found {
  int clock_mhz = 0;
  double power_w = 0;
  int runs = 0;
};

Found search(const Load& load, int first_mhz = kBoostMhz, double limit_w = kLimitW) {
  ClockSearch clock_search(kBoostMhz, {.power_w = limit_w});
  Found found{first_mhz, 0, 0};
  for (;;) {
    const double ratio = static_cast<double>(found.clock_mhz) / kBoostMhz;
    const double fixed_w = kConstantW + load.dram_w(ratio);
    found.power_w = fixed_w + load.dynamic_w(ratio);
    ++found.runs;
    const auto next = clock_search.next({found.clock_mhz, found.power_w, fixed_w, kConstantW});
    if (!next || found.runs == 100) return found;
    EXPECT_GE(*next, 1);
    EXPECT_LE(*next, kBoostMhz);
    found.clock_mhz = *next;
  }
}

std::function<double(double)> power_law(double watts, double exponent) {
  return [=](double ratio) { return watts * std::pow(ratio, exponent); };
}

/// Products follow the cube of the clock, what waits for DRAM its square.
TEST(ClockSearch, EndsAtOrJustBelowTheLimitInAFewRuns) {
  for (double watts = 250; watts < 1500; watts += 7)
    for (const double dram_w : {0.0, 20.0, 200.0})
      for (const double exponent : {2.0, 2.6, 3.0, 3.4})
        for (const double dram_exponent : {0.0, 1.0}) {
          const Found found =
              search({power_law(watts, exponent), power_law(dram_w, dram_exponent)});
          EXPECT_LE(found.power_w, kLimitW);
          EXPECT_LE(found.runs, 6) << watts << " W, exponent " << exponent;
          if (found.clock_mhz < kBoostMhz) {
            EXPECT_GE(found.power_w, 0.98 * kLimitW);
          }
        }
}

TEST(ClockSearch, OneRunSuffices) {
  EXPECT_EQ(search({power_law(300, 3), power_law(20, 1)}).runs, 1);  // within the limit
  EXPECT_EQ(search({power_law(346, 3), power_law(0, 1)}).runs, 1);   // at it
}

TEST(ClockSearch, ClimbsFromAClockThatIsTooLow) {
  const Load load{power_law(500, 3), power_law(20, 1)};
  for (const int first_mhz : {300, 1000, 1240}) {
    const Found found = search(load, first_mhz);
    EXPECT_LE(found.power_w, kLimitW);
    EXPECT_GE(found.power_w, 0.98 * kLimitW);
    EXPECT_LE(found.runs, 4);
  }
  EXPECT_EQ(search({power_law(100, 3), power_law(0, 1)}, 900).clock_mhz, kBoostMhz);
}

/// The rounds of CTAs fall otherwise at another clock: power jumps by 6 %.
TEST(ClockSearch, DoesNotEndAboveAJump) {
  const Load load{[](double ratio) { return 500 * ratio * ratio * (ratio > 0.8 ? 1.06 : 1.0); },
                  power_law(0, 1)};
  for (int first_mhz = 1000; first_mhz <= kBoostMhz; first_mhz += 10)
    EXPECT_LE(search(load, first_mhz).power_w, kLimitW) << first_mhz;
}

TEST(ClockSearch, SlowsDramDownWhereThatDrawsTooMuch) {
  const Load load{power_law(100, 3), [](double ratio) { return 450 * std::min(1.0, 1.5 * ratio); }};
  const Found found = search(load);
  EXPECT_LE(found.power_w, kLimitW);
  EXPECT_GE(found.power_w, 0.97 * kLimitW);
}

/// DRAM binds above the kink: the power hardly depends on the clock there, and strongly below.
TEST(ClockSearch, DrawsTheLimitOnBothSidesOfAKink) {
  for (const double kink : {0.1, 0.2, 0.3, 0.6})
    for (const double exponent : {0.3, 2.0}) {
      const auto rate = [=](double ratio) { return std::min(1.0, ratio / kink); };
      const Load load{[=](double ratio) {
                        return (100 * rate(ratio) + 60 * ratio) * std::pow(ratio, exponent);
                      },
                      [=](double ratio) { return 400 * rate(ratio); }};
      Found lower;
      for (double limit_w = 250; limit_w < 700; limit_w *= 1.03) {
        SCOPED_TRACE(testing::Message() << "kink at " << kink << ", exponent " << exponent
                                        << ", limit " << limit_w << " W");
        const Found found = search(load, kBoostMhz, limit_w);
        EXPECT_LE(found.runs, 15);
        EXPECT_LE(found.power_w, limit_w);
        if (found.clock_mhz < kBoostMhz) {
          EXPECT_GE(found.power_w, 0.97 * limit_w);  // a whole MHz may be more than 2 %
        }
        EXPECT_GE(found.clock_mhz, lower.clock_mhz);
        lower = found;
      }
    }
}

TEST(ClockSearch, GivesUpAtTheLowestClock) {
  const Found found = search({power_law(100, 0), power_law(300, 0)});
  EXPECT_EQ(found.clock_mhz, 1);
  EXPECT_LE(found.runs, 15);
  EXPECT_GT(found.power_w, kLimitW);
}

/// The clock at which tensor cores that work at `share` of their peak keep to `limits`.
int clock_of_share(const std::function<double(int clock_mhz)>& share, const LoadLimits& limits) {
  ClockSearch clock_search(kBoostMhz, limits);
  int clock_mhz = kBoostMhz;
  for (int runs = 1;; ++runs) {
    EXPECT_LE(runs, 6);
    const double ratio = static_cast<double>(clock_mhz) / kBoostMhz;
    const auto next = clock_search.next({.clock_mhz = clock_mhz,
                                         .power_w = 500 * ratio * ratio * ratio,
                                         .tensor_mhz = share(clock_mhz) * clock_mhz});
    if (!next || runs == 100) return clock_mhz;
    clock_mhz = *next;
  }
}

TEST(ClockSearch, KeepsTensorCoresToTheirRate) {
  const LoadLimits limits{.tensor_mhz = 1000};
  EXPECT_EQ(clock_of_share([](int) { return 0.0; }, limits), kBoostMhz);
  EXPECT_EQ(clock_of_share([](int) { return 0.7; }, limits), kBoostMhz);
  EXPECT_NEAR(clock_of_share([](int) { return 0.9; }, limits) * 0.9, 990, 10);
  // Memory keeps its clock: the lower that of the SMs, the busier they are.
  const auto waits = [](int clock_mhz) { return 0.9 - 0.2 * clock_mhz / kBoostMhz; };
  const int found = clock_of_share([&](int mhz) { return waits(mhz) + 0.1; }, limits);
  EXPECT_NEAR(found * (waits(found) + 0.1), 990, 10);
}

TEST(ClockSearch, TheTighterOfTwoLimitsHolds) {
  const auto share = [](int) { return 0.9; };
  EXPECT_NEAR(clock_of_share(share, {.power_w = 400, .tensor_mhz = 1000}) * 0.9, 990, 10);
  EXPECT_NEAR(clock_of_share(share, {.power_w = 100, .tensor_mhz = 1000}), 820, 10);
}

}  // namespace
}  // namespace tcsim::energy
