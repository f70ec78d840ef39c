#include "sim/gpu/simulation.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/gpu/result.hpp"
#include "tests/gpu/timed_kernel.hpp"
#include "tests/support/ampere_machine.hpp"
#include "tests/support/random_program.hpp"

namespace tcsim::gpu::test {
namespace {

using namespace tcsim::test;  // NOLINT: the tests' own vocabulary

TEST(Simulation, AKernelTakesTheOverheadAndItsCta) {
  const Result result = run({timed_kernel(100, 1)});
  EXPECT_EQ(result.outcome.stop, StopReason::kFinished);
  EXPECT_EQ(result.outcome.cycles, kOverhead + 100);
  ASSERT_EQ(result.outcome.kernels.size(), 1u);
  const KernelSpan& span = result.outcome.kernels[0];
  EXPECT_EQ(span.start, 0);
  EXPECT_EQ(span.end, kOverhead + 100);
  EXPECT_EQ(span.ctas, 1);
  EXPECT_EQ(span.ctas_per_sm, 1);
  EXPECT_EQ(span.occupancy_limit, "shared memory");
  EXPECT_EQ(span.warp_instructions, 11u);
}

TEST(Simulation, EveryCycleOfEverySubCoreHasAReason) {
  const Result result = run({timed_kernel(100, 7), random_launch(3)});
  expect_a_reason_for_every_cycle(result);
  EXPECT_EQ(result.at("sm[0].sub_core[0].cycles_launch"), 2u * kOverhead);
}

TEST(Simulation, AnSmThatOnlyWaitsForItsWritesDrains) {
  ProgramBuilder program;
  program.global(isa::Opcode::kStg32, per_lane(4)).src(2, 4);
  program.op(isa::Opcode::kExit);
  const isa::KernelLaunch writes = make_launch({program.program()}, {0}, 1);
  const Result result = run({writes, timed_kernel(100, 1)});
  expect_a_reason_for_every_cycle(result);
  const Cycle cta_end = kOverhead + 2;
  const auto drain = static_cast<std::uint64_t>(result.outcome.kernels[0].end - cta_end);
  EXPECT_GT(drain, 100u);
  for (int sub_core = 0; sub_core < 4; ++sub_core)
    EXPECT_EQ(result.at(fmt::format("sm[0].sub_core[{}].cycles_drain", sub_core)), drain);
  EXPECT_EQ(result.sum("cycles_drain"), 4 * drain);
}

TEST(Simulation, AKernelEndsAfterLoadsAndAtomicsThatNothingUses) {
  for (const isa::Opcode opcode : {isa::Opcode::kLdg32, isa::Opcode::kAtomgAdd}) {
    ProgramBuilder program;
    program.global(opcode, per_lane(4));
    program.op(isa::Opcode::kExit);
    const Result result = run({make_launch({program.program()}, {0}, 1), timed_kernel(100, 1)});
    expect_a_reason_for_every_cycle(result);
    EXPECT_GT(result.outcome.kernels[0].end, kOverhead + 2 + 100);
    EXPECT_EQ(result.outcome.kernels[1].end, result.outcome.kernels[0].end + kOverhead + 100);
  }
}

TEST(Simulation, KernelsOfAStreamRunBackToBack) {
  const Result result = run({timed_kernel(100, 4), timed_kernel(50, 1)});
  ASSERT_EQ(result.outcome.kernels.size(), 2u);
  const KernelSpan& first = result.outcome.kernels[0];
  const KernelSpan& second = result.outcome.kernels[1];
  EXPECT_EQ(first.end, kOverhead + 3 * kDispatch + 100);
  EXPECT_EQ(second.start, first.end);
  EXPECT_EQ(second.end, first.end + kOverhead + 50);
  EXPECT_EQ(result.outcome.cycles, second.end);
  EXPECT_EQ(first.warp_instructions, 4u * 11);
  EXPECT_EQ(second.warp_instructions, 6u);
}

TEST(Simulation, NothingToRunTakesNoTime) {
  const Result result = run({});
  EXPECT_EQ(result.outcome.stop, StopReason::kFinished);
  EXPECT_EQ(result.outcome.cycles, 0);
}

TEST(Simulation, ProgressIsShownAtLeastOnceAQuantum) {
  std::vector<Progress> seen;
  const Result result = run({timed_kernel(100, 5)}, {.quantum = 50}, ampere_machine(),
                            [&seen](const Progress& progress) {
                              seen.push_back(progress);
                              return true;
                            });
  ASSERT_GT(seen.size(), 20u);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    EXPECT_EQ(seen[i].ctas_total, 5);
    const Cycle before = i == 0 ? 0 : seen[i - 1].now;
    EXPECT_GT(seen[i].now, before);
    EXPECT_LE(seen[i].now, before + 50);
    if (i == 0) continue;
    EXPECT_GE(seen[i].warp_instructions, seen[i - 1].warp_instructions);
    EXPECT_GE(seen[i].ctas_done, seen[i - 1].ctas_done);
  }
  EXPECT_GE(seen.back().ctas_done, 4);
}

TEST(Simulation, KeepGoingStopsTheRun) {
  const Result result = run({timed_kernel(100'000, 1)}, {.quantum = 100}, ampere_machine(),
                            [](const Progress& progress) { return progress.now < 5000; });
  EXPECT_EQ(result.outcome.stop, StopReason::kInterrupted);
  EXPECT_GE(result.outcome.cycles, 5000);
  EXPECT_LT(result.outcome.cycles, 5100);
}

TEST(Simulation, StopsAtTheCycleLimitWhateverTheQuantum) {
  for (const Cycle quantum : {0, 1, 7}) {
    const Result result = run({timed_kernel(100'000, 1)}, {.quantum = quantum, .max_cycles = 5000});
    EXPECT_EQ(result.outcome.stop, StopReason::kCycleLimit);
    EXPECT_EQ(result.outcome.cycles, 5000);
    EXPECT_EQ(result.at("sm[0].sub_core[0].warp_instructions"), (5000u - kOverhead) / 10);
  }
}

TEST(Simulation, TheLimitDoesNotStopARunThatEndsBefore) {
  const Result result = run({timed_kernel(100, 1)}, {.max_cycles = kOverhead + 101});
  EXPECT_EQ(result.outcome.stop, StopReason::kFinished);
}

TEST(Simulation, TheLargestLimitIsNone) {
  const std::vector<isa::KernelLaunch> kernel{timed_kernel(100, 1)};
  const Result result =
      run(kernel, {.max_cycles = std::numeric_limits<Cycle>::max()}, ampere_machine(), {}, kernel);
  EXPECT_EQ(result.outcome.stop, StopReason::kFinished);
}

TEST(Simulation, CyclesUpToALimitWithinTheLaunchAddUp) {
  const Result result = run({timed_kernel(100, 1)}, {.max_cycles = 500});
  EXPECT_EQ(result.outcome.stop, StopReason::kCycleLimit);
  std::uint64_t sum = 0;
  for (const auto& [path, value] : result.counters)
    if (path.starts_with("sm[0].sub_core[0].cycles_")) sum += value;
  EXPECT_EQ(sum, 500u);
}

TEST(Simulation, CanBeDroppedWithoutARun) {
  { const Simulation unused(ampere_machine(), {}); }
  EXPECT_EQ(run({timed_kernel(100, 1)}).outcome.cycles, kOverhead + 100);
}

TEST(Simulation, LargestQuantumIsBoundByNetworkAndScheduler) {
  EXPECT_EQ(Simulation(ampere_machine(), {}).largest_quantum(), 152);
  config::Machine machine = ampere_machine();
  machine.launch.cta_start_cycles = 60;
  EXPECT_EQ(Simulation(machine, {}).largest_quantum(), 100);
}

}  // namespace
}  // namespace tcsim::gpu::test
