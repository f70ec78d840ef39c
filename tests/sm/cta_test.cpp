#include <gtest/gtest.h>

#include "tests/sm/sm_bench.hpp"

namespace tcsim::sm::test {
namespace {

/// `cycles` cycles of one warp per CTA.
isa::KernelLaunch short_ctas(int cycles, std::int64_t ctas) {
  ProgramBuilder program;
  for (int left = cycles; left > 0; left -= 10) program.op(Opcode::kNop).stall(std::min(left, 10));
  program.op(Opcode::kExit);
  return make_launch({program.program()}, {0}, ctas);
}

TEST(CtaSlots, AreTakenAndGivenBack) {
  SmBench bench(short_ctas(20, 3), ampere_sm(), 2);
  EXPECT_EQ(bench.sm().free_cta_slots(), 2);
  bench.start_cta(0);
  bench.start_cta(1);
  EXPECT_EQ(bench.sm().free_cta_slots(), 0);
  bench.run_to(20);  // EXIT issues at 20 on two sub-cores
  EXPECT_EQ(bench.sm().free_cta_slots(), 0);
  bench.run_to(21);
  EXPECT_EQ(bench.sm().free_cta_slots(), 2);
  EXPECT_EQ(bench.sm().ended_ctas(), (std::vector<Cycle>{21, 21}));
}

TEST(CtaSlots, ACtaStartsWhenToldAndNotBefore) {
  SmBench bench(short_ctas(0, 1));
  bench.start_cta(0, 7);
  bench.run_to(7);
  EXPECT_TRUE(bench.sm().ended_ctas().empty());
  bench.run_to(8);
  EXPECT_EQ(bench.sm().ended_ctas(), (std::vector<Cycle>{8}));
}

TEST(CtaSlots, AreFreeOnlyWhenLoadsAreBack) {
  ProgramBuilder program;
  program.global(Opcode::kLdg32, per_lane(4)).dst(4).src(2).writes(0);
  program.op(Opcode::kExit);
  SmBench bench(single_warp(program));
  bench.start_cta(0);
  while (bench.now() < 233) bench.advance(1);
  EXPECT_EQ(bench.sm().free_cta_slots(), 0);
  bench.advance(1);
  EXPECT_EQ(bench.sm().free_cta_slots(), 1);
  EXPECT_EQ(bench.sm().ended_ctas(), (std::vector<Cycle>{234}));
}

TEST(CtaSlots, AreFreeOnlyWhenTheLastWarpHasLeft) {
  ProgramBuilder slow;
  for (int i = 0; i < 10; ++i) slow.op(Opcode::kNop).stall(10);
  slow.op(Opcode::kExit);
  EXPECT_EQ(end_of(make_launch({exit_only(), slow.program()}, {0, 1, 0, 0})), 100);
}

TEST(CtaSlots, ManyCtasRunThroughFewSlots) {
  constexpr int kCtas = 50;
  SmBench bench(short_ctas(30, kCtas), ampere_sm(), 3);
  int started = 0;
  std::size_t ended = 0;
  while (ended < kCtas && bench.now() < 10'000) {
    while (started < kCtas && bench.sm().free_cta_slots() > 0)
      bench.start_cta(started++, bench.now());
    bench.advance(1);
    ended = bench.sm().ended_ctas().size();
  }
  EXPECT_EQ(ended, static_cast<std::size_t>(kCtas));
  EXPECT_TRUE(bench.sm().is_idle());
  EXPECT_EQ(bench.sm().warp_instructions(), kCtas * 4u);
}

TEST(CtaSlots, WarpsGoToSubCoresByTheirNumber) {
  ProgramBuilder program;
  program.op(Opcode::kNop);
  program.op(Opcode::kExit);
  SmBench bench(make_launch({program.program()}, {0, 0, 0, 0, 0, 0}));
  bench.start_cta(0);
  bench.finish();
  EXPECT_EQ(bench.counter("sub_core[0].warp_instructions"), 4u);
  EXPECT_EQ(bench.counter("sub_core[1].warp_instructions"), 4u);
  EXPECT_EQ(bench.counter("sub_core[2].warp_instructions"), 2u);
  EXPECT_EQ(bench.counter("sub_core[3].warp_instructions"), 2u);
}

TEST(CtaSlots, WarpsOfSmallCtasGoRoundTheSubCores) {
  SmBench bench(short_ctas(20, 3), ampere_sm(), 3);
  for (int cta = 0; cta < 3; ++cta) bench.start_cta(cta);
  bench.finish();
  EXPECT_EQ(bench.counter("sub_core[0].warp_instructions"), 3u);
  EXPECT_EQ(bench.counter("sub_core[1].warp_instructions"), 3u);
  EXPECT_EQ(bench.counter("sub_core[2].warp_instructions"), 3u);
  EXPECT_EQ(bench.counter("sub_core[3].warp_instructions"), 0u);
}

TEST(CtaSlots, SixtyFourWarpsFit) {
  ProgramBuilder program;
  program.op(Opcode::kNop);
  program.op(Opcode::kExit);
  const std::vector<int> warps(32, 0);
  SmBench bench(make_launch({program.program()}, warps, 2), ampere_sm(), 2);
  bench.start_cta(0);
  bench.start_cta(1);
  EXPECT_EQ(bench.finish(), 31);  // 16 warps of two instructions per sub-core
}

TEST(KernelStart, ChargesTheLaunchFromLaunchToFirstCta) {
  const isa::KernelLaunch launch = short_ctas(10, 1);
  const SmParams params = ampere_sm();
  stats::Group root("test");
  const Kernel kernel(launch, params, timing_table(params));
  Sm sm(params, 0, root);
  sm.begin_kernel(kernel, 1, 0, 0, 100);
  sm.start_cta({{0, 0, 0}}, 100);
  sm.run(200);  // its EXIT issues at 110
  ASSERT_EQ(sm.ended_ctas(), (std::vector<Cycle>{111}));
  sm.begin_kernel(kernel, 1, 0, 150, 180);  // launched when another SM has ended its CTA
  sm.start_cta({{0, 0, 0}}, 180);
  sm.run(300);
  sm.charge_rest(191);
  EXPECT_EQ(counter_at(root, "sm[0].sub_core[0].cycles_launch"), 100u + 30u);
  EXPECT_EQ(counter_at(root, "sm[0].sub_core[0].cycles_no_warp"), 39u);
  EXPECT_EQ(counter_at(root, "sm[0].sub_core[0].cycles_issued"), 4u);
  EXPECT_EQ(counter_at(root, "sm[0].sub_core[0].cycles_dependence_fixed"), 18u);
}

TEST(KernelStart, ChargesNoMoreOfTheLaunchThanHasPassed) {
  const SmParams params = ampere_sm();
  stats::Group root("test");
  const Kernel kernel(short_ctas(10, 1), params, timing_table(params));
  Sm sm(params, 0, root);
  sm.begin_kernel(kernel, 1, 0, 20, 100);
  sm.charge_rest(60);  // the run is stopped here
  EXPECT_EQ(counter_at(root, "sm[0].sub_core[0].cycles_no_warp"), 20u);
  EXPECT_EQ(counter_at(root, "sm[0].sub_core[0].cycles_launch"), 40u);
}

TEST(KernelStart, OfTheFirstKernelIsTheLaunchUntilItIsKnown) {
  const SmParams params = ampere_sm();
  stats::Group root("test");
  Sm sm(params, 0, root);
  sm.charge_rest(60);  // the run is stopped before a kernel came
  EXPECT_EQ(counter_at(root, "sm[0].sub_core[0].cycles_launch"), 60u);
  EXPECT_EQ(counter_at(root, "sm[0].sub_core[0].cycles_no_warp"), 0u);
}

TEST(KernelStart, EmptiesTheL1) {
  ProgramBuilder program;
  program.global(Opcode::kLdg32, per_lane(4)).dst(4).src(2).writes(0);
  program.op(Opcode::kExit).waits(0);
  const SmParams params = ampere_sm();
  stats::Group root("test");
  const Kernel kernel(single_warp(program), params, timing_table(params));
  Sm sm(params, 0, root);
  for (const Cycle start : {0, 1000}) {
    sm.begin_kernel(kernel, 1, 65536, start, start);
    sm.start_cta({{0, 0, 0}}, start);
    sm.run(start + 100);
    ASSERT_EQ(sm.requests().size(), 1u);
    sm.inbox().push_back({start + 300, sm.requests()[0].tag});
    sm.requests().clear();
    sm.run(start + 900);
    ASSERT_TRUE(sm.is_idle());
  }
}

TEST(Waits, NameTheInstructionAndTheCountersOfEachWarp) {
  ProgramBuilder program;
  program.global(Opcode::kLdg32, per_lane(4)).dst(4).src(2).writes(3);
  program.op(Opcode::kExit).waits(3);
  SmBench bench(single_warp(program));
  EXPECT_TRUE(bench.sm().waits().empty());
  bench.start_cta(0);
  bench.run_to(50);
  ASSERT_EQ(bench.sm().waits().size(), 1u);
  const WarpWait wait = bench.sm().waits().front();
  EXPECT_EQ(wait.kind, WaitKind::kResults);
  EXPECT_EQ(wait.instruction, 1);
  EXPECT_EQ(wait.opcode, Opcode::kExit);
  EXPECT_EQ(wait.counters, 1 << 3);
}

TEST(Waits, OfABarrierAreAtItsInstruction) {
  ProgramBuilder program;
  program.op(Opcode::kNop);
  program.op(Opcode::kBarSync);
  program.op(Opcode::kExit);
  ProgramBuilder late;
  late.op(Opcode::kNop).stall(15);
  late.op(Opcode::kBarSync);
  late.op(Opcode::kExit);
  SmBench bench(make_launch({program.program(), late.program()}, {0, 1}));
  bench.start_cta(0);
  bench.run_to(10);
  const std::vector<WarpWait> waits = bench.sm().waits();
  ASSERT_EQ(waits.size(), 2u);
  EXPECT_EQ(waits[0].kind, WaitKind::kBarrier);
  EXPECT_EQ(waits[0].instruction, 1);
  EXPECT_EQ(waits[1].kind, WaitKind::kNothing);
}

}  // namespace
}  // namespace tcsim::sm::test
