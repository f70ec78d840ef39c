#include <gtest/gtest.h>

#include "tests/rtl/warp_cases.hpp"

namespace tcsim::rtl {
namespace {

using numerics::ElementType;

TEST(WarpUnitAmpere, ComputesEveryShapeAsTheModelUnderRandomStalls) {
  const auto unit = make_warp_unit_ampere();
  const WarpComparison comparison = compare_ampere(*unit, 150, /*seed=*/7);
  EXPECT_TRUE(comparison.agrees) << "after " << comparison.compared << " instructions";
  EXPECT_EQ(comparison.compared, 150);
}

TEST(WarpUnitAmpere, StartsAnInstructionEveryIntervalOfTheMachineFile) {
  EXPECT_EQ(wrong_interval_ampere(*make_warp_unit_ampere()), "");
}

TEST(WarpUnitAmpere, AnswersWithinTheLatencyOfTheMachineFile) {
  const auto unit = make_warp_unit_ampere();
  Random random(9);
  for (const AmpereCase& of : ampere_cases()) {
    const auto results =
        run_back_to_back(*unit, 1, [&](int /*i*/) { return random_mma(of, random); });
    ASSERT_EQ(results.size(), 1U);
    const auto cycles = results[0].finished - results[0].accepted + 1;
    // C and operand registers one a cycle, four passes a half step, three pipeline registers, then
    // the D registers of the last row half one a cycle.
    const bool fp16 = of.accumulator == ElementType::kFp16;
    EXPECT_EQ(cycles, (fp16 ? 11 : 13) + (of.long_k ? 4 : 0)) << of.opcode;
    EXPECT_LT(cycles, machine_timing("a100", of.opcode).latency) << of.opcode;
  }
}

TEST(WarpUnitHopper, ComputesEveryFormatAsTheModelUnderRandomStalls) {
  const auto unit = make_warp_unit_hopper();
  const WarpComparison comparison = compare_hopper(*unit, 60, /*seed=*/7);
  EXPECT_TRUE(comparison.agrees) << "after " << comparison.compared << " instructions";
  EXPECT_EQ(comparison.compared, 60);
}

TEST(WarpUnitHopper, StartsAnInstructionEveryIntervalOfTheMachineFile) {
  EXPECT_EQ(wrong_interval_hopper(*make_warp_unit_hopper()), "");
}

TEST(WarpUnitHopper, StreamsItsSumsBehindThoseThatItTakes) {
  const auto unit = make_warp_unit_hopper();
  Random random(9);
  for (const HopperCase& of : hopper_cases())
    for (const int n : {8, 64}) {
      const auto results =
          run_back_to_back(*unit, 1, [&](int /*i*/) { return random_group_mma(of, n, random); });
      ASSERT_EQ(results.size(), 1U);
      // Four registers of A, N/2 passes, three pipeline registers, then the D registers of the last
      // row half one a cycle. The first leave after two passes, of FP16 one every other cycle.
      const bool fp16 = of.accumulator == numerics::ElementType::kFp16;
      EXPECT_EQ(results[0].finished - results[0].accepted, n / 2 + (fp16 ? 7 : 8));
      EXPECT_EQ(results[0].dependent_from - results[0].accepted, fp16 ? 8 + n / 4 : 9);
    }
}

TEST(WarpUnitVolta, ComputesEveryStepAsTheModelUnderRandomStalls) {
  const auto unit = make_warp_unit_volta();
  const WarpComparison comparison = compare_volta(*unit, 60, /*seed=*/7);
  EXPECT_TRUE(comparison.agrees) << "after " << comparison.compared << " steps";
  EXPECT_GE(comparison.compared, 120);
}

TEST(WarpUnitVolta, TakesAStepEveryIntervalOfTheMachineFile) {
  EXPECT_EQ(wrong_interval_volta(*make_warp_unit_volta()), "");
}

TEST(WarpUnitVolta, AnswersWithinTheLatencyOfTheMachineFile) {
  const auto unit = make_warp_unit_volta();
  Random random(8);
  for (const ElementType accumulator : {ElementType::kFp16, ElementType::kFp32}) {
    const bool fp16 = accumulator == ElementType::kFp16;
    const auto results =
        run_back_to_back(*unit, 1, [&](int /*i*/) { return random_step(0, accumulator, random); });
    ASSERT_EQ(results.size(), 1U);
    const auto cycles = results[0].finished - results[0].accepted + 1;
    EXPECT_EQ(cycles, fp16 ? 10 : 8);
    EXPECT_LT(
        cycles,
        machine_timing("v100", fp16 ? "HMMA.884.F16.F16.STEP0" : "HMMA.884.F32.F32.STEP0").latency);
  }
}

}  // namespace
}  // namespace tcsim::rtl
