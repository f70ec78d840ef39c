#include <gtest/gtest.h>

#include "sim/gpu/simulation.hpp"
#include "tests/gpu/result.hpp"
#include "tests/gpu/timed_kernel.hpp"
#include "tests/support/ampere_machine.hpp"
#include "tests/support/counters.hpp"
#include "tests/support/program.hpp"
#include "tests/support/random_program.hpp"

namespace tcsim::gpu::test {
namespace {

using namespace tcsim::test;  // NOLINT: the tests' own vocabulary
using Streams = std::vector<std::vector<isa::KernelLaunch>>;

Result run_streams(const Streams& streams, Cycle quantum = 0) {
  Simulation simulation(ampere_machine(), {.quantum = quantum});
  Result result;
  result.outcome = simulation.run_streams(streams, {});
  result.counters = counter_values(simulation.counters());
  return result;
}

TEST(Streams, ASmallKernelLeavesSmsToTheOther) {
  const Result result = run_streams({{timed_kernel(5000, 2)}, {timed_kernel(5000, 2)}});
  ASSERT_EQ(result.outcome.kernels.size(), 2U);
  EXPECT_EQ(result.outcome.kernels[0].end, kOverhead + kDispatch + 5000);
  // The second gets its SMs when the first has dispatched its last CTA.
  EXPECT_EQ(result.outcome.kernels[1].end, kOverhead + kDispatch + kRelease + kDispatch + 5000);
  EXPECT_EQ(result.outcome.kernels[1].stream, 1);
}

TEST(Streams, ALargeKernelLeavesItsTail) {
  // Five CTAs on four SMs: three SMs are idle while the fifth runs.
  const Result result = run_streams({{timed_kernel(5000, 5)}, {timed_kernel(5000, 3)}});
  const Cycle second_wave = kOverhead + 5000 + kRelease + kStart;
  EXPECT_EQ(result.outcome.kernels[0].end, second_wave + 5000);
  EXPECT_LT(result.outcome.kernels[1].end, second_wave + 5000 + kRelease + kStart);
  EXPECT_GT(result.outcome.kernels[1].end, second_wave + 5000);
}

TEST(Streams, EachRunsItsKernelsInOrder) {
  const Result result =
      run_streams({{timed_kernel(500, 1), timed_kernel(500, 1)}, {timed_kernel(900, 1)}});
  ASSERT_EQ(result.outcome.kernels.size(), 3U);
  EXPECT_EQ(result.outcome.kernels[2].start, result.outcome.kernels[0].end);
  EXPECT_LT(result.outcome.kernels[1].end, result.outcome.kernels[2].end);
  EXPECT_EQ(result.outcome.cycles, result.outcome.kernels[2].end);
}

TEST(Streams, CountTheInstructionsOfTheirKernels) {
  const Result result = run_streams({{timed_kernel(100, 3)}, {timed_kernel(200, 1)}});
  EXPECT_EQ(result.outcome.kernels[0].warp_instructions, 3 * 11U);
  EXPECT_EQ(result.outcome.kernels[1].warp_instructions, 21U);
}

TEST(Streams, AnEmptyOneTakesNoTime) {
  EXPECT_EQ(run_streams({{}, {timed_kernel(100, 1)}}).outcome.cycles, kOverhead + 100);
  EXPECT_EQ(run_streams({{}, {}}).outcome.cycles, 0);
}

TEST(Streams, DoNotDependOnTheQuantum) {
  for (unsigned seed = 0; seed < 12; ++seed) {
    const Streams streams{{random_launch(seed), random_launch(seed + 100)},
                          {random_launch(seed + 200), random_launch(seed + 300)}};
    const Result largest = run_streams(streams);
    for (const Cycle quantum : {1, 7, 50}) {
      const Result other = run_streams(streams, quantum);
      EXPECT_EQ(other.outcome.cycles, largest.outcome.cycles) << seed << ", " << quantum;
      EXPECT_EQ(other.counters, largest.counters) << seed << ", " << quantum;
    }
  }
}

}  // namespace
}  // namespace tcsim::gpu::test
