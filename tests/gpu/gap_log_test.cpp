// What sampled runs note of their gaps and of runs through loops.

#include "sim/gpu/gap_log.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "models/stats/stats.hpp"
#include "sim/gpu/loop_history.hpp"

namespace tcsim::gpu::test {
namespace {

constexpr double kTolerated = 0.01;

/// Of a chip that has one counter.
class LogOfGaps : public ::testing::Test {
 protected:
  stats::Group root_{"gpu"};
  stats::Counter counter_{root_, "reads", "read", "Reads."};
  const CounterSet counters_{root_, 32};
};

TEST_F(LogOfGaps, TellsAGapFromTheRatesAtItsTwoEnds) {
  GapLog log({2 * kTolerated}, counters_);
  Gap gap;
  gap.instructions = 1000;
  gap.before = {2.0, 0.01, 0, {0.5}};
  const Rates after{2.09, 0.02, 0, {0.7}};
  EXPECT_EQ(log.close(gap, after, 400), CounterSet::Values{600});
  EXPECT_EQ(counter_.value(), 600);
  EXPECT_EQ(log.whole_time(399), 399);
  EXPECT_EQ(log.whole_time(400), 400 + 2045);
  EXPECT_NEAR(log.sampling(4000).half_width_cycles, 45, 1e-9)
      << "half the difference, more than either's own";
  EXPECT_DOUBLE_EQ(log.sampling(5000).half_widths.at("gpu.reads"), 100) << "likewise";
  log.close(gap, {}, 800);
  EXPECT_EQ(log.whole_time(900), 900 + 2045 + 2000);
  const double unseen = 2000;
  EXPECT_NEAR(log.sampling(9000).half_width_cycles, 45 + unseen, 1e-9);
  gap.is_of_waves = true;
  gap.drift = kDriftOnceSeen;
  log.close(gap, gap.before, 900);
  EXPECT_DOUBLE_EQ(log.sampling(9000).half_width_cycles,
                   std::hypot((45.0 + unseen) * 9000 / 7000, kDriftOnceSeen * 2000))
      << "what the gap of 2000 cycles was measured in is not known any better";
}

TEST_F(LogOfGaps, IterationsThatChangeTheRateMayHaveCausedIt) {
  GapLog log({2 * kTolerated}, counters_);
  Gap gap;
  gap.instructions = 1000;
  gap.before = {2.0, 0.01, 0, {0.5}};
  log.close(gap, Rates{2.11, 0.01, 0, {0.5}}, 400);
  EXPECT_DOUBLE_EQ(log.sampling(5000).half_width_cycles, 2055) << "all of its time";
}

TEST(GapLog, WhatDramIsKnownToHaveReadTakesThePlaceOfRates) {
  stats::Group root("gpu");
  stats::Group channel("channel[0]", root);
  stats::Counter bursts(channel, "reads", "bursts", "Reads.");
  stats::Counter bytes(channel, "read_bytes", "bytes", "Bytes.");
  stats::Counter hits(channel, "row_hits", "bursts", "Hits.");
  stats::Counter refreshes(channel, "refreshes", "commands", "Refreshes.");
  const CounterSet counters(root, 32);
  GapLog log({2 * kTolerated}, counters);
  Gap gap;
  gap.instructions = 1000;
  gap.before = {2.0, 0.01, 0, {1, 32, 0.5, 0.1}};
  gap.read_bytes = 96'000;
  log.close(gap, gap.before, 400);
  EXPECT_EQ(bursts.value(), 3000);
  EXPECT_EQ(bytes.value(), 96'000);
  EXPECT_EQ(hits.value(), 1500) << "reading causes them";
  EXPECT_EQ(refreshes.value(), 100) << "time causes them";
  EXPECT_DOUBLE_EQ(log.sampling(5000).half_widths.at("channel.read_bytes"), 64'000)
      << "as far as the two are apart";
  gap.before.counters[0] = gap.before.counters[1] = 0;
  log.close(gap, gap.before, 400);
  EXPECT_EQ(bytes.value(), 2 * 96'000) << "there are reads where no window had any";
  EXPECT_EQ(bursts.value(), 6000);
}

TEST_F(LogOfGaps, BatchMeansGiveTheInterval) {
  std::vector<Mark> marks;
  Cycle at = 0;
  for (const Cycle step : {0, 100, 110, 90, 100}) {
    at += step;
    marks.push_back({at, 50.0 * static_cast<double>(marks.size()), {marks.size()}});
  }
  const Rates rates = rates_between(marks, counters_);
  EXPECT_DOUBLE_EQ(rates.cycles, 2.0);
  // Means 2, 2.2, 1.8, 2: s^2 = 0.08 / 3; t = 3.182446305.
  EXPECT_NEAR(rates.half_width, 3.182446305 * std::sqrt(0.08 / 3 / 4), 1e-9);
  EXPECT_DOUBLE_EQ(rates.counters.front(), 4.0 / 200);
  EXPECT_NEAR(rates.half_widths.front(), 0, 1e-12) << "one in each batch";
  // By least squares -0.04 from batch to batch, of 50 instructions each.
  EXPECT_NEAR(rates.trend, -0.04 / 50, 1e-12);
}

/// In the gap half of the trend is missed, behind it all.
TEST_F(LogOfGaps, MissedTrendsWidenTheInterval) {
  GapLog log({2 * kTolerated}, counters_);
  Gap gap;
  gap.instructions = 1000;
  gap.ahead = 2000;
  gap.before = {2.0, 0, 1e-4, {0.5}};
  log.close(gap, Rates{2.0, 0, -2e-4, {0.5}}, 400);
  EXPECT_DOUBLE_EQ(log.sampling(9000).half_width_cycles,
                   kDrift * 2000 + 2e-4 * 1000 * (500 + 2000));
}

/// What evolves with the trips is late by as much as a gap left out.
TEST_F(LogOfGaps, TheRateAtTheEndOfALoopIsThatOfTheTripsThatItLacks) {
  GapLog log({2 * kTolerated}, counters_);
  Gap gap;
  gap.instructions = 1000;
  gap.before = {2.0, 0, 0, {0.5}};
  log.close(gap, gap.before, 400);
  log.end_loop(Rates{2.01, 0, 0, {0.5}});
  EXPECT_DOUBLE_EQ(log.sampling(4000).half_width_cycles, kDrift * 2000);
  EXPECT_DOUBLE_EQ(log.sampling(9000).half_width_cycles, 90) << "at least 1 %";
  log.close(gap, gap.before, 800);
  log.end_loop(Rates{2.5, 0, 0, {0.5}});
  EXPECT_DOUBLE_EQ(log.sampling(9000).half_width_cycles, kDrift * 2000 + 0.5 * 1000);
}

/// 1,000 of 10,000 instructions took 2,000 cycles: of 20,000 that all take, 400 may be unsure,
/// three quarters of which a gap may take; an instruction left out makes 0.04 cycles unsure.
TEST_F(LogOfGaps, AGapTakesNoMoreThanMayBeUnsure) {
  GapLog log({2 * kTolerated, 10'000}, counters_);
  Gap gap;
  gap.instructions = 5000;
  gap.before = {2.0, 0, 0, {0.5}};
  EXPECT_DOUBLE_EQ(log.affordable({2000, 1000, {0}}, gap), 0.75 * 400 / 0.04);
  log.close(gap, gap.before, 2000);
  EXPECT_DOUBLE_EQ(log.affordable({12'000, 6000, {0}}, gap), 0.75 * 200 / 0.04);
}

/// 5,000 of 10,000 instructions are left out: with 4,400 simulated 600 are to come, with 4,950
/// only 50.
TEST_F(LogOfGaps, AGapIsMadeOnlyWhileEnoughIsToCome) {
  GapLog log({2 * kTolerated, 10'000}, counters_);
  Gap gap;
  gap.instructions = 5000;
  gap.before = {2.0, 0, 0, {0.5}};
  log.close(gap, gap.before, 2000);
  EXPECT_GT(log.affordable({18'800, 9400, {0}}, gap), 0);
  EXPECT_EQ(log.affordable({19'900, 9950, {0}}, gap), 0);
}

/// A gap of 10,000 cycles about which nothing is known; of 20,000 cycles 400 may be unsure.
TEST_F(LogOfGaps, AnUnknownGapMakesTheRunTooWide) {
  GapLog log({2 * kTolerated, 10'000}, counters_);
  Gap gap;
  gap.instructions = 5000;
  gap.before = {2.0, 0, 0, {0.5}};
  EXPECT_FALSE(log.is_too_wide({2000, 1000, {0}}));
  log.close(gap, {}, 2000);
  EXPECT_TRUE(log.is_too_wide({12'000, 6000, {0}}));
}

/// Of the 6,000 cycles up to the limit, half: at two cycles each.
TEST_F(LogOfGaps, AGapLeavesRoomBeforeTheLimit) {
  SamplingOptions options{2 * kTolerated};
  options.max_cycles = 8000;
  GapLog log(options, counters_);
  Gap gap;
  gap.before = {2.0, 0, 0, {0.5}};
  EXPECT_DOUBLE_EQ(log.affordable({2000, 1000, {0}}, gap), 1500);
}

/// Waves are as unsure as what they were measured in besides what they are themselves: of 20,000
/// cycles, nine tenths of the 400 that may be unsure.
TEST_F(LogOfGaps, AGapOfWavesCarriesWhatItWasMeasuredIn) {
  GapLog log({2 * kTolerated, 10'000}, counters_);
  Gap trips;
  trips.instructions = 500;
  trips.before = {2.0, 0, 0, {0.5}};
  log.close(trips, trips.before, 1000);
  const double sure = log.sampling(2000).half_width_cycles;
  EXPECT_DOUBLE_EQ(sure, kDrift * 1000);
  Gap waves;
  waves.is_of_waves = true;
  waves.drift = kDriftOnceSeen;
  waves.before = {2.0, 0, 0, {0.5}};
  waves.instructions = log.affordable({2000, 1000, {0}}, waves);
  const Cycle told = std::llround(2 * waves.instructions);
  log.close(waves, waves.before, 1000);
  EXPECT_NEAR(log.sampling(2000 + told).half_width_cycles, sure + 0.9 * (400 - sure), 0.1);
}

/// A run of ten trips of 100 instructions, the first five at 2 cycles each and the others at
/// `rate`, with half as many counts as cycles.
std::vector<LoopStep> run_with(double rate) {
  std::vector<LoopStep> steps;
  for (int trip = 0; trip <= 10; ++trip) {
    const auto at = std::llround(200 * std::min(trip, 5) + 100 * rate * std::max(trip - 5, 0));
    steps.push_back({at, 1.0 * trip, {at, 100.0 * trip, {static_cast<std::uint64_t>(at / 2)}}});
  }
  return steps;
}

/// Rates 3.98, 4, 4.02: s = 0.02; of the mean of six more, 4.302653 s sqrt(1 / 6 + 1 / 3).
TEST(LoopHistory, SaysWhatOthersWillTakeOverTheSameTrips) {
  LoopHistory history;
  history.add(run_with(9));  // the first one, which does not count
  for (const double rate : {3.98, 4.0, 4.02}) {
    EXPECT_FALSE(history.has_enough());
    history.add(run_with(rate));
  }
  EXPECT_EQ(history.instructions_of_run(), 1000);
  const std::optional<Rates> late = history.rates(6.5, 9.5, 6);
  ASSERT_TRUE(late);
  EXPECT_NEAR(late->cycles, 4, 1e-9);
  EXPECT_NEAR(late->half_width, 4.302653 * 0.02 * std::sqrt(1.0 / 6 + 1.0 / 3), 1e-7);
  EXPECT_NEAR(late->counters.at(0), 2, 1e-9);
  EXPECT_NEAR(history.rates(1, 4, 1)->cycles, 2, 1e-9);
  EXPECT_NEAR(history.rates(4, 6, 1)->cycles, 3, 1e-9);
  EXPECT_NEAR(history.rates(9, 11, 1)->cycles, 4, 1e-9) << "as the last one done";
  EXPECT_FALSE(history.rates(4, 13, 1)) << "nobody did thirteen trips";
}

/// At two cycles each up to the fifth trip, then at another rate.
TEST(LoopHistory, SaysWhetherARunWentOnAsItHadBegun) {
  constexpr double kTwoPercent = 0.02;
  constexpr double kOther = 9;
  LoopHistory history;
  EXPECT_FALSE(history.goes_on(2, 1, 3, 5, kTwoPercent)) << "nothing is known";
  history.add(run_with(2.1));
  EXPECT_TRUE(history.goes_on(kOther, 1, 3, 5, kTwoPercent)) << "of the first run, too";
  EXPECT_FALSE(history.goes_on(kOther, 1, 5, 10, kTwoPercent));
  EXPECT_TRUE(history.goes_on(2.1, 1, 5, 10, kTwoPercent)) << "at this one's rate";
  EXPECT_FALSE(history.goes_on(2.1, 6, 8, 14, kTwoPercent)) << "nobody did fourteen trips";
  history.add(run_with(2.01));
  EXPECT_TRUE(history.goes_on(kOther, 1, 5, 10, kTwoPercent)) << "of the latest run";
}

TEST(LoopHistory, AgreesAsFarAsBothAreSure) {
  LoopHistory history;
  for (int i = 0; i < 4; ++i) history.add(run_with(4));
  EXPECT_TRUE(history.agrees({4.1, 0.01}, 6, 9, 0.03));
  EXPECT_FALSE(history.agrees({4.2, 0.01}, 6, 9, 0.03));
  EXPECT_FALSE(history.agrees({2.1, 0.01}, 2, 4, 0.03));
  EXPECT_TRUE(history.agrees({2.09, 0.095}, 2, 4, 0.03)) << "as far as both are sure";
  EXPECT_FALSE(history.agrees({2.2, 0.25}, 2, 4, 0.03)) << "it is not known";
  EXPECT_FALSE(history.agrees({2, 0.01}, 2, 13, 0.03)) << "nobody did thirteen trips";
}

TEST(LoopHistory, SaysNothingOfTheFirstRunOfALaunch) {
  LoopHistory history;
  for (int i = 0; i < 4; ++i) history.add(run_with(4));
  history.begin_launch();
  EXPECT_FALSE(history.has_enough());
  EXPECT_FALSE(history.rates(6, 9, 1));
  history.add(run_with(9));  // with cold caches
  EXPECT_TRUE(history.has_enough());
  EXPECT_NEAR(history.rates(6, 9, 1)->cycles, 4, 1e-9);
}

TEST(LoopHistory, OfAnotherRateIsForgotten) {
  LoopHistory history;
  for (int i = 0; i < 4; ++i) history.add(run_with(4));
  history.add(run_with(4.1));
  EXPECT_TRUE(history.has_enough());
  history.add(run_with(8));
  EXPECT_FALSE(history.has_enough());
}

}  // namespace
}  // namespace tcsim::gpu::test
