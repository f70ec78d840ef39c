#include <gmock/gmock.h>

#include <set>

#include "models/isa/assemble.hpp"
#include "tests/isa/assemble_fixture.hpp"
#include "tests/isa/schedule_checker.hpp"

namespace tcsim::isa {
namespace {

using ::testing::IsEmpty;
using ::testing::Not;

/// How many instructions of `program` are NOPs in [first, last].
int fillers(const WarpProgram& program, int first, int last) {
  int count = 0;
  for (int i = first; i <= last; ++i) count += program.instructions[i].opcode == Opcode::kNop;
  return count;
}

TEST(AssembleLoop, SpacesTheChainThatRunsRoundTheBackEdge) {
  WarpProgram program;
  program.instructions = {op(Opcode::kImad, 1, {1, 2, 3})};
  close_loop(program, 0, 0);
  program.instructions.push_back(op(Opcode::kExit));
  assemble(program, example_timing());
  ASSERT_EQ(program.instructions.size(), 3U);
  EXPECT_EQ(program.instructions[0].control.stall + program.instructions[1].control.stall, 5);
  expect_sound(program);
  --program.instructions[1].control.stall;
  EXPECT_THAT(check_schedule(program, example_timing(), 2), Not(IsEmpty()));
}

TEST(AssembleLoop, PutsFillersForTheNextTripInsideTheLoop) {
  WarpProgram program;
  program.instructions = {op(Opcode::kMov, 8, {20}), op(Opcode::kHmma1688F32, 8, {0, 4, 8})};
  close_loop(program, 1, 0);
  program.instructions.push_back(op(Opcode::kExit));
  assemble(program, example_timing());
  const Loop& loop = program.loops[0];
  EXPECT_EQ(program.instructions[loop.first].opcode, Opcode::kHmma1688F32);
  EXPECT_EQ(program.instructions[loop.last].opcode, Opcode::kBra);
  EXPECT_EQ(fillers(program, loop.first, loop.last), 1) << "33 cycles are 15 + 15 + 3";
  expect_sound(program);
}

TEST(AssembleLoop, PutsFillersForTheCodeBehindOutsideTheLoop) {
  WarpProgram program;
  program.instructions = {op(Opcode::kMov, 20, {21}), op(Opcode::kHmma16816F32, 8, {0, 4, 12})};
  close_loop(program, 1, 0);
  program.instructions.push_back(op(Opcode::kFadd, 30, {8, 31}));
  program.instructions.push_back(op(Opcode::kExit));
  assemble(program, example_timing());
  const Loop& loop = program.loops[0];
  EXPECT_EQ(fillers(program, loop.first, loop.last), 0);
  EXPECT_GT(fillers(program, loop.last, static_cast<int>(program.instructions.size()) - 1), 0);
  expect_sound(program);
}

TEST(AssembleLoop, PutsFillersAheadOfTheLoopBeforeItsFirstInstruction) {
  WarpProgram program;
  program.instructions = {op(Opcode::kHmma16816F32, 8, {0, 4, 8}), op(Opcode::kFadd, 30, {8, 31})};
  close_loop(program, 1, 0);
  program.instructions.push_back(op(Opcode::kExit));
  assemble(program, example_timing());
  EXPECT_EQ(program.loops[0].first, 2);
  EXPECT_EQ(program.instructions[2].opcode, Opcode::kFadd);
  expect_sound(program);
}

/// A load and an MMA whose results are used in the loop, which may have no trips, and behind it.
WarpProgram with_skip() {
  WarpProgram program;
  program.instructions = {op(Opcode::kLds32, 4, {0}), op(Opcode::kHmma16816F32, 8, {12, 16, 8}),
                          op(Opcode::kBraSkip), op(Opcode::kFadd, 5, {4, 8})};
  close_loop(program, 3, 0);
  program.instructions.push_back(op(Opcode::kFadd, 6, {4, 8}));
  program.instructions.push_back(op(Opcode::kExit));
  return program;
}

TEST(AssembleLoop, WaitsBehindALoopThatIsPassedOver) {
  WarpProgram program = with_skip();
  assemble(program, example_timing());
  EXPECT_TRUE(is_skippable(program.instructions, program.loops[0], 0));
  for (int trips = 0; trips <= 2; ++trips)
    EXPECT_THAT(check_schedule(program, example_timing(), trips), IsEmpty()) << trips << " trips";
}

/// The loop waits for the load, which also frees its address; the code behind the loop overwrites
/// the address without that wait if the loop has no trips.
TEST(AssembleLoop, KeepsSourcesBehindALoopThatIsPassedOver) {
  WarpProgram program;
  program.instructions = {op(Opcode::kLds32, 4, {0}), op(Opcode::kBraSkip),
                          op(Opcode::kFadd, 5, {4, 4})};
  close_loop(program, 2, 0);
  program.instructions.push_back(op(Opcode::kMov, 0, {8}));
  program.instructions.push_back(op(Opcode::kExit));
  assemble(program, example_timing());
  EXPECT_NE(program.instructions.front().control.read_counter, ControlBits::kNoCounter);
  for (int trips = 0; trips <= 2; ++trips)
    EXPECT_THAT(check_schedule(program, example_timing(), trips), IsEmpty()) << trips << " trips";
}

TEST(AssembleLoop, WouldMissTheWaitsOfALoopThatIsPassedOver) {
  WarpProgram program = with_skip();
  assemble(program, example_timing());
  Instruction& behind = *(program.instructions.end() - 2);
  ASSERT_EQ(behind.opcode, Opcode::kFadd);
  behind.control.wait_mask = 0;
  EXPECT_THAT(check_schedule(program, example_timing(), 0), Not(IsEmpty()));
  EXPECT_THAT(check_schedule(program, example_timing(), 1), IsEmpty());
}

TEST(AssembleLoop, WaitsForALoadOfTheTripBefore) {
  WarpProgram program;
  program.instructions = {op(Opcode::kLds32, 4, {0}), op(Opcode::kFadd, 5, {4, 6}),
                          op(Opcode::kLds32, 4, {0})};
  close_loop(program, 1, 0);
  program.instructions.push_back(op(Opcode::kExit));
  assemble(program, example_timing());
  const int ahead = program.instructions[0].control.write_counter;
  const int inside = program.instructions[2].control.write_counter;
  EXPECT_EQ(program.instructions[1].control.wait_mask, 1 << ahead | 1 << inside);
  expect_sound(program);
}

TEST(AssembleLoop, KeepsTheOuterCarryThroughAnInnerLoop) {
  WarpProgram program;
  program.instructions = {op(Opcode::kFadd, 1, {9, 2}), op(Opcode::kFadd, 3, {3, 3})};
  close_loop(program, 1, 1);
  program.instructions.push_back(op(Opcode::kLds32, 9, {0}));
  close_loop(program, 0, 0);
  program.instructions.push_back(op(Opcode::kExit));
  assemble(program, example_timing());
  EXPECT_NE(program.instructions[0].control.wait_mask, 0);
  expect_sound(program);
}

TEST(AssembleLoop, FitsALongCarryBetweenTwoBranches) {
  // The outer loop's first instruction needs the HMMA's result, and only BRAs lie between.
  WarpProgram program;
  program.instructions = {op(Opcode::kFadd, 1, {8, 2}), op(Opcode::kHmma1688F32, 8, {16, 20, 24})};
  close_loop(program, 1, 1);
  close_loop(program, 0, 0);
  program.instructions.push_back(op(Opcode::kExit));
  assemble(program, example_timing());
  expect_sound(program);
  const Loop& inner = program.loops[0];
  EXPECT_EQ(fillers(program, inner.first, inner.last), 0);
}

TEST(AssembleLoop, NumbersBranchesByTheirLoops) {
  WarpProgram program;
  program.instructions = {op(Opcode::kHmma16816F32, 8, {0, 4, 8}),
                          op(Opcode::kHmma16816F32, 8, {0, 4, 8})};
  close_loop(program, 1, 1);
  close_loop(program, 0, 0);
  program.instructions.push_back(op(Opcode::kExit));
  assemble(program, example_timing());
  for (std::size_t loop = 0; loop < program.loops.size(); ++loop) {
    const Instruction& branch = program.instructions[program.loops[loop].last];
    EXPECT_EQ(branch.opcode, Opcode::kBra);
    EXPECT_EQ(branch.immediate, static_cast<int>(loop));
  }
  expect_sound(program);
}

/// The main loop of a multistage GEMM with two fragment buffers: in each of two k-steps the next
/// step's fragments are loaded while the MMAs use this step's.
WarpProgram double_buffered_loop() {
  WarpProgram program;
  std::vector<Instruction>& code = program.instructions;
  const auto load = [&](int buffer) {
    for (int i = 0; i < 4; ++i) {
      code.push_back(op(Opcode::kLdsmX4, static_cast<Register>(100 + 16 * buffer + 4 * i), {2}));
    }
  };
  const auto multiply = [&](int buffer) {
    for (int i = 0; i < 16; ++i) {
      const int a = 100 + 16 * buffer + 4 * (i / 8);
      const int b = 108 + 16 * buffer + 2 * (i % 4);
      code.push_back(op(
          Opcode::kHmma16816F32, static_cast<Register>(4 + 4 * i),
          {static_cast<Register>(a), static_cast<Register>(b), static_cast<Register>(4 + 4 * i)}));
    }
  };
  load(0);
  const int first = static_cast<int>(code.size());
  load(1);
  code.push_back(op(Opcode::kLdgsts128, kZeroRegister, {90, 92}));
  code.push_back(op(Opcode::kIadd3, 90, {90, 93, kZeroRegister}));
  multiply(0);
  code.push_back(op(Opcode::kLdgdepbar));
  code.push_back(op(Opcode::kDepbar));
  code.push_back(op(Opcode::kBarSync));
  load(0);
  multiply(1);
  close_loop(program, first, 0);
  code.push_back(op(Opcode::kExit));
  return program;
}

TEST(AssembleLoop, NeverWaitsForFragmentsOfTheStepToCome) {
  WarpProgram program = double_buffered_loop();
  assemble(program, example_timing());
  expect_sound(program);
  std::set<int> counters[2];
  for (const Instruction& i : program.instructions) {
    if (i.opcode == Opcode::kLdsmX4) counters[i.dst >= 116].insert(i.control.write_counter);
  }
  for (const Instruction& i : program.instructions) {
    if (!is_mma(i.opcode)) continue;
    const bool buffer = i.src[0] >= 116;
    for (const int other : counters[!buffer]) {
      EXPECT_EQ(i.control.wait_mask >> other & 1, 0) << "waits for the other buffer";
    }
  }
}

TEST(AssembleLoop, KeepsAFullTensorPipeFreeOfFillers) {
  WarpProgram program = double_buffered_loop();
  assemble(program, example_timing());
  EXPECT_EQ(fillers(program, 0, static_cast<int>(program.instructions.size()) - 1), 0);
}

}  // namespace
}  // namespace tcsim::isa
