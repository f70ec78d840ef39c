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
#include "workloads/kernels/attention/attention.hpp"
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

/// The blocks of queries of a head take longer from block to block, and recur with every head.
TEST(Sampling, LeavesWavesOutOfCtasThatDiffer) {
  const config::Machine machine = library::load_machine("lab-tiny");
  kernels::AttentionProblem problem;
  problem.heads = problem.kv_heads = 400;
  problem.queries = problem.keys = 256;
  problem.dim = 32;
  problem.causal = true;
  const auto launches = assembled(
      kernels::make_attention(problem, config::make_target(machine, {.input = problem.element})),
      machine);
  const Result exact = run(launches, {}, machine);
  const Result part = run(launches, sampled(), machine);
  expect_within_the_interval(part, exact);
  EXPECT_GT(part.outcome.sampling.instructions_left_out,
            0.3 * static_cast<double>(exact.sum("warp_instructions")));
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
  for (const std::size_t kernel : {0, 1})
    EXPECT_EQ(part.outcome.kernels[kernel].warp_instructions,
              exact.outcome.kernels[kernel].warp_instructions);
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

/// MMAs hide the time of reads that only some trips in the middle make, and that windows before and
/// behind a gap do not.
TEST(Sampling, WhatDramReadsInTripsLeftOutIsCounted) {
  const config::Machine machine = library::load_machine("lab-tiny");
  std::string body;
  for (int i = 0; i < 30; ++i) body += "    HMMA.16816.F32 R16, R8, R12, R16\n";
  body +=
      "    LDG.E.128 R8, [R4: A + 16*lane + 512*warp + 2048*ctaid.x + "
      "16384*((i0 max 1000 min 1030)/1)]\n";
  const auto launches = sampled_kernel(machine, 8, "2000", body);
  const Result exact = run(launches, {}, machine);
  const Result part = run(launches, sampled(), machine);
  ASSERT_GT(part.outcome.sampling.gaps, 2);
  const auto bytes = static_cast<double>(exact.sum("read_bytes"));
  ASSERT_EQ(bytes, 31 * 16384);
  EXPECT_NEAR(static_cast<double>(part.sum("read_bytes")), bytes, 0.005 * bytes);
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

TEST(Sampling, SubCoresWithoutAWarpSayTheyHaveNone) {
  const config::Machine machine = library::load_machine("a100");
  const auto launches = loop(machine, kNeverTrue);  // on eight of the SMs
  const Result exact = run(launches, {}, machine);
  const Result part = run(launches, sampled(), machine);
  ASSERT_GT(part.outcome.sampling.gaps, 0);
  const auto cycles = static_cast<double>(exact.sum("cycles_no_warp"));
  EXPECT_NEAR(static_cast<double>(part.sum("cycles_no_warp")), cycles, 0.02 * cycles);
  EXPECT_GT(part.outcome.sampling.half_widths.at("sub_core.cycles_no_warp"), 0);
}

/// A warp that issues nearly every cycle: its rest is no issue either.
TEST(Sampling, CyclesWithAnIssueAreExact) {
  const config::Machine machine = library::load_machine("lab-tiny");
  std::string body = "    LDG.E.128 R4, [R2: A + 16*lane + 512*warp]\n";
  for (int i = 0; i < 40; ++i) body += "    FFMA R8, R5, R6, R7\n";
  const auto launches = sampled_kernel(machine, 4, "400", body);
  const Result part = run(launches, sampled(), machine);
  ASSERT_GT(part.outcome.sampling.gaps, 0);
  EXPECT_EQ(part.sum("cycles_issued"), part.sum("warp_instructions"));
}

/// What the L2 displaces in gaps, too.
TEST(Sampling, ChannelsWriteWholeBursts) {
  const config::Machine machine = library::load_machine("lab-tiny");
  for (const auto& launches : {product(machine, 8192, 512, 64), product(machine, 512, 512, 4096)}) {
    const Result part = run(launches, sampled(), machine);
    ASSERT_GT(part.outcome.sampling.gaps, 0);
    ASSERT_GT(part.sum("write_bytes"), 0U);
    constexpr std::uint64_t kBurstBytes = 32;
    EXPECT_EQ(part.sum("write_bytes"), part.sum("writes") * kBurstBytes);
  }
}

/// CTAs that copy 2 KiB each.
std::vector<isa::KernelLaunch> copies(const config::Machine& machine) {
  return {
      test::assembled("tct 1\nkernel copies\ngrid 16000 1 1\nwarps 4\nregisters 32\nshared 0\n"
                      "buffer A input base=0x10000 bytes=67108864\n"
                      "buffer D output base=0x120000000 bytes=67108864\n"
                      "program main warps 0-3\n"
                      "  LDG.E.128 R8, [R2: A + 16*lane + 512*warp + 2048*ctaid.x]\n"
                      "  STG.E.128 [R4: D + 16*lane + 512*warp + 2048*ctaid.x], R8\n  EXIT\n",
                      machine)};
}

TEST(Sampling, WavesWriteBackWhatTheyStore) {
  const config::Machine machine = library::load_machine("lab-tiny");
  const auto launches = product(machine, 16384, 512, 64);
  const Result exact = run(launches, {}, machine);
  const Result part = run(launches, sampled(), machine);
  ASSERT_GT(part.outcome.sampling.gaps, 0);
  const auto bytes = static_cast<double>(exact.sum("write_bytes"));
  EXPECT_NEAR(static_cast<double>(part.sum("write_bytes")), bytes, 0.002 * bytes);
}

/// The sixteen CTAs of a head read the same keys: behind a gap, those that have started and those
/// that are about to are of one head.
TEST(Sampling, CtasBehindWavesLeftOutAreNeighbours) {
  const config::Machine machine = library::load_machine("lab-tiny");
  kernels::AttentionProblem problem;
  problem.heads = problem.kv_heads = 4;
  problem.queries = problem.keys = 2048;
  problem.dim = 64;
  const auto launches = assembled(
      kernels::make_attention(problem, config::make_target(machine, {.input = problem.element})),
      machine);
  const Result exact = run(launches, {}, machine);
  const Result part = run(launches, sampled(), machine);
  ASSERT_GT(part.outcome.sampling.gaps, 0);
  const auto bytes = static_cast<double>(exact.sum("read_bytes"));
  EXPECT_NEAR(static_cast<double>(part.sum("read_bytes")), bytes, 0.005 * bytes);
}

TEST(Sampling, WavesThatDramHoldsUpDriftFurther) {
  const config::Machine machine = library::load_machine("lab-tiny");
  const Result part = run(copies(machine), sampled(), machine);
  ASSERT_GT(part.outcome.sampling.gaps, 0);
  for (const LeftOut& gap : part.outcome.sampling.parts)
    EXPECT_GE(gap.half_width, (kDriftHeldUp - 1e-9) * gap.cycles);
}

TEST(Sampling, GapsEndBeforeTheLimitOfTheRun) {
  const config::Machine machine = library::load_machine("lab-tiny");
  constexpr Cycle kLimit = 3'000'000;  // of seven million
  SimulationOptions options = sampled();
  options.max_cycles = kLimit;
  const Result part = run(copies(machine), options, machine);
  EXPECT_EQ(part.outcome.stop, StopReason::kCycleLimit);
  EXPECT_GT(part.outcome.sampling.gaps, 0);
  EXPECT_NEAR(static_cast<double>(part.outcome.cycles), kLimit, kTolerance * kLimit);
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

/// The gap over the change is too wide, and nothing behind it makes it narrower.
TEST(Sampling, IsGivenUpWhenItCannotBeSureAnyMore) {
  const config::Machine machine = library::load_machine("lab-tiny");
  const auto launches = loop(machine, kSecondHalf);
  const Result exact = run(launches, {}, machine);
  const auto given_up = [&](Cycle quantum) {
    SimulationOptions options = sampled(quantum);
    options.sampling->instructions = static_cast<double>(exact.sum("warp_instructions"));
    options.sampling->gives_up = true;
    return run(launches, options, machine).outcome;
  };
  const Outcome outcome = given_up(0);
  EXPECT_EQ(outcome.stop, StopReason::kUnsure);
  EXPECT_LT(outcome.cycles, 0.9 * static_cast<double>(exact.outcome.cycles));
  EXPECT_EQ(given_up(7).cycles, outcome.cycles);
}

}  // namespace
}  // namespace tcsim::gpu::test
