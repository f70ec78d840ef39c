#include "models/sm/register_cache.hpp"

#include <gtest/gtest.h>

#include "tests/sm/sm_bench.hpp"

namespace tcsim::sm::test {
namespace {

/// Cycles per FFMA of three sources in one bank with `reuse` bits, at an issue interval of 1.
Cycle cycles_each(int reuse, int entries = 1) {
  SmParams params = ampere_sm();
  params.pipes.fp32_lanes = 128;
  params.register_file.reuse_entries = entries;
  const auto end = [&](int count) {
    ProgramBuilder program;
    for (int i = 0; i < count; ++i) program.op(Opcode::kFfma).dst(20).src(2, 4, 6).reuse(reuse);
    program.op(Opcode::kExit);
    return end_of(program, params);
  };
  return (end(80) - end(20)) / 60;
}

TEST(RegisterCache, EachReusedOperandTakesAwayOneCycleOfTheConflict) {
  EXPECT_EQ(cycles_each(0), 3);
  EXPECT_EQ(cycles_each(1), 2);
  EXPECT_EQ(cycles_each(5), 1);
}

TEST(RegisterCache, MachinesWithoutItIgnoreTheBits) { EXPECT_EQ(cycles_each(5, 0), 3); }

/// FFMA with sources a, b, c as the issue stage sees it.
DecodedInstruction ffma(int a, int b, int c, int reuse = 0) {
  DecodedInstruction instruction{};
  instruction.opcode = Opcode::kFfma;
  instruction.src = {static_cast<isa::Register>(a), static_cast<isa::Register>(b),
                     static_cast<isa::Register>(c), isa::kZeroRegister};
  for (const int source : {a, b, c}) ++instruction.bank_reads[static_cast<std::size_t>(source % 2)];
  instruction.reuse_mask = reuse & 7;
  return instruction;
}

using Reads = std::array<std::uint8_t, kMaxRegisterBanks>;

class ReuseOfOne : public ::testing::Test {
 protected:
  RegisterCache cache{ampere_sm().register_file};
};

TEST_F(ReuseOfOne, HoldsTheOperandForItsWarpRegisterAndPosition) {
  cache.pass(ffma(2, 4, 6, 1), 0);
  EXPECT_EQ(cache.reads(ffma(2, 4, 6), 0), (Reads{2, 0, 0, 0}));
  EXPECT_EQ(cache.reads(ffma(2, 4, 6), 1), (Reads{3, 0, 0, 0}));  // another warp
  EXPECT_EQ(cache.reads(ffma(4, 2, 6), 0), (Reads{3, 0, 0, 0}));  // another position
  EXPECT_EQ(cache.reads(ffma(8, 4, 6), 0), (Reads{3, 0, 0, 0}));  // another register
}

TEST_F(ReuseOfOne, IsGoneAfterAReadOfItsBankAndPosition) {
  cache.pass(ffma(2, 4, 6, 1), 0);
  cache.pass(ffma(3, 4, 6), 0);  // the other bank
  EXPECT_FALSE(cache.is_empty());
  cache.pass(ffma(8, 4, 6), 0);
  EXPECT_TRUE(cache.is_empty());
}

TEST_F(ReuseOfOne, StaysIfTheReaderKeepsItAgain) {
  cache.pass(ffma(2, 4, 6, 1), 0);
  cache.pass(ffma(2, 4, 6, 1), 0);
  EXPECT_EQ(cache.reads(ffma(2, 4, 6), 0), (Reads{2, 0, 0, 0}));
  cache.pass(ffma(2, 4, 6), 0);
  EXPECT_TRUE(cache.is_empty());
}

TEST_F(ReuseOfOne, AnotherWarpTakesItsPlace) {
  cache.pass(ffma(2, 4, 6, 1), 0);
  cache.pass(ffma(2, 4, 6), 1);
  EXPECT_TRUE(cache.is_empty());
}

}  // namespace
}  // namespace tcsim::sm::test
