#include <gtest/gtest.h>

#include "tests/sm/sm_bench.hpp"

namespace tcsim::sm::test {
namespace {

/// The distance between two independent instructions of `opcode`, the first of which asks for no
/// stall.
Cycle interval_of(Opcode opcode) {
  ProgramBuilder program;
  program.op(opcode);
  program.op(opcode);
  program.op(Opcode::kExit);
  return end_of(program) - 1;
}

TEST(Issue, TakesOneInstructionPerCycle) {
  ProgramBuilder program;
  for (int i = 0; i < 10; ++i) program.op(Opcode::kNop);
  program.op(Opcode::kExit);
  EXPECT_EQ(end_of(program), 10);
}

TEST(Issue, TakesOneInstructionPerCycleOfEachSubCore) {
  ProgramBuilder program;
  for (int i = 0; i < 10; ++i) program.op(Opcode::kNop);
  program.op(Opcode::kExit);
  EXPECT_EQ(end_of(on_warps(program, {0, 1, 2, 3})), 10);
  EXPECT_EQ(end_of(on_warps(program, {0, 4})), 21);  // two warps on sub-core 0 share its slot
}

TEST(Issue, WaitsForTheStallCount) {
  for (const int stall : {1, 2, 7, 15}) {
    ProgramBuilder program;
    program.op(Opcode::kNop).stall(stall);
    program.op(Opcode::kExit);
    EXPECT_EQ(end_of(program), stall);
  }
}

TEST(Issue, AWarpThatYieldsLeavesOutTheNextCycle) {
  for (const int stall : {0, 1, 2, 7}) {
    ProgramBuilder program;
    program.op(Opcode::kNop).stall(stall).yield();
    program.op(Opcode::kExit);
    EXPECT_EQ(end_of(program), std::max(stall, 2));
  }
}

TEST(Issue, AnUnassembledStallOfZeroCountsAsOne) {
  ProgramBuilder program;
  program.op(Opcode::kNop).stall(0);
  program.op(Opcode::kExit);
  EXPECT_EQ(end_of(program), 1);
}

TEST(Issue, PipesAcceptAtTheirIntervals) {
  EXPECT_EQ(interval_of(Opcode::kFfma), 2);  // 64 lanes over 4 sub-cores
  EXPECT_EQ(interval_of(Opcode::kImad), 2);
  EXPECT_EQ(interval_of(Opcode::kIadd3), 2);
  EXPECT_EQ(interval_of(Opcode::kHfma2), 1);
  EXPECT_EQ(interval_of(Opcode::kDfma), 4);
  EXPECT_EQ(interval_of(Opcode::kMufuEx2), 8);
  EXPECT_EQ(interval_of(Opcode::kUiadd3), 1);
  EXPECT_EQ(interval_of(Opcode::kHmma16816F32), 8);
  EXPECT_EQ(interval_of(Opcode::kHmma1688F32), 4);
  EXPECT_EQ(interval_of(Opcode::kImma16832S8), 8);
  EXPECT_EQ(interval_of(Opcode::kImma8816S8),
            4);  // by its least interval, not by its multiply-adds
  EXPECT_EQ(interval_of(Opcode::kDmma884), 16);
}

TEST(Issue, DifferentPipesDoNotWaitForEachOther) {
  ProgramBuilder program;
  program.op(Opcode::kFfma);
  program.op(Opcode::kIadd3);
  program.op(Opcode::kMufuEx2);
  program.op(Opcode::kHmma16816F32);
  program.op(Opcode::kExit);
  EXPECT_EQ(end_of(program), 4);
}

TEST(Issue, SubCoresHavePipesOfTheirOwn) {
  ProgramBuilder program;
  program.op(Opcode::kMufuEx2);
  program.op(Opcode::kExit);
  EXPECT_EQ(end_of(on_warps(program, {0, 1, 2, 3})), 1);
  EXPECT_EQ(end_of(on_warps(program, {0, 4})),
            9);  // the second MUFU waits for the first, its EXIT follows
}

ProgramBuilder hmma_chain(int count, bool dependent) {
  ProgramBuilder program;
  for (int i = 0; i < count; ++i) {
    const bool last = i + 1 == count;
    program.op(Opcode::kHmma16816F32).dst(8).src(0, 4, 8).stall(dependent && !last ? 15 : 1);
    if (dependent && !last)
      program.op(Opcode::kNop).stall(10);  // 25 cycles do not fit one stall count
  }
  program.op(Opcode::kExit);
  return program;
}

TEST(TensorPipe, OneWarpIssuesIndependentHmmaBackToBack) {
  EXPECT_EQ(end_of(hmma_chain(5, /*dependent=*/false)), 4 * 8 + 1);
}

TEST(TensorPipe, AWarpWaitsLongerForThePipeThanAnotherOne) {
  SmParams params = ampere_sm();
  params.tensor.same_warp_extra_cycles = 1;
  const ProgramBuilder chain = hmma_chain(5, /*dependent=*/false);
  EXPECT_EQ(end_of(chain, params), 4 * 9 + 1);
  EXPECT_EQ(end_of(on_warps(chain, {0, 4}), params), 9 * 8 + 1);
}

TEST(TensorPipe, DependentHmmaFollowAtTheLatency) {
  EXPECT_EQ(end_of(hmma_chain(5, /*dependent=*/true)), 4 * 25 + 1);
}

TEST(FmaPipe, CountsTheSlotsThatItsInstructionsHold) {
  ProgramBuilder program;
  for (int i = 0; i < 5; ++i) program.op(Opcode::kFfma);
  program.op(Opcode::kImadWide);
  program.op(Opcode::kMov);
  program.op(Opcode::kDfma);
  program.op(Opcode::kHfma2);
  program.op(Opcode::kExit);
  SmBench bench(single_warp(program));
  bench.start_cta(0);
  bench.finish();
  EXPECT_EQ(bench.counter("sub_core[0].fp64_slots_used"),
            static_cast<std::uint64_t>(interval_of(Opcode::kDfma)));
  EXPECT_EQ(bench.counter("sub_core[0].half_slots_used"),
            static_cast<std::uint64_t>(interval_of(Opcode::kHfma2)));
  EXPECT_EQ(
      bench.counter("sub_core[0].fma_slots_used"),
      static_cast<std::uint64_t>(5 * interval_of(Opcode::kFfma) + interval_of(Opcode::kImadWide)));
}

TEST(Fp64Pipe, ThatTheSubCoresShareHoldsAllOfThem) {
  SmParams params = ampere_sm();
  params.pipes.fp64_lanes = 2;
  constexpr int kInterval = 32 / 2;
  ProgramBuilder program;
  for (int i = 0; i < 5; ++i) program.op(Opcode::kDfma);
  program.op(Opcode::kExit);
  SmBench bench(on_warps(program, {0, 1}), params);
  bench.start_cta(0);
  EXPECT_EQ(bench.finish(), 9 * kInterval + 1);
  for (int i = 0; i < params.sub_cores; ++i)
    EXPECT_EQ(bench.counter("sub_core[" + std::to_string(i) + "].fp64_slots_used"),
              10U * kInterval);
}

TEST(TensorPipe, TwoWarpsShareThePipe) {
  EXPECT_EQ(end_of(on_warps(hmma_chain(5, /*dependent=*/false), {0, 4})), 9 * 8 + 1);
}

TEST(TensorPipe, TwoWarpsHideEachOthersLatency) {
  // 25 cycles hold three intervals of eight: the second warp fits between two HMMA of the first.
  const Cycle one = end_of(hmma_chain(5, /*dependent=*/true));
  EXPECT_LE(end_of(on_warps(hmma_chain(5, /*dependent=*/true), {0, 4})), one + 9);
}

TEST(TensorPipe, CountsBusyCyclesAndSlots) {
  SmBench bench(single_warp(hmma_chain(3, /*dependent=*/false)));
  bench.start_cta(0);
  EXPECT_EQ(bench.finish(), 17);
  EXPECT_EQ(bench.counter("sub_core[0].mma_instructions"), 3u);
  EXPECT_EQ(bench.counter("sub_core[0].tensor_issue_slots_used"), 24u);
  EXPECT_EQ(bench.counter("sub_core[0].tensor_busy_cycles"), 16u + 25u);
  EXPECT_EQ(bench.counter("sub_core[0].warp_instructions"), 4u);
  EXPECT_EQ(bench.counter("sub_core[1].warp_instructions"), 0u);
  EXPECT_EQ(bench.reason("tensor_pipe_busy"), 14u);
  EXPECT_EQ(bench.reason("issued"), 4u);
}

TEST(TensorPipe, CountsTheMultiplyAddsHoweverLongTheyHoldThePipe) {
  SmParams params = ampere_sm();
  params.tensor.sparse_speedup = 2;
  params.tensor.instructions.push_back({Opcode::kHmmaSp16832F32, 25, 1});
  for (const int least_interval : {1, 8, 40})
    for (TensorInstructionParams& row : params.tensor.instructions) {
      row.min_interval_cycles = least_interval;
      const isa::OpcodeInfo& info = isa::opcode_info(row.opcode);
      ProgramBuilder program;
      for (int i = 0; i < 3; ++i) program.op(row.opcode);
      program.op(Opcode::kExit);
      SmBench bench(single_warp(program), params);
      bench.start_cta(0);
      bench.finish();
      // Every other element of a sparse A is a zero that nothing multiplies.
      const std::uint64_t macs = std::uint64_t{info.m} * info.n * info.k / (info.sparse ? 2 : 1);
      EXPECT_EQ(bench.counter("sub_core[0].tensor_macs"), 3 * macs) << info.mnemonic;
    }
}

/// The warps (by CTA-relative number) in the order in which they issue: each warp stores to a line
/// of its own, twice.
std::vector<int> order_of_stores(const std::string& policy, std::initializer_list<int> warps) {
  ProgramBuilder program;
  const Expression line{0, {{Variable::kWarp, 128}, {Variable::kLane, 4}}};
  program.global(Opcode::kStg32, line);
  program.global(Opcode::kStg32, line);
  program.op(Opcode::kExit);
  SmParams params = ampere_sm();
  params.issue_policy = policy;
  SmBench bench(on_warps(program, warps), params);
  bench.start_cta(0);
  bench.finish();
  std::vector<int> order;
  for (const memory::LineRequest& request : bench.requests())
    order.push_back(static_cast<int>(request.address % (1 << 20) / 128));
  return order;
}

TEST(IssueOrder, GreedyThenYoungestStaysThenTakesTheYoungest) {
  EXPECT_EQ(order_of_stores("greedy_then_youngest", {0, 4}), (std::vector<int>{4, 4, 0, 0}));
}

TEST(IssueOrder, GreedyThenOldestStaysThenTakesTheOldest) {
  EXPECT_EQ(order_of_stores("greedy_then_oldest", {0, 4}), (std::vector<int>{0, 0, 4, 4}));
}

TEST(IssueOrder, LooseRoundRobinTakesTurns) {
  EXPECT_EQ(order_of_stores("loose_round_robin", {0, 4}), (std::vector<int>{0, 4, 0, 4}));
}

TEST(IssueOrder, TwoLevelTakesTurnsInAGroupAndLeavesTheNextGroupBehind) {
  EXPECT_EQ(order_of_stores("two_level", {0, 4, 8, 12, 16}),
            (std::vector<int>{0, 4, 8, 12, 0, 4, 8, 12, 16, 16}));
}

TEST(IssueReasons, NameTheConstraintThatLiftedLast) {
  ProgramBuilder program;
  program.op(Opcode::kFfma).stall(4);  // 3 cycles of fixed dependence
  program.op(Opcode::kMufuEx2).stall(1);
  program.op(Opcode::kMufuEx2).stall(1);   // 7 cycles of a busy pipe
  program.op(Opcode::kMufuEx2).stall(10);  // again 7; then 9 of stall count
  program.op(Opcode::kExit);
  SmBench bench(single_warp(program));
  bench.start_cta(0, 5);  // 5 cycles without a warp
  EXPECT_EQ(bench.finish(), 5 + 4 + 8 + 8 + 10);
  EXPECT_EQ(bench.reason("no_warp"), 5u);
  EXPECT_EQ(bench.reason("dependence_fixed"), 12u);
  EXPECT_EQ(bench.reason("other_pipe_busy"), 14u);
  EXPECT_EQ(bench.reason("issued"), 5u);
  EXPECT_EQ(bench.reason("no_warp", 1), 36u);
}

/// `count` independent HMMA with the stall that the assembler plans: the interval of the pipe.
ProgramBuilder planned_hmmas(int count) {
  ProgramBuilder program;
  for (int i = 0; i < count; ++i) program.op(Opcode::kHmma16816F32).stall(8);
  program.op(Opcode::kExit);
  return program;
}

TEST(IssueReasons, AStallThatEndsWithTheIntervalOfThePipeIsThePipes) {
  SmBench bench(single_warp(planned_hmmas(5)));
  bench.start_cta(0);
  EXPECT_EQ(bench.finish(), 5 * 8);
  EXPECT_EQ(bench.reason("tensor_pipe_busy"), 4u * 7);
  EXPECT_EQ(bench.reason("dependence_fixed"), 7u);  // EXIT needs no pipe
}

TEST(IssueReasons, OfALatencyThePipeHasItsIntervalAndTheDependenceTheRest) {
  SmBench bench(single_warp(hmma_chain(2, /*dependent=*/true)));
  bench.start_cta(0);
  EXPECT_EQ(bench.finish(), 25 + 1);
  EXPECT_EQ(bench.reason("tensor_pipe_busy"), 7u);
  EXPECT_EQ(bench.reason("dependence_fixed"), 25u - 1 - 7 - 1);  // the NOP has a cycle
}

TEST(IssueReasons, AFillerWaitsForThePipeOfWhatComesBehindIt) {
  ProgramBuilder program;
  program.op(Opcode::kDmma884).stall(15);  // an interval of 16
  program.op(Opcode::kNop).stall(1);
  program.op(Opcode::kDmma884).stall(1);
  program.op(Opcode::kExit);
  SmBench bench(single_warp(program));
  bench.start_cta(0);
  EXPECT_EQ(bench.finish(), 17);
  EXPECT_EQ(bench.reason("tensor_pipe_busy"), 14u);
  EXPECT_EQ(bench.reason("dependence_fixed"), 0u);
}

TEST(IssueReasons, ABranchWaitsForThePipeOfTheStartOfItsLoop) {
  ProgramBuilder program;
  const int loop = program.begin_loop(0, {3, {}});
  program.op(Opcode::kHmma16816F32).stall(7);
  program.end_loop(loop);
  program.op(Opcode::kExit);
  SmBench bench(single_warp(program));
  bench.start_cta(0);
  bench.finish();
  EXPECT_EQ(bench.reason("tensor_pipe_busy"), 3u * 6);
}

TEST(IssueReasons, CyclesInWhichAReadyWarpWantsATakenPipeAreThePipes) {
  ProgramBuilder other;
  other.op(Opcode::kNop).stall(6);
  other.op(Opcode::kNop);
  other.op(Opcode::kExit);
  ProgramBuilder mma;
  mma.op(Opcode::kHmma16816F32);
  mma.op(Opcode::kHmma16816F32);
  mma.op(Opcode::kExit);
  // Warps 0 and 4 are on sub-core 0; the youngest goes first.
  SmBench bench(make_launch({exit_only(), mma.program(), other.program()}, {1, 0, 0, 0, 2}));
  bench.start_cta(0);
  EXPECT_EQ(bench.finish(), 10);
  EXPECT_EQ(bench.reason("tensor_pipe_busy"), 4u + 1);  // before the second NOP, and behind EXIT
  EXPECT_EQ(bench.reason("dependence_fixed"), 0u);
}

TEST(IssueReasons, OtherPipesHaveTheirIntervalsToo) {
  ProgramBuilder program;
  program.op(Opcode::kMufuEx2).stall(8);
  program.op(Opcode::kMufuEx2).stall(1);
  program.op(Opcode::kExit);
  SmBench bench(single_warp(program));
  bench.start_cta(0);
  bench.finish();
  EXPECT_EQ(bench.reason("other_pipe_busy"), 7u);
  EXPECT_EQ(bench.reason("dependence_fixed"), 0u);
}

}  // namespace
}  // namespace tcsim::sm::test
