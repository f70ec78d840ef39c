#include "models/sm/scoreboard.hpp"

#include <gtest/gtest.h>

#include "models/isa/assemble.hpp"
#include "tests/sm/sm_bench.hpp"
#include "tests/support/random_program.hpp"

namespace tcsim::sm::test {
namespace {

SmParams with_scoreboard() {
  SmParams params = ampere_sm();
  params.dependences = "scoreboard";
  return params;
}

/// The cycle of the EXIT of a warp that runs `program`, whose control bits say nothing.
Cycle end_under_scoreboard(const ProgramBuilder& program) {
  return end_of(program, with_scoreboard());
}

TEST(Scoreboard, WhatReachesBeyondTheLastRegisterHoldsNoOther) {
  DecodedInstruction load{};
  load.opcode = Opcode::kLdg128;
  load.dst = 254;
  load.dst_registers = 4;
  load.src.fill(isa::kZeroRegister);
  load.read_counter = isa::ControlBits::kNoCounter;
  Scoreboard scoreboard;
  scoreboard.issue(load, 0);
  DecodedInstruction move{};
  move.opcode = Opcode::kMov;
  move.dst_registers = 1;
  move.src.fill(isa::kZeroRegister);
  for (const int written : {0, 4, 254}) {
    move.dst = static_cast<isa::Register>(written);
    EXPECT_EQ(scoreboard.earliest(move) == kNever, written == 254) << 'R' << written;
  }
}

TEST(ScoreboardMode, AConsumerWaitsForTheLatencyOfItsProducer) {
  ProgramBuilder chain;
  chain.op(Opcode::kFfma).dst(4).src(1, 2, 3);
  chain.op(Opcode::kIadd3).dst(5).src(4);
  chain.op(Opcode::kExit);
  EXPECT_EQ(end_under_scoreboard(chain), 4 + 1);
  ProgramBuilder independent;
  independent.op(Opcode::kFfma).dst(4).src(1, 2, 3);
  independent.op(Opcode::kIadd3).dst(5).src(6);
  independent.op(Opcode::kExit);
  EXPECT_EQ(end_under_scoreboard(independent), 1 + 1);
}

TEST(ScoreboardMode, APredicateIsThereAfterItsLatency) {
  ProgramBuilder program;
  program.op(Opcode::kIsetp).dst(2).src(4, 5);
  program.op(Opcode::kSel).dst(6).src(7, 8, 2);
  program.op(Opcode::kExit);
  EXPECT_EQ(end_under_scoreboard(program), 13 + 1);
  ProgramBuilder other;
  other.op(Opcode::kIsetp).dst(2).src(4, 5);
  other.op(Opcode::kSel).dst(6).src(7, 8, 3);
  other.op(Opcode::kExit);
  EXPECT_EQ(end_under_scoreboard(other), 2 + 1);  // the pipe's interval
}

TEST(ScoreboardMode, AUniformRegisterIsThereAfterItsLatency) {
  ProgramBuilder program;
  program.op(Opcode::kUiadd3).dst(4).src(1, 2);
  program.op(Opcode::kUiadd3).dst(5).src(4, 2);
  program.op(Opcode::kExit);
  EXPECT_EQ(end_under_scoreboard(program), 4 + 1);
  ProgramBuilder general;  // R4 is not UR4
  general.op(Opcode::kUiadd3).dst(4).src(1, 2);
  general.op(Opcode::kIadd3).dst(6).src(4);
  general.op(Opcode::kExit);
  EXPECT_EQ(end_under_scoreboard(general), 1 + 1);
}

TEST(ScoreboardMode, AnOlderResultOfAScalarMayNotLandLater) {
  // The compare takes 13 cycles to set P2; an older one of the same predicate lands a cycle before.
  ProgramBuilder program;
  program.op(Opcode::kIsetp).dst(2).src(4, 5);
  program.op(Opcode::kIsetp).dst(2).src(4, 6);
  program.op(Opcode::kSel).dst(6).src(7, 8, 2);
  program.op(Opcode::kExit);
  EXPECT_EQ(end_under_scoreboard(program), 2 + 13 + 1);
}

TEST(ScoreboardMode, AConsumerWaitsForALoad) {
  ProgramBuilder program;
  program.shared(Opcode::kLds32, per_lane(4)).dst(4).src(2);
  program.op(Opcode::kIadd3).dst(5).src(4);
  program.op(Opcode::kExit);
  EXPECT_EQ(end_under_scoreboard(program), 23 + 1);
}

TEST(ScoreboardMode, AWriterWaitsForAnOlderReaderInTheQueue) {
  ProgramBuilder program;
  program.shared(Opcode::kSts32, per_lane(4)).src(2, 4);
  program.op(Opcode::kMov).dst(4).src(6);
  program.op(Opcode::kExit);
  const Cycle sources_read = 11;
  EXPECT_EQ(end_under_scoreboard(program), sources_read + 1);
}

TEST(ScoreboardMode, AWriterWaitsForAnOlderWriter) {
  ProgramBuilder program;
  program.shared(Opcode::kLds32, per_lane(4)).dst(4).src(2);
  program.op(Opcode::kMov).dst(4).src(6);
  program.op(Opcode::kExit);
  EXPECT_EQ(end_under_scoreboard(program), 23 + 1);
}

TEST(ScoreboardMode, ALoadWithoutLanesHoldsNobodyBack) {
  ProgramBuilder program;
  const int never = program.guard({1, {}}, 0);
  program.shared(Opcode::kLds32, per_lane(4)).dst(4).src(2).guard(never);
  program.op(Opcode::kIadd3).dst(5).src(4);
  program.op(Opcode::kExit);
  EXPECT_EQ(end_under_scoreboard(program), 2);
}

TEST(ScoreboardMode, IgnoresControlBits) {
  ProgramBuilder program;
  program.op(Opcode::kMov).dst(4).src(6).stall(15);
  program.op(Opcode::kMov).dst(5).src(7).waits(3);
  program.op(Opcode::kExit);
  EXPECT_EQ(end_under_scoreboard(program), 2 + 1);
}

TEST(ScoreboardMode, AssembledProgramsTakeAboutAsLongWithTheirBits) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    isa::WarpProgram program = ProgramDraw(seed).program(4);
    isa::assemble(program, timing_table(ampere_sm()));
    const isa::KernelLaunch launch = make_launch({program}, {0, 0, 0, 0});
    const Cycle with_bits = end_of(launch);
    const Cycle without = end_of(launch, with_scoreboard());
    EXPECT_GT(without, 0) << seed;
    EXPECT_LT(without, 1.25 * static_cast<double>(with_bits)) << seed;
    EXPECT_GT(without, 0.75 * static_cast<double>(with_bits)) << seed;
  }
}

}  // namespace
}  // namespace tcsim::sm::test
