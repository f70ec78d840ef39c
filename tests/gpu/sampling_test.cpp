// Sampled runs against the same runs cycle by cycle.

#include <gtest/gtest.h>

#include <cmath>

#include "models/isa/assemble.hpp"
#include "sim/config/target.hpp"
#include "sim/gpu/gap_log.hpp"
#include "sim/gpu/loop_history.hpp"
#include "sim/library/load.hpp"
#include "tests/gpu/result.hpp"
#include "tests/gpu/sampled_kernel.hpp"
#include "workloads/kernels/gemm.hpp"
#include "workloads/trace/tct.hpp"

namespace tcsim::gpu::test {
namespace {

constexpr double kTolerance = 0.01;

std::vector<isa::KernelLaunch> assembled(std::vector<isa::KernelLaunch> launches,
                                         const config::Machine& machine) {
  const isa::TimingTable timing = sm::timing_table(machine.sm);
  for (isa::KernelLaunch& launch : launches)
    for (isa::WarpProgram& program : launch.programs) isa::assemble(program, timing);
  return launches;
}

std::vector<isa::KernelLaunch> product(const config::Machine& machine, std::int64_t m,
                                       std::int64_t n, std::int64_t k) {
  kernels::GemmProblem problem;
  problem.m = m;
  problem.n = n;
  problem.k = k;
  const kernels::Target target = config::make_target(machine, problem);
  return assembled(
      kernels::make_gemm_stream(problem, kernels::choose_tile(problem, target), target), machine);
}

SimulationOptions sampled(Cycle quantum = 0, int threads = 1) {
  return {.quantum = quantum, .threads = threads, .sampling = SamplingOptions{2 * kTolerance}};
}

void expect_within_the_interval(const Result& sampled, const Result& exact) {
  const Sampling& sampling = sampled.outcome.sampling;
  EXPECT_GT(sampling.gaps, 0);
  EXPECT_NEAR(static_cast<double>(sampled.outcome.cycles),
              static_cast<double>(exact.outcome.cycles), sampling.half_width_cycles);
  for (const char* name : {"warp_instructions", "mma_instructions", "tensor_macs"})
    EXPECT_EQ(sampled.sum(name), exact.sum(name)) << name;
  const auto bytes = static_cast<double>(exact.sum("l2_read_bytes"));
  EXPECT_NEAR(static_cast<double>(sampled.sum("l2_read_bytes")), bytes, 0.02 * bytes);
  for (const char* name : {"l2_read_bytes", "l2_hits"}) {
    const auto half_width = sampling.half_widths.find(std::string("l2_slice.") + name);
    EXPECT_NEAR(static_cast<double>(sampled.sum(name)), static_cast<double>(exact.sum(name)),
                half_width == sampling.half_widths.end() ? 0 : half_width->second)
        << name;
  }
}

/// Eight CTAs whose loads hit the L2, but for those of `guarded` trips, which come from DRAM.
std::vector<isa::KernelLaunch> loop(const config::Machine& machine, const std::string& guarded,
                                    int trips = 600) {
  const std::string text = R"(tct 1
kernel loop
grid 8 1 1
warps 4
registers 64
shared 0
buffer A input base=0x10000 bytes=67108864

program main warps 0-3
  loop i0 < )" + std::to_string(trips) +
                           R"(
    LDG.E.128 R8, [R4: A + 16*lane + 2048*warp + 8192*ctaid.x]
    LDG.E.128 R12, [R4: A + 16*lane + 512*warp + 8192*i0 + 2048*ctaid.x + 1048576] @()" +
                           guarded + R"()
    HMMA.16816.F32 R16, R8, R12, R16
  end
  EXIT
)";
  return assembled({trace::read_tct(text, "loop.tct")}, machine);
}
constexpr const char* kNeverTrue = "i0 < 0";
constexpr const char* kSecondHalf = "0 - i0 < -299";

TEST(Sampling, LeavesTripsOut) {
  const config::Machine machine = library::load_machine("lab-tiny");
  const auto launches = loop(machine, kNeverTrue);
  const Result exact = run(launches, {}, machine);
  const Result part = run(launches, sampled(), machine);
  expect_within_the_interval(part, exact);
  EXPECT_GT(part.outcome.sampling.instructions_left_out,
            0.4 * static_cast<double>(exact.sum("warp_instructions")));
}

