#include "sim/gpu/simulation.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/gpu/result.hpp"
#include "tests/gpu/timed_kernel.hpp"
#include "tests/support/ampere_machine.hpp"
#include "tests/support/random_program.hpp"

namespace tcsim::gpu::test {
namespace {

using namespace tcsim::test;  // NOLINT: the tests' own vocabulary

/// A load of one line.
isa::KernelLaunch one_load() {
  ProgramBuilder program;
  program.global(Opcode::kLdg32, per_lane(0)).dst(4).src(2).writes(0);
  program.op(Opcode::kExit).waits(0);
  return single_warp(program);
}

TEST(MemoryContents, ALoadGoesToDramAndBack) {
  ProgramBuilder program;
  program.global(Opcode::kLdg32, per_lane(0)).dst(4).src(2).writes(0);
  program.op(Opcode::kExit).waits(0);
  const Result result = run({single_warp(program)});
  // 33 in the SM, 152 for network and slice, 228 in the controller, DRAM at 1215 MHz: tRCD 18, CL
  // 18, burst 2 clocks are 45 L2 clocks; up to one clock more at each change of clock. The cycle of
  // the EXIT counts, too.
  EXPECT_GE(result.outcome.cycles, kOverhead + 33 + 152 + 228 + 45 + 1 - 1);
  EXPECT_LE(result.outcome.cycles, kOverhead + 33 + 152 + 228 + 45 + 1 + 2);
  EXPECT_EQ(result.sum("l1_misses"), 1u);
  EXPECT_EQ(result.sum("l2_misses"), 1u);
  EXPECT_EQ(result.sum("reads"), 1u);
}

TEST(MemoryContents, TheL2StartsWithWhatTheOptionsSay) {
  ProgramBuilder program;
  program.global(Opcode::kLdg32, per_lane(0)).dst(4).src(2).writes(0);
  program.op(Opcode::kExit).waits(0);
  const isa::KernelLaunch kernel = single_warp(program);
  const std::uint64_t read = kernel.buffers[0].base_address;
  const std::uint64_t misses = run({kernel}).sum("l2_misses");
  EXPECT_GT(misses, 0u);
  EXPECT_EQ(run({kernel}, {.l2 = {{read, 4096, false}}}).sum("l2_misses"), 0u);
  // Twice the capacity is written later: the read finds dirty lines only, one of which must go.
  const auto capacity = static_cast<std::uint64_t>(ampere_machine().l2.bytes);
  const std::uint64_t elsewhere = read + (std::uint64_t{1} << 32);
  const Result result =
      run({kernel}, {.l2 = {{read, 4096, false}, {elsewhere, 2 * capacity, true}}});
  EXPECT_EQ(result.sum("l2_misses"), misses);
  EXPECT_EQ(result.sum("l2_writeback_bytes"), 128u);
}

TEST(MemoryContents, WhatIsDueToBeCleanedWhenAKernelEndsStaysDirty) {
  config::Machine machine = ampere_machine();
  machine.l2.dirty_ways = 1;
  machine.l2.miss_entries = 4;  // sectors of one line
  const isa::KernelLaunch kernel = one_load();
  std::vector<memory::CachedLine> dirty;
  for (std::int64_t at = 0; at < machine.l2.bytes; at += machine.l2.line_bytes)
    dirty.push_back({kernel.buffers[0].base_address + static_cast<std::uint64_t>(at), 0xf, 0xf});
  Simulation simulation(machine, {});
  simulation.fill_l2(dirty);
  ASSERT_EQ(simulation.run({kernel}, {}, {}).stop, StopReason::kFinished);
  const auto before = std::ranges::count(dirty, 0xf, &memory::CachedLine::dirty);
  const auto lines = simulation.l2_lines();
  const auto after = std::ranges::count(lines, 0xf, &memory::CachedLine::dirty);
  EXPECT_LT(after, before);
  // The slice that was asked has begun; with time enough it would keep a line of each set.
  const auto of_a_slice = before / machine.l2.slices;
  EXPECT_GT(after, before - of_a_slice / 2);
}

TEST(MemoryContents, TheOtherPartitionHoldsCopiesOfWhatManySmsHaveRead) {
  ProgramBuilder program;
  program.global(Opcode::kLdg32, per_lane(0)).dst(4).src(2).writes(0);
  program.op(Opcode::kExit).waits(0);
  const isa::KernelLaunch kernel = single_warp(program);
  config::Machine machine = ampere_machine();
  machine.l2.partitions = 2;
  const std::uint64_t read = kernel.buffers[0].base_address;
  const auto capacity = static_cast<std::uint64_t>(machine.l2.bytes);
  // Half of the capacity follows, which copies of every line make all of it.
  const L2Content old{read, 4096, false, 0};
  const auto dram_reads = [&](int readers) {
    const L2Content later{read + (std::uint64_t{1} << 32), capacity / 2, false, readers};
    return run({kernel}, {.l2 = {old, later}}, machine).sum("reads");
  };
  EXPECT_EQ(dram_reads(0), 0u);
  EXPECT_GT(dram_reads(64), 0u);
}

TEST(MemoryContents, AWarmUpLeavesItsLinesInTheL2AndCountsNothing) {
  const Result cold = run({one_load()});
  const Result warm = run_after({one_load()}, {one_load()});
  EXPECT_EQ(warm.sum("l1_misses"), 1u);
  EXPECT_EQ(warm.sum("l2_misses"), 0u);
  EXPECT_EQ(warm.sum("reads"), 0u);
  EXPECT_EQ(warm.sum("warp_instructions"), 2u);
  // What is saved is the controller and the DRAM.
  EXPECT_LE(warm.outcome.cycles, cold.outcome.cycles - 228 - 45);
  EXPECT_GE(warm.outcome.cycles, kOverhead + 33 + 152);
  ASSERT_EQ(warm.outcome.kernels.size(), 1u);
  EXPECT_EQ(warm.outcome.kernels[0].warp_instructions, 2u);
  EXPECT_EQ(warm.outcome.kernels.front().start, 0);
}

TEST(MemoryContents, AWarmUpOnOtherAddressesSparesNothing) {
  isa::KernelLaunch elsewhere = one_load();
  elsewhere.buffers[0].base_address += 1 << 20;
  const Result cold = run({one_load()});
  const Result other = run_after({elsewhere}, {one_load()});
  EXPECT_EQ(other.sum("l2_misses"), 1u);
  EXPECT_NEAR(static_cast<double>(other.outcome.cycles), static_cast<double>(cold.outcome.cycles),
              5);  // the DRAM clock stands elsewhere
}

TEST(MemoryContents, EveryCycleHasAReasonAfterAWarmUpToo) {
  expect_a_reason_for_every_cycle(run_after({random_launch(4)}, {one_load(), random_launch(3)}));
}

}  // namespace
}  // namespace tcsim::gpu::test
