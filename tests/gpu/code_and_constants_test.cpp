#include "sim/gpu/simulation.hpp"

#include <gtest/gtest.h>

#include "tests/gpu/result.hpp"
#include "tests/gpu/timed_kernel.hpp"
#include "tests/support/ampere_machine.hpp"

namespace tcsim::gpu::test {
namespace {

using namespace tcsim::test;  // NOLINT: the tests' own vocabulary

/// A machine with instruction caches, its L2 answering within a few hundred cycles.
config::Machine machine_with_code() {
  config::Machine machine = ampere_machine();
  machine.sm.instruction_fetch = {.l0_bytes = 1024,
                                  .l0_ways = 2,
                                  .prefetch_lines = 8,
                                  .l1_bytes = 4096,
                                  .l1_ways = 4,
                                  .l1_hit_latency_cycles = 78,
                                  .l1_interval_cycles = 2,
                                  .line_bytes = 128,
                                  .instructions_per_line = 8,
                                  .buffer_entries = 3,
                                  .at_launch = "kept",
                                  .replacement = "lru"};
  return machine;
}

TEST(CodeAndConstants, CodeStartsInTheInstructionL1AndStaysInTheL0) {
  const auto kernel = timed_kernel(100, 1);
  const Result result = run({kernel, kernel}, {}, machine_with_code());
  const auto& spans = result.outcome.kernels;
  EXPECT_EQ(spans[0].end - spans[0].start, kOverhead + 78 + 100);
  EXPECT_EQ(spans[1].end - spans[1].start, kOverhead + 100);
  EXPECT_EQ(result.sum("instruction_l1_misses"), 0u);
}

TEST(CodeAndConstants, ColdCodeIsReadFromDramOnce) {
  const auto kernel = timed_kernel(100, 1);
  const Result result = run({kernel, kernel}, {.cold_code = true}, machine_with_code());
  const auto& spans = result.outcome.kernels;
  EXPECT_GT(spans[0].end - spans[0].start, kOverhead + 78 + 100 + 400);
  EXPECT_EQ(spans[1].end - spans[1].start, kOverhead + 100);
  EXPECT_GT(result.sum("l2_misses"), 0u);
}

TEST(CodeAndConstants, LaunchesThatEmptyTheInstructionCachesReadTheL2) {
  const auto kernel = timed_kernel(100, 1);
  config::Machine machine = machine_with_code();
  machine.sm.instruction_fetch.at_launch = "emptied";
  const Result result = run({kernel, kernel}, {}, machine);
  const auto& spans = result.outcome.kernels;
  EXPECT_GT(spans[0].end - spans[0].start, kOverhead + 78 + 100 + 100);
  EXPECT_EQ(spans[1].end - spans[1].start, spans[0].end - spans[0].start);
  EXPECT_EQ(result.sum("l2_misses"), 0u);
}

TEST(CodeAndConstants, OtherCodeIsFetchedAnew) {
  const Result result = run({timed_kernel(100, 1), timed_kernel(50, 1)}, {}, machine_with_code());
  const auto& spans = result.outcome.kernels;
  EXPECT_EQ(spans[1].end - spans[1].start, kOverhead + 78 + 50);
}

sm::ConstantCacheParams small_constant_cache() {
  return {.l0_bytes = 512,
          .l0_ways = 2,
          .line_bytes = 64,
          .miss_hold_cycles = 4,
          .miss_latency_cycles = 79,
          .fill_bytes = 256,
          .load_bytes = 2048,
          .load_ways = 4,
          .load_latency_cycles = 42,
          .replacement = "lru"};
}

/// Reads three lines of its constants.
isa::KernelLaunch reads_constants() {
  ProgramBuilder program;
  for (const int offset : {0, 512, 1024}) program.op(Opcode::kMov).dst(4).constant(offset);
  program.op(Opcode::kExit);
  return single_warp(program);
}

TEST(CodeAndConstants, ALaunchDoesNotDependOnHowManyFollow) {
  config::Machine machine = machine_with_code();
  machine.sm.constant_cache = small_constant_cache();
  const auto first = [&machine](std::size_t launches) {
    const std::vector<isa::KernelLaunch> list(launches, reads_constants());
    return run(list, {}, machine).outcome.kernels.front().end;
  };
  EXPECT_EQ(first(8), first(1));   // more than the L2 has ways
  EXPECT_EQ(first(40), first(1));  // more than it holds
}

TEST(CodeAndConstants, ConstantsAreAtTheSamePlaceInEveryRunAndReadAnew) {
  config::Machine machine = machine_with_code();
  machine.l2.partitions = 2;
  machine.l2.bytes *= 128;  // room for the constants of all launches
  machine.l2.crossing_latency_cycles = machine.l2.hit_latency_cycles + 400;
  machine.sm.constant_cache = small_constant_cache();
  const std::vector<isa::KernelLaunch> launches(8, reads_constants());
  const Result cold = run(launches, {}, machine);
  const Result warm = run(launches, {}, machine, {}, {launches.begin(), launches.begin() + 3});
  // Each launch reads them anew; some have their home on the far side of the die.
  EXPECT_EQ(warm.sum("constant_l0_misses"), cold.sum("constant_l0_misses"));
  EXPECT_EQ(warm.sum("instruction_l1_misses"), cold.sum("instruction_l1_misses"));
  EXPECT_GT(cold.sum("l2_crossings"), 0u);
  EXPECT_EQ(warm.sum("l2_crossings"), cold.sum("l2_crossings"));
  EXPECT_EQ(warm.sum("reads") + cold.sum("reads"), 0u);
  for (std::size_t i = 1; i < launches.size(); ++i) {  // the first has its code in the L0, too
    const KernelSpan& first = cold.outcome.kernels[i];
    const KernelSpan& again = warm.outcome.kernels[i];
    EXPECT_EQ(again.end - again.start, first.end - first.start) << i;
  }
}

}  // namespace
}  // namespace tcsim::gpu::test