TEST(Sampling, SmsWithoutCtasAreIdleInGapsToo) {
  const config::Machine machine = library::load_machine("a100");
  const auto launches = loop(machine, kNeverTrue);
  const Result exact = run(launches, {}, machine);
  const Result part = run(launches, sampled(), machine);
  ASSERT_GT(part.outcome.sampling.gaps, 0);
  EXPECT_NEAR(part.outcome.kernels.front().idle_share(machine.gpu.sms),
              exact.outcome.kernels.front().idle_share(machine.gpu.sms), 0.01);
}

/// On eight SMs, one of which is slow: what is left out is of its CTA, when the others have ended.
TEST(Sampling, LeavesNoTripsOutWhereSmsDriftApart) {
  const config::Machine machine = library::load_machine("a100");
  const auto launches = loop(machine, "ctaid.x < 1");
  const Result exact = run(launches, {}, machine);
  const Result part = run(launches, sampled(), machine);
  EXPECT_LT(part.outcome.sampling.instructions_left_out,
            static_cast<double>(exact.sum("warp_instructions")) / 8);
}

TEST(Sampling, LeavesWavesOut) {
  const config::Machine machine = library::load_machine("lab-tiny");
  const auto launches = product(machine, 8192, 512, 64);
  const Result exact = run(launches, {}, machine);
  const Result part = run(launches, sampled(), machine);
  expect_within_the_interval(part, exact);
  EXPECT_EQ(part.outcome.kernels.front().warp_instructions,
            exact.outcome.kernels.front().warp_instructions);
}

/// The last look of these runs is behind the end of their only CTA.
TEST(Sampling, AGapThatLastsUntilTheEndBelongsToTheRun) {
  const config::Machine machine = library::load_machine("lab-tiny");
  for (const char* trips : {"760", "793", "803"}) {
    const auto launches = sampled_kernel(machine, 1, trips,
                                         "    LDG.E.128 R4, [R2: A + 16*lane + 512*warp]\n"
                                         "    FFMA R8, R4, R5, R8\n    BAR.SYNC 0\n");
    SCOPED_TRACE(trips);
    expect_within_the_interval(run(launches, sampled(), machine), run(launches, {}, machine));
  }
}

TEST(Sampling, AGapBelongsToItsKernel) {
  const config::Machine machine = library::load_machine("lab-tiny");
  const std::string body =
      "    LDG.E.128 R4, [R2: A + 16*lane + 512*warp]\n"
      "    FFMA R8, R4, R5, R8\n    BAR.SYNC 0\n";
  auto launches = sampled_kernel(machine, 1, "803", body);
  launches.push_back(sampled_kernel(machine, 1, "1", body).front());
  const auto second = [](const Result& result) {
    const KernelSpan& span = result.outcome.kernels.back();
    return static_cast<double>(span.end - span.start);
  };
  const Result exact = run(launches, {}, machine);
  const Result part = run(launches, sampled(), machine);
  expect_within_the_interval(part, exact);
  EXPECT_NEAR(second(part), second(exact), 0.02 * second(exact));
}

/// The L2 takes what the first waves write, and DRAM holds up the others.
TEST(Sampling, LeavesNoWavesOutWhileDirtyLinesFillTheL2) {
  const config::Machine machine = library::load_machine("lab-tiny");
  const std::vector<isa::KernelLaunch> launches{
      test::assembled("tct 1\nkernel stores\ngrid 6000 1 1\nwarps 4\nregisters 32\nshared 0\n"
                      "buffer D output base=0x120000000 bytes=209715200\nprogram main warps 0-3\n"
                      "  STG.E.128 [R2: D + 16*lane + 512*warp + 2048*ctaid.x], R8\n  EXIT\n",
                      machine)};
  const Result exact = run(launches, {}, machine);
  const Result part = run(launches, sampled(), machine);
  expect_within_the_interval(part, exact);
  const auto bytes = static_cast<double>(exact.sum("write_bytes"));
  EXPECT_NEAR(static_cast<double>(part.sum("write_bytes")), bytes, 0.05 * bytes);
}

