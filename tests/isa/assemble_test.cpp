#include "models/isa/assemble.hpp"

#include <algorithm>

#include <gmock/gmock.h>

#include "models/isa/group_mma.hpp"
#include "tests/isa/assemble_fixture.hpp"
#include "tests/isa/schedule_checker.hpp"

namespace tcsim::isa {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::uint8_t kNone = ControlBits::kNoCounter;

WarpProgram assembled(std::vector<Instruction> instructions) {
  WarpProgram program{.instructions = std::move(instructions)};
  program.instructions.push_back(op(Opcode::kExit));
  assemble(program, example_timing());
  return program;
}

std::vector<int> stalls(const WarpProgram& program) {
  std::vector<int> result;
  for (const Instruction& i : program.instructions) result.push_back(i.control.stall);
  return result;
}

/// The schedule is right, and wrong as soon as instruction `index` stalls one cycle less.
void expect_tight(WarpProgram program, int index) {
  expect_sound(program);
  --program.instructions[index].control.stall;
  EXPECT_THAT(check_schedule(program, example_timing(), 3), Not(IsEmpty()));
}

TEST(Assemble, SpacesADependentChainByExactlyTheLatency) {
  const auto program = assembled({op(Opcode::kFfma, 1, {1, 2, 3}), op(Opcode::kFfma, 1, {1, 2, 3}),
                                  op(Opcode::kImad, 4, {1, 1, 1}), op(Opcode::kMov, 5, {4})});
  EXPECT_THAT(stalls(program), ElementsAre(4, 4, 5, 1, 1));
  for (int i = 0; i < 3; ++i) expect_tight(program, i);
}

TEST(Assemble, SpacesIndependentInstructionsByTheIntervalOfTheirPipe) {
  const auto row = assembled({op(Opcode::kFadd, 1, {8, 9}), op(Opcode::kFadd, 2, {8, 9}),
                              op(Opcode::kFadd, 3, {8, 9}), op(Opcode::kFadd, 4, {1, 9})});
  EXPECT_THAT(stalls(row), ElementsAre(2, 2, 2, 1, 1));
  const auto mix = assembled({op(Opcode::kFadd, 1, {8, 9}), op(Opcode::kMov, 2, {8}),
                              op(Opcode::kFadd, 3, {8, 9}), op(Opcode::kMov, 4, {9})});
  EXPECT_THAT(stalls(mix), ElementsAre(1, 1, 1, 1, 1));
}

TEST(Assemble, CountsTheStallOfARowOfMmasFromWhereThePipeTakesTheLast) {
  // Three independent HMMAs, then the first again: 16 cycles of the row are over when the last
  // issues.
  const auto program = assembled(
      {op(Opcode::kHmma16816F32, 8, {0, 4, 8}), op(Opcode::kHmma16816F32, 12, {0, 4, 12}),
       op(Opcode::kHmma16816F32, 16, {0, 4, 16}), op(Opcode::kHmma16816F32, 8, {0, 4, 8})});
  const int interval = example_timing()[static_cast<int>(Opcode::kHmma16816F32)].issue_interval;
  const int latency = example_timing()[static_cast<int>(Opcode::kHmma16816F32)].latency;
  EXPECT_THAT(stalls(program),
              ElementsAre(interval, interval, std::max(interval, latency - 2 * interval), 1, 1));
}

TEST(Assemble, CoversEveryRegisterOfAWideOperand) {
  // The MMA reads R4..R7; only the last of them is written just before.
  const auto program =
      assembled({op(Opcode::kMov, 7, {20}), op(Opcode::kHmma16816F32, 8, {4, 12, 8}),
                 op(Opcode::kFadd, 30, {11, 20})});
  EXPECT_EQ(program.instructions[0].control.stall, 4);
  expect_tight(program, 0);
  expect_sound(program);
}

TEST(Assemble, CutsLongSpacingsIntoFillers) {
  const auto program =
      assembled({op(Opcode::kHmma16816F32, 8, {0, 4, 8}), op(Opcode::kHmma16816F32, 8, {0, 4, 8})});
  ASSERT_EQ(program.instructions.size(), 4U);
  EXPECT_EQ(program.instructions[1].opcode, Opcode::kNop);
  EXPECT_THAT(stalls(program), ElementsAre(15, 9, 1, 1));
  expect_tight(program, 1);
}

TEST(Assemble, NeedsTwoFillersForMoreThanThirtyCycles) {
  const auto program =
      assembled({op(Opcode::kHmma1688F32, 8, {0, 4, 8}), op(Opcode::kHmma1688F32, 8, {0, 4, 8})});
  EXPECT_THAT(stalls(program), ElementsAre(15, 15, 3, 1, 1));
  expect_tight(program, 2);
}

TEST(Assemble, KeepsAShortResultBehindALongOneOfTheSameRegister) {
  const auto program = assembled({op(Opcode::kImad, 1, {2, 3, 4}), op(Opcode::kFadd, 1, {2, 3})});
  // 5 cycles, then 4: two apart lands one later.
  EXPECT_THAT(stalls(program), ElementsAre(2, 1, 1));
  expect_tight(program, 0);
}

TEST(Assemble, KeepsFragmentsUntilTheMmaHasReadThem) {
  const auto program =
      assembled({op(Opcode::kHmma16816F32, 8, {0, 4, 8}), op(Opcode::kMov, 0, {20})});
  EXPECT_THAT(stalls(program), ElementsAre(5, 1, 1));
  expect_tight(program, 0);
}

TEST(Assemble, TakesALiteralForNoRegister) {
  Instruction add = op(Opcode::kIadd3, 2, {3, 4, 1});
  add.has_immediate = true;
  const auto program = assembled({op(Opcode::kFmul, 1, {9, 9}), add});
  EXPECT_THAT(stalls(program), ElementsAre(1, 1, 1));
}

TEST(Assemble, WaitsForALoadThroughACounterAndTwoCycles) {
  const auto program = assembled({op(Opcode::kLds128, 4, {0}), op(Opcode::kFadd, 1, {7, 2})});
  const ControlBits load = program.instructions[0].control;
  ASSERT_NE(load.write_counter, kNone);
  EXPECT_EQ(program.instructions[1].control.wait_mask, 1 << load.write_counter);
  EXPECT_EQ(load.stall, 2);
  EXPECT_EQ(load.read_counter, kNone) << "nothing overwrites the address";
  expect_tight(program, 0);
}

TEST(Assemble, GivesNoCounterToWhatNobodyWaitsFor) {
  const auto program = assembled({op(Opcode::kSts128, kZeroRegister, {0, 4}),
                                  op(Opcode::kLdg32, 10, {2}), op(Opcode::kMufuEx2, 11, {3})});
  for (const Instruction& i : program.instructions) {
    EXPECT_EQ(i.control.write_counter, kNone);
    EXPECT_EQ(i.control.read_counter, kNone);
    EXPECT_EQ(i.control.wait_mask, 0);
  }
}

TEST(Assemble, HoldsStoreDataUntilItIsRead) {
  const auto program =
      assembled({op(Opcode::kSts128, kZeroRegister, {0, 4}), op(Opcode::kMov, 7, {9})});
  const ControlBits store = program.instructions[0].control;
  ASSERT_NE(store.read_counter, kNone);
  EXPECT_EQ(program.instructions[1].control.wait_mask, 1 << store.read_counter);
  expect_tight(program, 0);
}

TEST(Assemble, TakesALoadedValueAsProofThatItsAddressWasRead) {
  const auto program = assembled(
      {op(Opcode::kLds32, 4, {0}), op(Opcode::kFadd, 1, {4, 2}), op(Opcode::kMov, 0, {9})});
  EXPECT_EQ(program.instructions[0].control.read_counter, kNone);
  EXPECT_EQ(program.instructions[2].control.wait_mask, 0);
  expect_sound(program);
}

TEST(Assemble, ReadsTheCopyAddressThroughACounterOnlyIfItChanges) {
  const auto moved = assembled({op(Opcode::kLdgsts128, kZeroRegister, {2, 4}),
                                op(Opcode::kIadd3, 2, {2, 5, kZeroRegister})});
  EXPECT_NE(moved.instructions[0].control.read_counter, kNone);
  EXPECT_EQ(moved.instructions[0].control.write_counter, kNone);
  const auto kept = assembled({op(Opcode::kLdgsts128, kZeroRegister, {2, 4}),
                               op(Opcode::kIadd3, 6, {2, 5, kZeroRegister})});
  EXPECT_EQ(kept.instructions[0].control.read_counter, kNone);
}

TEST(Assemble, OrdersTwoLoadsOfOneRegister) {
  const auto program = assembled({op(Opcode::kLdg32, 4, {0}), op(Opcode::kLds32, 4, {2})});
  EXPECT_EQ(program.instructions[1].control.wait_mask,
            1 << program.instructions[0].control.write_counter);
  expect_sound(program);
}

TEST(Assemble, LeavesCopyGroupsBarriersAndMemoryOrderToTheProgram) {
  Instruction depbar = op(Opcode::kDepbar);
  const auto program =
      assembled({op(Opcode::kLdgsts128, kZeroRegister, {2, 4}), op(Opcode::kLdgdepbar), depbar,
                 op(Opcode::kBarSync), op(Opcode::kLds32, 8, {6})});
  for (const Instruction& i : program.instructions) EXPECT_EQ(i.control.wait_mask, 0);
  EXPECT_EQ(program.instructions[2].control.stall, 4);
  EXPECT_EQ(program.instructions[3].control.stall, 2);
}

TEST(Assemble, LetsProductsOfAWarpgroupWaitForAccessesToTheirSumsButNotForOneAnother) {
  Instruction first =
      op(*parse_opcode("HGMMA.64x8x16.F32"), 24, {kZeroRegister, kZeroRegister, 24});
  first.immediate = kClearsSums;
  Instruction next = first;
  next.immediate = 0;
  const auto program = assembled(
      {op(Opcode::kSts64, kZeroRegister, {0, 24}), op(Opcode::kLds32, 27, {2}), first, next});
  const int read = 1 << program.instructions[0].control.read_counter;
  const int written = 1 << program.instructions[1].control.write_counter;
  EXPECT_EQ(program.instructions[2].control.wait_mask, read | written);
  EXPECT_EQ(program.instructions[3].control.wait_mask, 0);
}

TEST(Assemble, LetsExitGoWithoutWaiting) {
  const auto program = assembled({op(Opcode::kLdg32, 4, {0}), op(Opcode::kFadd, 1, {2, 3})});
  EXPECT_EQ(program.instructions.back().opcode, Opcode::kExit);
  EXPECT_EQ(program.instructions.back().control.wait_mask, 0);
}

TEST(Assemble, SpacesUniformResultsByTheirLatency) {
  const auto program = assembled(
      {op(Opcode::kUiadd3, 4, {4, 5}), op(Opcode::kUmov, 5, {6}), op(Opcode::kUlop3, 6, {4, 7})});
  EXPECT_THAT(stalls(program), ElementsAre(2, 2, 1, 1));
  const auto chain = assembled({op(Opcode::kUiadd3, 4, {4, 5}), op(Opcode::kUiadd3, 4, {4, 5})});
  EXPECT_THAT(stalls(chain), ElementsAre(4, 1, 1));
  expect_tight(chain, 0);
}

TEST(Assemble, SpacesACompareFromTheBranchAndTheSelectionThatUseIt) {
  TimingTable timing = example_timing();
  timing[static_cast<int>(Opcode::kIsetp)] = {2, 13};
  WarpProgram program{.instructions = {op(Opcode::kIsetp, 0, {8, 9}),
                                       op(Opcode::kSel, 1, {2, 3, 0}), op(Opcode::kExit)}};
  assemble(program, timing);
  EXPECT_EQ(program.instructions[0].control.stall, 13);
  WarpProgram other{.instructions = {op(Opcode::kIsetp, 1, {8, 9}), op(Opcode::kSel, 1, {2, 3, 0}),
                                     op(Opcode::kExit)}};
  assemble(other, timing);
  EXPECT_EQ(other.instructions[0].control.stall, 2);
  WarpProgram loop{.instructions = {op(Opcode::kIsetp, 0, {8, 9})}};
  close_loop(loop, 0, 0);
  loop.instructions.back().src[0] = 0;
  loop.instructions.push_back(op(Opcode::kExit));
  assemble(loop, timing);
  EXPECT_EQ(loop.instructions[0].control.stall, 13);
  EXPECT_THAT(check_schedule(loop, timing, 3), IsEmpty());
}

TEST(Assemble, KeepsYieldBits) {
  Instruction fma = op(Opcode::kFfma, 1, {2, 3, 1});
  fma.control.yield = true;
  EXPECT_TRUE(assembled({fma}).instructions[0].control.yield);
}

TEST(Assemble, SharesNoCounterBetweenASlowLoadAndAnEarlierConsumer) {
  // The FADD must not wait for the global load that only the last instruction needs.
  const auto program = assembled({op(Opcode::kLds32, 4, {0}), op(Opcode::kLdg32, 5, {2}),
                                  op(Opcode::kFadd, 6, {4, 9}), op(Opcode::kFadd, 7, {5, 9})});
  EXPECT_NE(program.instructions[0].control.write_counter,
            program.instructions[1].control.write_counter);
}

TEST(Assemble, LetsNeighboursWithOneConsumerShareACounter) {
  const auto program = assembled({op(Opcode::kLds64, 4, {0}), op(Opcode::kLds64, 6, {1}),
                                  op(Opcode::kHmma16816F32, 8, {4, 12, 8})});
  EXPECT_EQ(program.instructions[0].control.write_counter,
            program.instructions[1].control.write_counter);
  expect_sound(program);
}

TEST(Assemble, NeverOverfillsACounter) {
  std::vector<Instruction> instructions;
  for (int i = 0; i < 240; ++i) {
    instructions.push_back(op(Opcode::kLdg32, static_cast<Register>(i + 4), {0}));
  }
  for (int i = 0; i < 240; ++i) {
    instructions.push_back(op(Opcode::kMov, static_cast<Register>(i + 4), {2}));
  }
  const auto program = assembled(instructions);
  std::array<int, kDependenceCounters> open{};
  for (const Instruction& i : program.instructions) {
    for (int c = 0; c < kDependenceCounters; ++c) {
      if (i.control.wait_mask >> c & 1) open[c] = 0;
    }
    if (i.control.write_counter != kNone) {
      EXPECT_LE(++open[i.control.write_counter], 63);
    }
  }
  expect_sound(program);
}

}  // namespace
}  // namespace tcsim::isa
