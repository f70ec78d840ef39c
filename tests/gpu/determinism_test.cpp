#include "sim/gpu/simulation.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "tests/gpu/key_programs.hpp"
#include "tests/gpu/result.hpp"
#include "tests/gpu/timed_kernel.hpp"
#include "tests/support/ampere_machine.hpp"
#include "tests/support/random_program.hpp"

namespace tcsim::gpu::test {
namespace {

using namespace tcsim::test;  // NOLINT: the tests' own vocabulary

TEST(Determinism, ManyCanRunOneAfterAnotherInAProcess) {
  const Result first = run({random_launch(1)});
  for (int i = 0; i < 5; ++i) {
    const Result again = run({random_launch(1)});
    EXPECT_EQ(again.outcome.cycles, first.outcome.cycles);
    EXPECT_TRUE(again.counters == first.counters);
  }
}

/// With more than one thread the memory side works behind the SMs.
TEST(Determinism, HostThreadsChangeNothing) {
  config::Machine machine = ampere_machine();
  machine.gpu = {.sms = 128, .sms_per_tpc = 2, .sms_per_gpc = {64, 64}};
  machine.l2.partitions = 2;
  machine.clocks = {1590, 0, 1410, 1215};
  std::vector<isa::KernelLaunch> launches;
  for (const std::uint32_t seed : {3U, 4U}) {
    launches.push_back(random_launch(seed));
    launches.back().grid = {140, 1, 1};
  }
  for (const Cycle max_cycles : {0, 3001}) {
    const Result alone = run(launches, {.threads = 1, .max_cycles = max_cycles}, machine);
    for (const auto& [threads, quantum] : {std::pair{2, Cycle{0}}, {3, 13}, {16, 0}}) {
      const Result shared = run(
          launches, {.quantum = quantum, .threads = threads, .max_cycles = max_cycles}, machine);
      EXPECT_EQ(shared.outcome.cycles, alone.outcome.cycles) << threads;
      EXPECT_EQ(shared.outcome.activity, alone.outcome.activity) << threads;
      EXPECT_EQ(shared.counters, alone.counters) << threads;
      ASSERT_EQ(shared.outcome.kernels.size(), alone.outcome.kernels.size());
      for (std::size_t i = 0; i < alone.outcome.kernels.size(); ++i) {
        EXPECT_EQ(shared.outcome.kernels[i].end, alone.outcome.kernels[i].end);
        EXPECT_EQ(shared.outcome.kernels[i].activity, alone.outcome.kernels[i].activity);
      }
    }
  }
}

/// Stores 512 bytes of each warp, over and over.
isa::KernelLaunch storing_kernel() {
  using isa::Variable;
  isa::WarpProgram program;
  program.name = "stores";
  const int target = add_access(program, 1,
                                {{Variable::kCtaX, 16'384},
                                 {Variable::kWarp, 4096},
                                 {Variable::kLane, 16},
                                 {Variable::kLoop0, 512}});
  add(program, isa::Opcode::kStg128, 255, {2, 4, 255}, target);
  program.loops.push_back({0, 1, 0, {8, {}}});
  add(program, isa::Opcode::kBra, 255, {255, 255, 255});
  add(program, isa::Opcode::kExit, 255, {255, 255, 255});
  return launch_of(program, 40, 4);
}

/// The L2 goes on to clean lines when a kernel has ended, and windows end anywhere.
TEST(Determinism, LinesCleanedBehindAKernelAreAlwaysTheSame) {
  config::Machine machine = ampere_machine();
  machine.l2.dirty_ways = 1;
  const std::vector<isa::KernelLaunch> launches{storing_kernel(), storing_kernel()};
  const Result whole = run(launches, {.threads = 1}, machine);
  for (const auto& [threads, quantum] : {std::pair{1, Cycle{1}}, {1, 64}, {2, 0}, {3, 13}}) {
    const Result cut = run(launches, {.quantum = quantum, .threads = threads}, machine);
    EXPECT_EQ(cut.counters, whole.counters) << quantum;
    for (std::size_t i = 0; i < launches.size(); ++i)
      EXPECT_EQ(cut.outcome.kernels[i].activity, whole.outcome.kernels[i].activity) << quantum;
  }
}

class AnyQuantum : public ::testing::TestWithParam<unsigned> {};

TEST_P(AnyQuantum, GivesTheSameCyclesAndCounters) {
  config::Machine machine = ampere_machine();
  if (GetParam() % 2 == 1) machine.l2.partitions = 2;
  if (GetParam() % 3 == 1) machine.clocks = {1590, 0, 1410, 1215};
  const std::vector<isa::KernelLaunch> stream{random_launch(GetParam()),
                                              random_launch(GetParam() + 100)};
  const Result whole = run(stream, {}, machine);
  EXPECT_EQ(whole.outcome.stop, StopReason::kFinished);
  for (const Cycle quantum : {1, 7, 64, 151}) {
    const Result cut = run(stream, {.quantum = quantum}, machine);
    EXPECT_EQ(cut.outcome.cycles, whole.outcome.cycles) << "quantum " << quantum;
    ASSERT_EQ(cut.counters.size(), whole.counters.size());
    for (std::size_t i = 0; i < whole.counters.size(); ++i)
      EXPECT_EQ(cut.counters[i], whole.counters[i]) << "quantum " << quantum;
  }
}

TEST_P(AnyQuantum, GivesTheSameCyclesAndCountersAfterAWarmUp) {
  const std::vector<isa::KernelLaunch> stream{random_launch(GetParam())};
  const Result whole = run_after(stream, stream);
  for (const Cycle quantum : {1, 64, 151}) {
    const Result cut = run_after(stream, stream, {.quantum = quantum});
    EXPECT_EQ(cut.outcome.cycles, whole.outcome.cycles) << "quantum " << quantum;
    for (std::size_t i = 0; i < whole.counters.size(); ++i)
      EXPECT_EQ(cut.counters[i], whole.counters[i]) << "quantum " << quantum;
  }
}

TEST_P(AnyQuantum, GivesTheSameCountersAtACycleLimit) {
  const std::vector<isa::KernelLaunch> stream{random_launch(GetParam())};
  const Result whole = run(stream, {.max_cycles = 1800});
  for (const Cycle quantum : {1, 7, 151}) {
    const Result cut = run(stream, {.quantum = quantum, .max_cycles = 1800});
    EXPECT_EQ(cut.outcome.cycles, whole.outcome.cycles) << "quantum " << quantum;
    for (std::size_t i = 0; i < whole.counters.size(); ++i)
      EXPECT_EQ(cut.counters[i], whole.counters[i]) << "quantum " << quantum;
  }
}

INSTANTIATE_TEST_SUITE_P(Streams, AnyQuantum, ::testing::Range(0U, 12U));

}  // namespace
}  // namespace tcsim::gpu::test
