#include <gtest/gtest.h>

#include "sim/gpu/simulation.hpp"
#include "tests/support/ampere_machine.hpp"
#include "tests/support/program.hpp"

namespace tcsim::gpu::test {
namespace {

using namespace tcsim::test;  // NOLINT: the tests' own vocabulary

/// 1 in CTA x > 0, 0 in CTA 0 (of `ctas`).
Expression is_later(std::uint32_t ctas) { return {0, {{Variable::kCtaX, 1, ctas, 0, ctas - 1}}}; }

/// CTAs take turns: each waits until as many as its number have raised the flag, works for `cycles`
/// and raises it. The wait of the others is off with `waits` false.
isa::KernelLaunch in_turns(int ctas, Cycle cycles, bool waits = true) {
  ProgramBuilder program;
  const int first_lane = program.guard(per_lane(1), 1);
  program.op(Opcode::kBraSkip).immediate(0).stall(10);
  const int loop =
      program.begin_loop(0, waits ? is_later(static_cast<std::uint32_t>(ctas)) : Expression{0, {}});
  program.global(Opcode::kLdgStrong32, {}).dst(8).guard(first_lane).writes(0).stall(2);
  program.op(Opcode::kIsetp).src(8).waits(0).stall(12);
  program.end_loop(loop).stall(10);
  for (Cycle left = cycles; left > 0; left -= 10) program.op(Opcode::kNop).stall(10);
  program.op(Opcode::kMembar).stall(2);
  program.global(Opcode::kRedAdd, {}).guard(first_lane).immediate(1).stall(2);
  program.op(Opcode::kExit);
  isa::KernelLaunch launch = make_launch({program.program()}, {0}, ctas);
  launch.programs.front().loops.front().until = Expression{0, {{Variable::kCtaX, 1}}};
  for (isa::Instruction& instruction : launch.programs.front().instructions)
    if (instruction.opcode == Opcode::kRedAdd) instruction.has_immediate = true;
  launch.buffers.front().flags = true;
  launch.shared_bytes_per_cta = 100 * 1024;
  return launch;
}

Cycle cycles_of(const isa::KernelLaunch& launch, const SimulationOptions& options = {}) {
  Simulation simulation(ampere_machine(), options);
  const Outcome outcome = simulation.run({launch}, {}, {});
  EXPECT_EQ(outcome.stop, StopReason::kFinished);
  return outcome.cycles;
}

TEST(Flags, LetCtasTakeTurnsAcrossSms) {
  // Four SMs: side by side the work of four CTAs takes the time of one, in turns that of four.
  const Cycle work = 20'000;
  const Cycle together = cycles_of(in_turns(4, work, /*waits=*/false));
  const Cycle in_turn = cycles_of(in_turns(4, work));
  EXPECT_GT(in_turn, together + 3 * work);
  EXPECT_LT(in_turn, together + 3 * (work + 2'000));
}

TEST(Flags, TheWaitingTimeIsThatOfTheOthersWork) {
  const Cycle difference = cycles_of(in_turns(2, 30'000)) - cycles_of(in_turns(2, 10'000));
  EXPECT_NEAR(static_cast<double>(difference), 40'000, 1'000);  // one look more or less
}

TEST(Flags, MoreCtasThanPlacesDoNotLockUp) {
  // The first ones hold all places; each waits for one with a lower number only.
  EXPECT_GT(cycles_of(in_turns(13, 500)), 13 * 500);
}

TEST(Flags, AreZeroAgainBehindAWarmUp) {
  const Cycle work = 20'000;
  const isa::KernelLaunch launch = in_turns(4, work);
  EXPECT_GT(Simulation(ampere_machine(), {}).run({launch}, {}, {launch}).cycles, 4 * work);
}

TEST(Flags, DoNotDependOnTheQuantum) {
  SimulationOptions fine;
  fine.quantum = 1;
  EXPECT_EQ(cycles_of(in_turns(6, 700), fine), cycles_of(in_turns(6, 700)));
}

}  // namespace
}  // namespace tcsim::gpu::test