/// Of the trip in which a gap finds a CTA, what it has not read yet is left out with it.
TEST(Sampling, EveryLineIsReadOnce) {
  const config::Machine machine = library::load_machine("lab-tiny");
  std::string body;
  for (int i = 0; i < 30; ++i) body += "    HMMA.16816.F32 R16, R8, R12, R16\n";
  body += "    LDG.E.128 R8, [R4: A + 16*lane + 512*warp + 2048*ctaid.x + 16384*i0]\n";
  const auto launches = sampled_kernel(machine, 8, "400", body);
  const Result exact = run(launches, {}, machine);
  const Result part = run(launches, sampled(), machine);
  ASSERT_GT(part.outcome.sampling.gaps, 2);
  constexpr double kBytes = 400 * 16384;
  ASSERT_EQ(exact.sum("read_bytes"), kBytes);
  EXPECT_NEAR(static_cast<double>(part.sum("read_bytes")), kBytes, 0.005 * kBytes);
}

/// CTAs of one loop, one on an SM.
std::vector<isa::KernelLaunch> loop_of_ctas(const config::Machine& machine, int ctas) {
  auto launches = loop(machine, kNeverTrue, 800);
  launches.front().shared_bytes_per_cta = machine.sm.shared_memory.max_bytes_per_cta;
  launches.front().grid = {ctas, 1, 1};
  return launches;
}

/// Of waves behind the first, whose rate they go at, more is left out.
TEST(Sampling, WhatCtasShowedThatHaveEndedLengthensGaps) {
  const config::Machine machine = library::load_machine("lab-tiny");
  const auto simulated_share = [&](int waves) {
    const auto launches = loop_of_ctas(machine, waves);
    const Result exact = run(launches, {}, machine);
    const Result part = run(launches, sampled(), machine);
    expect_within_the_interval(part, exact);
    return 1 - part.outcome.sampling.instructions_left_out /
                   static_cast<double>(exact.sum("warp_instructions"));
  };
  EXPECT_LT(simulated_share(8), 0.75 * simulated_share(1));
}

TEST(Sampling, ALaunchBehindALikeOneLeavesMoreOut) {
  const config::Machine machine = library::load_machine("lab-tiny");
  const auto launches = loop_of_ctas(machine, 5);
  const Result exact = run(launches, {}, machine);
  LoopHistory history;
  SimulationOptions options = sampled();
  options.sampling->history = &history;
  const Result first = run(launches, options, machine);
  const Result second = run(launches, options, machine);
  expect_within_the_interval(first, exact);
  expect_within_the_interval(second, exact);
  EXPECT_GT(second.outcome.sampling.instructions_left_out,
            first.outcome.sampling.instructions_left_out);
}

TEST(Sampling, EverySubCoreHasAReasonForEveryCycle) {
  const config::Machine machine = library::load_machine("lab-tiny");
  const Result part = run(loop(machine, kNeverTrue), sampled(), machine);
  ASSERT_GT(part.outcome.sampling.gaps, 0);
  std::uint64_t cycles = 0;
  for (const auto& [path, value] : part.counters)
    if (path.find(".sub_core[") != std::string::npos && path.find(".cycles_") != std::string::npos)
      cycles += value;
  EXPECT_EQ(cycles, static_cast<std::uint64_t>(part.outcome.cycles) * machine.gpu.sms *
                        machine.sm.sub_cores);
}

TEST(Sampling, DependsOnNeitherQuantumNorThreads) {
  config::Machine machine = library::load_machine("lab-tiny");
  const auto launches = loop(machine, kNeverTrue);
  const Result whole = run(launches, sampled(), machine);
  EXPECT_GT(whole.outcome.sampling.gaps, 0);
  for (const Cycle quantum : {1, 7, 100}) {
    const Result cut = run(launches, sampled(quantum, 2), machine);
    EXPECT_EQ(cut.outcome.cycles, whole.outcome.cycles) << quantum;
    EXPECT_EQ(cut.counters, whole.counters) << quantum;
  }
}

