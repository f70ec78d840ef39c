#include "sim/gpu/simulation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/gpu/timed_kernel.hpp"
#include "tests/support/ampere_machine.hpp"
#include "tests/support/counters.hpp"
#include "tests/support/program.hpp"
#include "tests/support/random_program.hpp"

namespace tcsim::gpu::test {
namespace {

using namespace tcsim::test;  // NOLINT: the tests' own vocabulary
using ::testing::HasSubstr;

Result run(const std::vector<isa::KernelLaunch>& launches, const SimulationOptions& options = {},
           const config::Machine& machine = ampere_machine(),
           const std::function<bool(const Progress&)>& keep_going = {},
           const std::vector<isa::KernelLaunch>& before = {}) {
  Simulation simulation(machine, options);
  Result result;
  result.outcome = simulation.run(launches, keep_going, before);
  result.counters = counter_values(simulation.counters());
  return result;
}

Result run_after(const std::vector<isa::KernelLaunch>& before,
                 const std::vector<isa::KernelLaunch>& launches,
                 const SimulationOptions& options = {}) {
  return run(launches, options, ampere_machine(), {}, before);
}

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

void expect_a_reason_for_every_cycle(const Result& result) {
  for (int sm = 0; sm < 4; ++sm)
    for (int sub_core = 0; sub_core < 4; ++sub_core) {
      const std::string prefix =
          "sm[" + std::to_string(sm) + "].sub_core[" + std::to_string(sub_core) + "].cycles_";
      std::uint64_t sum = 0;
      for (const auto& [path, value] : result.counters)
        if (path.starts_with(prefix)) sum += value;
      EXPECT_EQ(sum, static_cast<std::uint64_t>(result.outcome.cycles)) << prefix;
    }
}

TEST(Simulation, EveryCycleOfEverySubCoreHasAReason) {
  const Result result = run({timed_kernel(100, 7), random_launch(3)});
  expect_a_reason_for_every_cycle(result);
  EXPECT_EQ(result.at("sm[0].sub_core[0].cycles_launch"), 2u * kOverhead);
}

TEST(Simulation, CtasAreDispatchedOneAfterTheOther) {
  EXPECT_EQ(run({timed_kernel(100, 4)}).outcome.cycles, kOverhead + 3 * kDispatch + 100);
}

TEST(Simulation, TheNextCtaStartsAfterReleaseAndStart) {
  // The fifth CTA takes the slot of the first.
  EXPECT_EQ(run({timed_kernel(100, 5)}).outcome.cycles, kOverhead + 100 + kRelease + kStart + 100);
}

TEST(CtaSpread, TellsHowManyCtasSmsRanAndWhenTheyHadNoneLeft) {
  // Four CTAs, one after the other, then two more in the places of the first two.
  for (const auto& before : {std::vector<isa::KernelLaunch>{}, {timed_kernel(50, 3)}}) {
    const KernelSpan span = run_after(before, {timed_kernel(100, 6)}).outcome.kernels.at(0);
    const Cycle first_end = kOverhead + 100;
    const Cycle second = kRelease + kStart + 100;
    EXPECT_EQ(span.end, first_end + kDispatch + second);
    EXPECT_EQ(span.spread.fewest, 1);
    EXPECT_EQ(span.spread.most, 2);
    EXPECT_EQ(span.spread.first_done, first_end + 2 * kDispatch);
    EXPECT_EQ(span.spread.idle_cycles, kDispatch + (second - kDispatch) + (second - 2 * kDispatch));
    EXPECT_DOUBLE_EQ(span.tail_share(),
                     static_cast<double>(second - kDispatch) / static_cast<double>(span.end));
    EXPECT_DOUBLE_EQ(span.idle_share(4), static_cast<double>(span.spread.idle_cycles) /
                                             (4.0 * static_cast<double>(span.end)));
  }
}

TEST(CtaSpread, AnSmThatGetsNoCtaIsWithoutFromTheLaunchOn) {
  const std::vector<KernelSpan> spans =
      run({timed_kernel(100, 4), timed_kernel(100, 1)}).outcome.kernels;
  EXPECT_EQ(spans.at(0).spread.fewest, 1);
  EXPECT_EQ(spans.at(1).spread.fewest, 0);
  EXPECT_EQ(spans.at(1).spread.most, 1);
  EXPECT_EQ(spans.at(1).spread.first_done, spans.at(1).start);
  EXPECT_EQ(spans.at(1).spread.idle_cycles, 3 * (spans.at(1).end - spans.at(1).start));
  EXPECT_DOUBLE_EQ(spans.at(1).tail_share(), 1.0);
}

TEST(Simulation, BreadthFirstTakesOneSmOfEachTpcFirst) {
  isa::KernelLaunch launch = timed_kernel(100, 3);
  launch.shared_bytes_per_cta = 0;
  const Result result = run({launch});
  EXPECT_EQ(result.at("sm[0].sub_core[0].warp_instructions"), 11u);
  EXPECT_EQ(result.at("sm[1].sub_core[0].warp_instructions"), 11u);
  EXPECT_EQ(result.at("sm[2].sub_core[0].warp_instructions"), 11u);
  EXPECT_EQ(result.at("sm[3].sub_core[0].warp_instructions"), 0u);
}

TEST(Simulation, BreadthFirstGoesRoundTheGpcs) {
  config::Machine machine = ampere_machine();
  machine.gpu = {.sms = 8, .sms_per_tpc = 2, .sms_per_gpc = {4, 4}};
  const Result result = run({timed_kernel(100, 3)}, {}, machine);
  for (const int sm : {0, 4, 2})
    EXPECT_EQ(result.at("sm[" + std::to_string(sm) + "].sub_core[0].warp_instructions"), 11u);
  EXPECT_EQ(result.sum("warp_instructions"), 3u * 11);
}

TEST(Simulation, DepthFirstFillsAnSmBeforeTheNext) {
  config::Machine machine = ampere_machine();
  machine.launch.cta_placement = "depth_first";
  isa::KernelLaunch launch = timed_kernel(1000, 3);
  launch.shared_bytes_per_cta = 70 * 1024;  // two per SM
  const Result result = run({launch}, {}, machine);
  EXPECT_EQ(result.at("sm[0].sub_core[0].warp_instructions"), 101u);
  EXPECT_EQ(result.at("sm[0].sub_core[1].warp_instructions"), 101u);
  EXPECT_EQ(result.sum("warp_instructions"), 3u * 101);
}

TEST(Simulation, RoundRobinGoesOnWithTheNextSmWhateverHasBecomeFree) {
  const auto ctas_of = [](const std::string& placement) {
    config::Machine machine = ampere_machine();
    machine.launch.cta_placement = placement;
    machine.launch.cta_dispatch_interval_cycles = 10'000;  // all SMs are empty again
    const Result result = run({timed_kernel(1000, 6)}, {}, machine);
    std::vector<std::uint64_t> instructions;
    for (int sm = 0; sm < 4; ++sm) {
      std::uint64_t sum = 0;
      for (int sub_core = 0; sub_core < 4; ++sub_core)
        sum += result.at("sm[" + std::to_string(sm) + "].sub_core[" + std::to_string(sub_core) +
                         "].warp_instructions");
      instructions.push_back(sum / 101);
    }
    return instructions;
  };
  // The order of the SMs is 0, 2, 1, 3.
  EXPECT_EQ(ctas_of("breadth_first"), (std::vector<std::uint64_t>{6, 0, 0, 0}));
  EXPECT_EQ(ctas_of("round_robin"), (std::vector<std::uint64_t>{2, 1, 2, 1}));
}

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

TEST(Simulation, CodeStartsInTheInstructionL1AndStaysInTheL0) {
  const auto kernel = timed_kernel(100, 1);
  const Result result = run({kernel, kernel}, {}, machine_with_code());
  const auto& spans = result.outcome.kernels;
  EXPECT_EQ(spans[0].end - spans[0].start, kOverhead + 78 + 100);
  EXPECT_EQ(spans[1].end - spans[1].start, kOverhead + 100);
  EXPECT_EQ(result.sum("instruction_l1_misses"), 0u);
}

TEST(Simulation, ColdCodeIsReadFromDramOnce) {
  const auto kernel = timed_kernel(100, 1);
  const Result result = run({kernel, kernel}, {.cold_code = true}, machine_with_code());
  const auto& spans = result.outcome.kernels;
  EXPECT_GT(spans[0].end - spans[0].start, kOverhead + 78 + 100 + 400);
  EXPECT_EQ(spans[1].end - spans[1].start, kOverhead + 100);
  EXPECT_GT(result.sum("l2_misses"), 0u);
}

TEST(Simulation, LaunchesThatEmptyTheInstructionCachesReadTheL2) {
  const auto kernel = timed_kernel(100, 1);
  config::Machine machine = machine_with_code();
  machine.sm.instruction_fetch.at_launch = "emptied";
  const Result result = run({kernel, kernel}, {}, machine);
  const auto& spans = result.outcome.kernels;
  EXPECT_GT(spans[0].end - spans[0].start, kOverhead + 78 + 100 + 100);
  EXPECT_EQ(spans[1].end - spans[1].start, spans[0].end - spans[0].start);
  EXPECT_EQ(result.sum("l2_misses"), 0u);
}

TEST(Simulation, TheL2StartsWithWhatTheOptionsSay) {
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

TEST(Simulation, TheOtherPartitionHoldsCopiesOfWhatManySmsHaveRead) {
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

TEST(Simulation, ConstantsAreAtTheSamePlaceInEveryRunAndReadAnew) {
  config::Machine machine = machine_with_code();
  machine.l2.partitions = 2;
  machine.l2.bytes *= 128;  // room for the constants of all launches
  machine.l2.crossing_latency_cycles = machine.l2.hit_latency_cycles + 400;
  machine.sm.constant_cache = {.l0_bytes = 512,
                               .l0_ways = 2,
                               .line_bytes = 64,
                               .miss_hold_cycles = 4,
                               .miss_latency_cycles = 79,
                               .fill_bytes = 256,
                               .load_bytes = 2048,
                               .load_ways = 4,
                               .load_latency_cycles = 42,
                               .replacement = "lru"};
  ProgramBuilder program;
  for (const int offset : {0, 512, 1024}) program.op(Opcode::kMov).dst(4).constant(offset);
  program.op(Opcode::kExit);
  const std::vector<isa::KernelLaunch> launches(8, single_warp(program));
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

TEST(Simulation, OtherCodeIsFetchedAnew) {
  const Result result = run({timed_kernel(100, 1), timed_kernel(50, 1)}, {}, machine_with_code());
  const auto& spans = result.outcome.kernels;
  EXPECT_EQ(spans[1].end - spans[1].start, kOverhead + 78 + 50);
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

TEST(Simulation, ALoadGoesToDramAndBack) {
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

/// A load of one line.
isa::KernelLaunch one_load() {
  ProgramBuilder program;
  program.global(Opcode::kLdg32, per_lane(0)).dst(4).src(2).writes(0);
  program.op(Opcode::kExit).waits(0);
  return single_warp(program);
}

TEST(Simulation, AWarmUpLeavesItsLinesInTheL2AndCountsNothing) {
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

TEST(Simulation, AWarmUpOnOtherAddressesSparesNothing) {
  isa::KernelLaunch elsewhere = one_load();
  elsewhere.buffers[0].base_address += 1 << 20;
  const Result cold = run({one_load()});
  const Result other = run_after({elsewhere}, {one_load()});
  EXPECT_EQ(other.sum("l2_misses"), 1u);
  EXPECT_NEAR(static_cast<double>(other.outcome.cycles), static_cast<double>(cold.outcome.cycles),
              5);  // the DRAM clock stands elsewhere
}

TEST(Simulation, EveryCycleHasAReasonAfterAWarmUpToo) {
  expect_a_reason_for_every_cycle(run_after({random_launch(4)}, {one_load(), random_launch(3)}));
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

TEST(Simulation, CyclesUpToALimitWithinTheLaunchAddUp) {
  const Result result = run({timed_kernel(100, 1)}, {.max_cycles = 500});
  EXPECT_EQ(result.outcome.stop, StopReason::kCycleLimit);
  std::uint64_t sum = 0;
  for (const auto& [path, value] : result.counters)
    if (path.starts_with("sm[0].sub_core[0].cycles_")) sum += value;
  EXPECT_EQ(sum, 500u);
}

TEST(Simulation, ManyCanRunOneAfterAnotherInAProcess) {
  const Result first = run({random_launch(1)});
  for (int i = 0; i < 5; ++i) {
    const Result again = run({random_launch(1)});
    EXPECT_EQ(again.outcome.cycles, first.outcome.cycles);
    EXPECT_TRUE(again.counters == first.counters);
  }
}

TEST(Simulation, CanBeDroppedWithoutARun) {
  { const Simulation unused(ampere_machine(), {}); }
  EXPECT_EQ(run({timed_kernel(100, 1)}).outcome.cycles, kOverhead + 100);
}

TEST(Simulation, HostThreadsChangeNothing) {
  config::Machine machine = ampere_machine();
  machine.gpu = {.sms = 32, .sms_per_tpc = 2, .sms_per_gpc = {16, 16}};
  std::vector<isa::KernelLaunch> launches;
  for (const std::uint32_t seed : {3U, 4U, 5U}) {
    launches.push_back(random_launch(seed));
    launches.back().grid = {200, 1, 1};
  }
  const Result alone = run(launches, {.threads = 1}, machine);
  const Result shared = run(launches, {.threads = 4}, machine);
  EXPECT_EQ(shared.outcome.cycles, alone.outcome.cycles);
  EXPECT_EQ(shared.counters, alone.counters);
}

TEST(Simulation, LargestQuantumIsBoundByNetworkAndScheduler) {
  EXPECT_EQ(Simulation(ampere_machine(), {}).largest_quantum(), 152);
  config::Machine machine = ampere_machine();
  machine.launch.cta_start_cycles = 60;
  EXPECT_EQ(Simulation(machine, {}).largest_quantum(), 100);
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
