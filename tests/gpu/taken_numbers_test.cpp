// CTAs that take what they work on from a counter in memory.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/gpu/result.hpp"
#include "tests/support/program.hpp"

namespace tcsim::gpu::test {
namespace {

using namespace tcsim::test;  // NOLINT: the tests' own vocabulary

constexpr int kCtas = 4;
constexpr std::int64_t kNumbers = 20;
constexpr Cycle kShort = 3'000;
constexpr Cycle kLong = 12'000;  // of number 0
constexpr Cycle kTrip = 30;

struct Form {
  bool takes = true;        ///< else CTAs take turns
  bool waits = true;        ///< for the answer, before the end of the trip
  bool is_cut_off = false;  ///< nobody asks
};

/// CTAs work kShort for each number, for the first one kLong.
isa::KernelLaunch launch_of(const Form& form) {
  const auto number = isa::uniform_variable(0);
  ProgramBuilder program;
  const int asks = program.guard(per_lane(1), form.is_cut_off ? 0 : 1);
  const int numbers = program.begin_loop(0, Expression{kNumbers / kCtas, {}});
  program.global(Opcode::kAtomgAdd, {}).dst(8).guard(asks).immediate(1).writes(0).stall(2);
  // 1 - number, of number 0 alone more than 0.
  const isa::Quotient is_first{
      .coefficient = (kLong - kShort) / kTrip, .constant = 1, .terms = {{number, -1}}, .least = 0};
  const int work = program.begin_loop(1, Expression{kShort / kTrip, {}, {is_first}});
  program.op(Opcode::kNop).stall(kTrip - 10);
  program.end_loop(work).stall(10);
  if (form.waits) program.op(Opcode::kNop).waits(0).stall(2);
  program.end_loop(numbers).stall(10);
  program.op(Opcode::kExit);
  isa::KernelLaunch launch = make_launch({program.program()}, {0}, kCtas);
  isa::WarpProgram& built = launch.programs.front();
  built.uniforms = {{0, {{Variable::kCtaX, 1}, {Variable::kLoop0, kCtas}}}};
  if (form.takes) built.loops.front().numbers = kNumbers;
  for (isa::Instruction& instruction : built.instructions)
    if (instruction.opcode == Opcode::kAtomgAdd) instruction.has_immediate = true;
  launch.buffers.front().flags = true;
  launch.shared_bytes_per_cta = 100 * 1024;  // one CTA on an SM
  EXPECT_TRUE(isa::validate(launch).empty());
  return launch;
}

TEST(TakenNumbers, GoToThoseThatAreDone) {
  // In turns the CTA with number 0 has four more to do behind it; the others leave it one at most.
  const Outcome in_turns = run({launch_of({.takes = false})}).outcome;
  const Outcome taken = run({launch_of({})}).outcome;
  constexpr Cycle kAround = 4'000;  // launch, atomics
  EXPECT_GT(in_turns.cycles, kLong + 4 * kShort);
  const Cycle shared = (kLong + (kNumbers - 1) * kShort) / kCtas;
  EXPECT_GT(taken.cycles, shared);
  EXPECT_LT(taken.cycles, shared + kShort / 2 + kAround);
  // What is done is the same.
  EXPECT_EQ(taken.kernels.front().warp_instructions, in_turns.kernels.front().warp_instructions);
}

TEST(TakenNumbers, BeginAnewInTheNextLaunch) {
  const Outcome outcome = run({launch_of({}), launch_of({})}).outcome;
  EXPECT_EQ(outcome.kernels[0].warp_instructions, outcome.kernels[1].warp_instructions);
}

TEST(TakenNumbers, AreWaitedForAtTheEndOfTheTrip) {
  const Outcome outcome = run({launch_of({.waits = false})}).outcome;
  EXPECT_EQ(outcome.stop, StopReason::kFinished);
  const auto trips = static_cast<std::uint64_t>(kNumbers);
  EXPECT_EQ(outcome.kernels.front().warp_instructions + trips,
            run({launch_of({})}).outcome.kernels.front().warp_instructions);
}

TEST(TakenNumbers, DoNotDependOnTheQuantum) {
  SimulationOptions fine;
  fine.quantum = 1;
  EXPECT_EQ(run({launch_of({})}, fine).outcome.cycles, run({launch_of({})}).outcome.cycles);
}

TEST(TakenNumbers, ThatNobodyAsksForLockUp) {
  const Outcome outcome = run({launch_of({.is_cut_off = true})}).outcome;
  EXPECT_EQ(outcome.stop, StopReason::kDeadlock);
  EXPECT_THAT(outcome.diagnosis,
              testing::HasSubstr("BRA) waits for the number of their next iteration"));
}

}  // namespace
}  // namespace tcsim::gpu::test