/// The rate of the second half is another one: the gap that spans the change holds both.
TEST(Sampling, ASlowSecondHalfIsWithinTheInterval) {
  const config::Machine machine = library::load_machine("lab-tiny");
  const auto launches = loop(machine, kSecondHalf);
  const Result exact = run(launches, {}, machine);
  const Result part = run(launches, sampled(), machine);
  ASSERT_GT(part.outcome.sampling.gaps, 0);
  EXPECT_NEAR(static_cast<double>(part.outcome.cycles), static_cast<double>(exact.outcome.cycles),
              part.outcome.sampling.half_width_cycles);
  EXPECT_GT(part.outcome.sampling.half_width_cycles,
            kTolerance * static_cast<double>(part.outcome.cycles))
      << "such a run is repeated with more of it simulated";
}

/// Of a chip that has one counter.
class LogOfGaps : public ::testing::Test {
 protected:
  stats::Group root_{"gpu"};
  stats::Counter counter_{root_, "reads", "read", "Reads."};
  const CounterSet counters_{root_};
};

TEST_F(LogOfGaps, TellsAGapFromTheRatesAtItsTwoEnds) {
  GapLog log({2 * kTolerance}, counters_);
  Gap gap;
  gap.instructions = 1000;
  gap.before = {2.0, 0.01, 0, {0.5}};
  const Rates after{3.0, 0.02, 0, {0.7}};
  EXPECT_EQ(log.close(gap, after, 400), CounterSet::Values{600});
  EXPECT_EQ(counter_.value(), 600);
  EXPECT_EQ(log.whole_time(399), 399);
  EXPECT_EQ(log.whole_time(400), 400 + 2500);
  EXPECT_EQ(log.sampling(5000).half_width_cycles, 500)
      << "half the difference, more than either's own";
  EXPECT_DOUBLE_EQ(log.sampling(5000).half_widths.at("gpu.reads"), 100) << "likewise";
  log.close(gap, {}, 800);
  EXPECT_EQ(log.whole_time(900), 900 + 2500 + 2000);
  const double unseen = 2000;
  EXPECT_DOUBLE_EQ(log.sampling(9000).half_width_cycles, 500 + unseen);
  gap.is_of_waves = true;
  gap.drift = kDriftOnceSeen;
  log.close(gap, gap.before, 900);
  EXPECT_DOUBLE_EQ(log.sampling(9000).half_width_cycles,
                   std::hypot((500.0 + unseen) * 9000 / 7000, kDriftOnceSeen * 2000))
      << "what the gap of 2000 cycles was measured in is not known any better";
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
  GapLog log({2 * kTolerance}, counters_);
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
  GapLog log({2 * kTolerance}, counters_);
  Gap gap;
  gap.instructions = 1000;
  gap.before = {2.0, 0, 0, {0.5}};
  log.close(gap, gap.before, 400);
  log.end_loop(Rates{2.01, 0, 0, {0.5}});
  EXPECT_DOUBLE_EQ(log.sampling(9000).half_width_cycles, kDrift * 2000);
  log.close(gap, gap.before, 800);
  log.end_loop(Rates{2.5, 0, 0, {0.5}});
  EXPECT_DOUBLE_EQ(log.sampling(9000).half_width_cycles, kDrift * 2000 + 0.5 * 1000);
}

/// 1,000 of 10,000 instructions took 2,000 cycles: of 20,000 that all take, 400 may be unsure,
/// three quarters of which a gap may take; an instruction left out makes 0.04 cycles unsure.
TEST_F(LogOfGaps, AGapTakesNoMoreThanMayBeUnsure) {
  GapLog log({2 * kTolerance, 10'000}, counters_);
  Gap gap;
  gap.instructions = 5000;
  gap.before = {2.0, 0, 0, {0.5}};
  EXPECT_DOUBLE_EQ(log.affordable({2000, 1000, {0}}, gap), 0.75 * 400 / 0.04);
  log.close(gap, gap.before, 2000);
  EXPECT_DOUBLE_EQ(log.affordable({12'000, 6000, {0}}, gap), 0.75 * 200 / 0.04);
}

/// Waves are as unsure as what they were measured in besides what they are themselves: of 20,000
/// cycles, nine tenths of the 400 that may be unsure.
TEST_F(LogOfGaps, AGapOfWavesCarriesWhatItWasMeasuredIn) {
  GapLog log({2 * kTolerance, 10'000}, counters_);
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
    steps.push_back({trip, 1.0 * trip, {at, 100.0 * trip, {static_cast<std::uint64_t>(at / 2)}}});
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
