#include "sim/rtl/tensor_core_loop.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/functional/execute.hpp"
#include "tests/functional/gemm_values.hpp"
#include "tests/rtl/warp_cases.hpp"

namespace tcsim::rtl {
namespace {

using isa::Opcode;
using isa::Variable;
using numerics::ElementType;
using numerics::Generation;
using testing::HasSubstr;

constexpr AmpereCase kCase{
    "HMMA.16816.F32", ElementType::kFp16, ElementType::kFp32, {16, 8, 16}, /*long_k=*/true};

isa::Bindings warp(int number) {
  isa::Bindings bindings{};
  bindings[static_cast<std::size_t>(Variable::kWarp)] = number;
  return bindings;
}

/// A record of `count` MMAs of each of two warps, and a table with the A100's HMMA.16816.F32.
class TensorCoreLoopTest : public ::testing::Test {
 protected:
  TensorCoreLoopTest() : timing_{} {
    timing_[place()] = {.issue_interval = 8, .latency = 25};
    Random random(5);
    for (int i = 0; i < 2 * kCount; ++i) {
      const WarpMma mma = random_mma(kCase, random);
      const auto a = words_of(mma.a);
      const auto b = words_of(mma.b);
      const auto c = words_of(mma.c);
      numerics::MmaInstruction of;
      of.shape = kCase.shape;
      EXPECT_TRUE(record_
                      .execute(of, {.a = a, .b = b, .b_matrix = {}, .c = c, .metadata = {}},
                               {.launch = 0, .bindings = warp(i % 2), .step = 0})
                      .has_value());
    }
  }

  static std::size_t place() { return static_cast<std::size_t>(Opcode::kHmma16816F32); }

  /// Both warps take turns and issue as early as the unit lets them; `shift` delays one of them.
  static void issue_all(sm::TensorUnit& unit, Cycle shift = 0) {
    unit.begin_kernel();
    Cycle next = 100;
    for (int i = 0; i < 2 * kCount; ++i)
      next = unit.issue(next + (i == 5 ? shift : 0), warp(i % 2), Opcode::kHmma16816F32);
  }

  static constexpr int kCount = 10;
  MmaRecord record_{Generation::kAmpere};
  isa::TimingTable timing_;
};

TEST_F(TensorCoreLoopTest, AgreesWithTheIntervalsOfTheMachineFile) {
  TensorCoreLoop loop(record_, timing_, /*launches=*/1);
  issue_all(loop.of_machine_file()(0, 0));
  issue_all(loop.in_rtl()(0, 0));
  const LoopResult result = loop.result();
  EXPECT_EQ(result.first_difference, "");
  EXPECT_EQ(result.instructions, 2 * kCount);
  EXPECT_EQ(result.units, 1);
  ASSERT_EQ(result.latencies.size(), 1U);
  EXPECT_EQ(result.latencies[0].unit_cycles, 17);
}

TEST_F(TensorCoreLoopTest, FindsAnIntervalThatIsOneCycleOff) {
  for (const int interval : {7, 9}) {
    timing_[place()].issue_interval = interval;
    TensorCoreLoop loop(record_, timing_, /*launches=*/1);
    issue_all(loop.of_machine_file()(0, 0));
    issue_all(loop.in_rtl()(0, 0));
    EXPECT_THAT(loop.result().first_difference,
                HasSubstr("in RTL HMMA.16816.F32 of warp 1 of CTA (0,0,0), issued at cycle 108"));
  }
}

TEST_F(TensorCoreLoopTest, FindsAnIssueThatIsOneCycleLate) {
  TensorCoreLoop loop(record_, timing_, /*launches=*/1);
  issue_all(loop.of_machine_file()(0, 0));
  issue_all(loop.in_rtl()(0, 0), /*shift=*/1);
  EXPECT_THAT(loop.result().first_difference, HasSubstr("issued at cycle 141"));
}

TEST_F(TensorCoreLoopTest, FindsALatencyBeyondTheMachineFile) {
  timing_[place()].latency = 16;
  TensorCoreLoop loop(record_, timing_, /*launches=*/1);
  issue_all(loop.of_machine_file()(0, 0));
  issue_all(loop.in_rtl()(0, 0));
  EXPECT_EQ(loop.result().first_difference,
            "HMMA.16816.F32: the unit takes 17 cycles, the machine file 16");
}

TEST_F(TensorCoreLoopTest, FindsOperandsOfAnotherWarp) {
  TensorCoreLoop loop(record_, timing_, /*launches=*/1);
  sm::TensorUnit& unit = loop.in_rtl()(0, 0);
  loop.of_machine_file()(0, 0);
  unit.begin_kernel();
  unit.issue(0, warp(2), Opcode::kHmma16816F32);
  EXPECT_THAT(loop.result().first_difference,
              HasSubstr("warp 2 of CTA (0,0,0), issued at cycle 0"));
}

TEST(MmaRecord, RefusesWhatTheUnitLacks) {
  MmaRecord record(Generation::kAmpere);
  numerics::MmaInstruction of;
  of.shape = {8, 8, 4};
  of.a = of.b = of.c = of.d = ElementType::kFp64;
  EXPECT_THAT(record.execute(of, {}, {}).refusal().reason, HasSubstr("has no m8n8k4 with fp64"));
}

}  // namespace
}  // namespace tcsim::rtl
