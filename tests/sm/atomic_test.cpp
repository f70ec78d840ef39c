#include <gtest/gtest.h>

#include <numeric>

#include "tests/sm/sm_bench.hpp"

namespace tcsim::sm::test {
namespace {

constexpr Cycle kSharedLatency = 23;
constexpr int kPass = 2;

/// A dependent pair of ATOMS at `offset`, then EXIT.
Cycle shared_pair(const Expression& offset) {
  ProgramBuilder program;
  program.shared(Opcode::kAtomsAdd, offset).dst(4).src(2, 6).writes(0).stall(2);
  program.op(Opcode::kExit).waits(0);
  return end_of(program);
}

TEST(SharedAtomics, WithoutConflictsTakeALoadAndTheRestOfTheirPass) {
  EXPECT_EQ(shared_pair(per_lane(4)), kSharedLatency + kPass - 1);
}

TEST(SharedAtomics, LanesOfOneWordTakeAPassEach) {
  EXPECT_EQ(shared_pair(per_lane(0)), kSharedLatency + 32 * kPass - 1);
}

TEST(SharedAtomics, LanesOfOneBankTakeAPassEach) {
  EXPECT_EQ(shared_pair(per_lane(8)), kSharedLatency + 2 * kPass - 1);
}

TEST(SharedAtomics, HoldTheDataPath) {
  ProgramBuilder program;
  for (int i = 0; i < 4; ++i)
    program.shared(Opcode::kAtomsAdd, per_lane(0)).dst(4 + i).src(2, 10).writes(0).stall(2);
  program.op(Opcode::kExit).waits(0);
  SmBench bench(single_warp(program));
  bench.start_cta(0);
  EXPECT_EQ(bench.finish(), kSharedLatency + 4 * 32 * kPass - 1);
  EXPECT_EQ(bench.counter("memory_pipeline.shared_atomic_lanes"), 128u);
  EXPECT_EQ(bench.counter("memory_pipeline.shared_busy_cycles"), 4u * 32 * kPass);
}

memory::LineRequest request_of(Opcode opcode, const Expression& offset) {
  ProgramBuilder program;
  auto edit = program.global(opcode, offset).src(2, 6, 8).stall(2);
  if (isa::opcode_info(opcode).dst_registers > 0) edit.dst(4).writes(0);
  program.op(Opcode::kExit).waits(0);
  SmBench bench(single_warp(program));
  bench.start_cta(0);
  EXPECT_GT(bench.finish(), 0);
  EXPECT_EQ(bench.requests().size(), 1u);
  return bench.requests().front();
}

TEST(GlobalAtomics, CarryTheirLanesToTheL2) {
  const memory::LineRequest spread = request_of(Opcode::kAtomgAdd, per_lane(4));
  EXPECT_EQ(spread.access, memory::LineAccess::kAtomic);
  EXPECT_EQ(spread.sectors, 0b1111);
  EXPECT_EQ(spread.atomic.lanes, 32);
  EXPECT_EQ(spread.atomic.passes, 4);  // one for each sector
  EXPECT_EQ(spread.atomic.type, memory::AtomicClass::kInteger32);
  const memory::LineRequest together = request_of(Opcode::kRedAddF32, per_lane(0));
  EXPECT_EQ(together.access, memory::LineAccess::kReduction);
  EXPECT_EQ(together.sectors, 0b0001);
  EXPECT_EQ(together.atomic.lanes, 32);
  EXPECT_EQ(together.atomic.passes, 32);
  EXPECT_EQ(together.atomic.type, memory::AtomicClass::kFloat);
  EXPECT_EQ(request_of(Opcode::kAtomgCas64, per_lane(0)).atomic.bytes(), 256);
}

TEST(GlobalAtomics, ReturnBehindTheirCounterAndReductionsHoldNobody) {
  const auto end = [](Opcode opcode) {
    ProgramBuilder program;
    auto edit = program.global(opcode, per_lane(4)).src(2, 6).stall(2);
    if (opcode == Opcode::kAtomgAdd) edit.dst(4).writes(0);
    program.op(Opcode::kIadd3).dst(5).src(4).waits(0).stall(4);
    program.op(Opcode::kExit);
    return end_of(program);
  };
  EXPECT_EQ(end(Opcode::kRedAdd), 2 + 4);
  EXPECT_GT(end(Opcode::kAtomgAdd), 200);
}

TEST(GlobalAtomics, GoPastTheL1AndTakeTheSectorOutOfIt) {
  ProgramBuilder program;
  const auto load = [&program] {
    program.global(Opcode::kLdg32, per_lane(4)).dst(4).src(2).writes(0).stall(2);
  };
  load();
  program.global(Opcode::kAtomgAdd, per_lane(4)).dst(5).src(2, 6).waits(0).writes(0).stall(2);
  program.op(Opcode::kNop).waits(0);
  load();
  program.op(Opcode::kExit).waits(0);
  SmBench bench(single_warp(program));
  bench.start_cta(0);
  EXPECT_GT(bench.finish(), 0);
  EXPECT_EQ(bench.counter("memory_pipeline.l1_hits"), 0u);
  EXPECT_EQ(bench.counter("memory_pipeline.l1_misses"), 8u);
}

TEST(StrongLoads, ReadTheL2EveryTime) {
  ProgramBuilder program;
  for (int i = 0; i < 2; ++i)
    program.global(Opcode::kLdgStrong32, per_lane(4)).dst(4).src(2).waits(0).writes(0).stall(2);
  program.op(Opcode::kExit).waits(0);
  SmBench bench(single_warp(program));
  bench.start_cta(0);
  EXPECT_GT(bench.finish(), 400);
  EXPECT_EQ(bench.counter("memory_pipeline.l1_bypassed"), 8u);
}

constexpr Cycle kFence = 186;  // of the bench

/// The end of a warp with `opcode` in front of a fence; answers take `latency`.
Cycle fence_behind(Opcode opcode, Cycle latency) {
  ProgramBuilder program;
  if (opcode != Opcode::kNop) program.global(opcode, per_lane(4)).src(2, 6).stall(2);
  program.op(Opcode::kMembar);
  program.op(Opcode::kExit);
  SmBench bench(single_warp(program));
  bench.memory_latency = [latency](const memory::LineRequest&) { return latency; };
  bench.start_cta(0);
  return bench.finish();
}

TEST(Fence, TakesItsLatencyWithNothingToWaitFor) {
  EXPECT_EQ(fence_behind(Opcode::kNop, 1000), kFence);
}

TEST(Fence, WithoutLanesTakesOnlyItsSlot) {
  ProgramBuilder program;
  const int none = program.guard(per_lane(1), 0);
  program.op(Opcode::kMembar).guard(none);
  program.op(Opcode::kExit);
  EXPECT_EQ(end_of(program), 1);
}

TEST(Fence, WaitsForTheAnswersToStoresAndReductions) {
  for (const Opcode opcode : {Opcode::kStg32, Opcode::kRedAdd}) {
    const Cycle end = fence_behind(opcode, 1000);
    EXPECT_GT(end, 1000 + kFence);
    EXPECT_LT(end, 1100 + kFence);
    EXPECT_EQ(fence_behind(opcode, 1001), end + 1);
  }
}

TEST(Fence, WaitsForTheStoresOfTheWholeCta) {
  // Warp 0 stores, then both meet at the barrier, behind which warp 1 has its fence.
  ProgramBuilder writer("writer");
  writer.global(Opcode::kStg32, per_lane(4)).src(2, 6).stall(2);
  writer.op(Opcode::kBarSync).stall(2);
  writer.op(Opcode::kExit);
  ProgramBuilder fencer("fencer");
  fencer.op(Opcode::kBarSync).stall(2);
  fencer.op(Opcode::kMembar);
  fencer.op(Opcode::kExit);
  SmBench bench(make_launch({writer.program(), fencer.program()}, {0, 1}));
  bench.memory_latency = [](const memory::LineRequest&) { return Cycle{1000}; };
  bench.start_cta(0);
  EXPECT_GT(bench.finish(), 1000 + kFence);
}

TEST(Fence, DoesNotWaitForTheCtaThatHasAPlaceOfItsOwn) {
  // Warp 1 exits at once; a warp of CTA 1 takes its place and stores. Warp 0 has its fence later.
  ProgramBuilder program("main");
  const int first = program.guard({0, {{Variable::kCtaX, 1}}}, 1);
  const int second = program.guard({1, {{Variable::kCtaX, -1}}}, 1);
  program.op(Opcode::kBraSkip).immediate(0).stall(10);
  const int loop = program.begin_loop(0, {40, {{Variable::kCtaX, -40}}});
  program.op(Opcode::kNop).stall(15);
  program.end_loop(loop).stall(10);
  program.op(Opcode::kMembar).guard(first);
  program.global(Opcode::kStg32, per_lane(4)).src(2, 6).guard(second).stall(2);
  program.op(Opcode::kExit);
  SmBench bench(make_launch({program.program(), exit_only()}, {0, 1}, 2), ampere_sm(), 2);
  bench.memory_latency = [](const memory::LineRequest&) { return Cycle{10'000}; };
  bench.start_cta(0);
  bench.start_cta(1, 200);
  const Cycle end = bench.finish();
  EXPECT_GT(end, 600);
  EXPECT_LT(end, 3000);
}

}  // namespace
}  // namespace tcsim::sm::test
