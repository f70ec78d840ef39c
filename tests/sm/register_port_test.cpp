#include <gtest/gtest.h>

#include "tests/sm/sm_bench.hpp"

namespace tcsim::sm::test {
namespace {

/// Cycles per instruction of a long chain of `opcode` with sources a, b, c; FP32 lanes set the
/// issue interval.
Cycle cycles_each(Opcode opcode, int a, int b, int c, int fp32_lanes, int banks = 2) {
  SmParams params = ampere_sm();
  params.pipes.fp32_lanes = fp32_lanes;
  params.register_file.banks = banks;
  const auto end = [&](int count) {
    ProgramBuilder program;
    for (int i = 0; i < count; ++i) program.op(opcode).dst(20).src(a, b, c);
    program.op(Opcode::kExit);
    return end_of(program, params);
  };
  constexpr int kMore = 60;
  const Cycle difference = end(20 + kMore) - end(20);
  EXPECT_EQ(difference % kMore, 0);
  return difference / kMore;
}

constexpr int kEveryCycle = 128;  // lanes for an issue interval of 1
constexpr int kEverySecond = 64;  // 2
constexpr int kNone = isa::kZeroRegister;

TEST(RegisterPorts, CostNothingWhereSourcesSpreadOverTheBanks) {
  EXPECT_EQ(cycles_each(Opcode::kFmul, 2, 3, kNone, kEveryCycle), 1);
}

TEST(RegisterPorts, TwoSourcesInOneBankCostOneCycleAtAnIntervalOfOne) {
  EXPECT_EQ(cycles_each(Opcode::kFmul, 2, 4, kNone, kEveryCycle), 2);  // HUE25: FMUL +1
}

TEST(RegisterPorts, ThreeSourcesInOneBankCostTwoCyclesAtAnIntervalOfOne) {
  EXPECT_EQ(cycles_each(Opcode::kFfma, 2, 4, 6, kEveryCycle), 3);  // HUE25: FFMA +2
}

TEST(RegisterPorts, ThreeSourcesInTwoBanksCostOneCycleAtAnIntervalOfOne) {
  EXPECT_EQ(cycles_each(Opcode::kFfma, 2, 3, 4, kEveryCycle), 2);
}

TEST(RegisterPorts, AtAnIntervalOfTwoOnlyThreeOfOneBankCost) {
  EXPECT_EQ(cycles_each(Opcode::kFfma, 2, 3, 4, kEverySecond), 2);
  EXPECT_EQ(cycles_each(Opcode::kFmul, 2, 4, kNone, kEverySecond), 2);
  EXPECT_EQ(cycles_each(Opcode::kFfma, 2, 4, 6, kEverySecond), 3);  // JIA18 on V100: +1
}

TEST(RegisterPorts, TheZeroRegisterNeedsNone) {
  EXPECT_EQ(cycles_each(Opcode::kFfma, 2, kNone, kNone, kEveryCycle), 1);
}

TEST(RegisterPorts, FollowTheNumberOfBanks) {
  EXPECT_EQ(cycles_each(Opcode::kFmul, 2, 4, kNone, kEveryCycle, /*banks=*/4), 1);
  EXPECT_EQ(cycles_each(Opcode::kFmul, 2, 6, kNone, kEveryCycle, /*banks=*/4), 2);
}

TEST(RegisterPorts, ExistForEveryNumberOfBanksAndPortsOfTheSchema) {
  for (int banks = 1; banks <= 8; ++banks) {
    const Cycle lone = cycles_each(Opcode::kFmul, 0, banks, kNone, kEveryCycle, banks);
    EXPECT_EQ(lone, 2) << banks;  // two of one bank
    if (banks == 1) continue;
    EXPECT_EQ(cycles_each(Opcode::kFmul, 0, banks - 1, kNone, kEveryCycle, banks), 1) << banks;
  }
}

TEST(RegisterPorts, SourcesThatNoWindowHoldsTakeWhatTheirBankNeeds) {
  const auto end = [](int window) {
    SmParams params = ampere_sm();
    params.register_file.operand_read_window_cycles = window;
    ProgramBuilder program;
    for (int i = 0; i < 10; ++i) program.op(Opcode::kFfma).dst(20).src(2, 4, 6);
    program.op(Opcode::kExit);
    SmBench bench(single_warp(program), params);
    bench.start_cta(0);
    return bench.run_to(1000), bench.sm().is_idle();
  };
  EXPECT_TRUE(end(1));  // three registers of one bank, one port
  EXPECT_TRUE(end(32));
}

TEST(RegisterPorts, AreChargedForTheCyclesTheyCost) {
  SmParams params = ampere_sm();
  params.pipes.fp32_lanes = kEveryCycle;
  ProgramBuilder program;
  for (int i = 0; i < 4; ++i) program.op(Opcode::kFfma).dst(20).src(2, 4, 6);
  program.op(Opcode::kExit);
  SmBench bench(single_warp(program), params);
  bench.start_cta(0);
  EXPECT_EQ(bench.finish(), 10);
  EXPECT_EQ(bench.reason("register_port"), 6u);
}

TEST(RegisterPorts, FragmentsOfHmmaLeaveRoomForOthers) {
  // Ten registers in eight cycles: HMMA back to back with an FFMA of spread sources in every gap.
  ProgramBuilder program;
  for (int i = 0; i < 20; ++i) {
    program.op(Opcode::kHmma16816F32).dst(16).src(0, 4, 8);
    program.op(Opcode::kFfma).dst(30).src(21, 22, isa::kZeroRegister);
    program.op(Opcode::kFfma).dst(31).src(21, 22, isa::kZeroRegister);
  }
  program.op(Opcode::kExit);
  EXPECT_LE(end_of(program), 20 * 8);
}

TEST(RegisterPorts, TakeNoSlotTwice) {
  RegisterPorts ports(
      {.banks = 2, .read_ports_per_bank = 1, .operand_read_window_cycles = 3, .reuse_entries = 0});
  EXPECT_TRUE(ports.can_read(0, {3, 0, 0, 0}, 3));
  EXPECT_FALSE(ports.can_read(0, {4, 0, 0, 0}, 3));
  ports.read({2, 0, 0, 0}, 3);
  EXPECT_TRUE(ports.can_read(0, {1, 3, 0, 0}, 3));
  EXPECT_FALSE(ports.can_read(0, {2, 0, 0, 0}, 3));
  EXPECT_TRUE(ports.can_read(1, {2, 0, 0, 0}, 3));  // of cycles 1, 2, 3 the second is taken
  EXPECT_FALSE(ports.can_read(1, {3, 0, 0, 0}, 3));
  EXPECT_TRUE(ports.can_read(3, {3, 0, 0, 0}, 3));
  EXPECT_TRUE(ports.can_read(1000, {3, 0, 0, 0}, 3));
}

TEST(RegisterPorts, TwoPortsPerBankReadTwice) {
  RegisterPorts ports(
      {.banks = 2, .read_ports_per_bank = 2, .operand_read_window_cycles = 1, .reuse_entries = 0});
  EXPECT_TRUE(ports.can_read(0, {2, 2, 0, 0}, 1));
  EXPECT_FALSE(ports.can_read(0, {3, 0, 0, 0}, 1));
}

}  // namespace
}  // namespace tcsim::sm::test
