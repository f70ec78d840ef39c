#include <gmock/gmock.h>

#include "models/isa/launch.hpp"
#include "sim/values/operand_store.hpp"
#include "tests/functional/gemm_values.hpp"
#include "tests/functional/hand_over_faults.hpp"

namespace tcsim::functional::testing {
namespace {

using kernels::Element;
using kernels::Layout;
using kernels::Unit;

/// Nine tiles of D, cut off along m and n; twenty k-tiles and a ragged rest. The machine has `sms`.
GemmValues on(int sms, Element input = Element::kFp16) {
  GemmValues gemm{kernels::testing::a100(),
                  numerics::Generation::kAmpere,
                  {.m = 136, .n = 184, .k = 648, .input = input},
                  kCopyingTile};
  gemm.target.sms = sms;
  gemm.tile.stream_k = true;
  return gemm;
}

TEST(StreamK, AddsTheSumsOfATileInTheOrderOfK) {
  for (const int sms : {5, 7, 20}) expect_reference_product(on(sms));
}

TEST(StreamK, CoversLayoutsAndOddSizes) {
  GemmValues gemm = on(7);
  gemm.problem.layout_a = Layout::kTransposed;
  gemm.problem.layout_b = Layout::kNormal;
  expect_reference_product(gemm);
  gemm = on(7);
  gemm.problem.n = 183;  // D's elements are odd: one each
  expect_reference_product(gemm);
}

TEST(StreamK, CoversTheFormats) {
  for (const GemmValues& gemm :
       {GemmValues{kernels::testing::a100(),
                   numerics::Generation::kAmpere,
                   {.m = 136, .n = 184, .k = 640, .accumulate = Element::kFp16},
                   kCopyingTile},
        GemmValues{kernels::testing::a100(),
                   numerics::Generation::kAmpere,
                   {.m = 136,
                   .n = 184,
                   .k = 1280,
                   .input = Element::kInt8,
                   .accumulate = Element::kInt32,
                   .output = Element::kInt32},
                   {64, 64, 64, 4, 2, 2}},
        GemmValues{kernels::testing::a100(),
                   numerics::Generation::kAmpere,
                   {.m = 72,
                   .n = 136,
                   .k = 168,
                   .input = Element::kFp64,
                   .accumulate = Element::kFp64,
                   .output = Element::kFp64},
                   {32, 64, 16, 4, 2, 2}},
        GemmValues{kernels::testing::a100(),
                   numerics::Generation::kAmpere,
                   {.m = 136,
                   .n = 184,
                   .k = 168,
                   .input = Element::kFp32,
                   .output = Element::kFp32,
                   .unit = Unit::kCudaCore},
                   {64, 64, 8, 5, 2, 1}},
        GemmValues{kernels::testing::t4(),
                   numerics::Generation::kTuring,
                   {.m = 136, .n = 184, .k = 648},
                   {64, 64, 32, 2, 2, 2}},
        GemmValues{kernels::testing::v100(),
                   numerics::Generation::kVolta,
                   {.m = 136, .n = 184, .k = 648},
                   {64, 64, 32, 2, 2, 2}}}) {
    GemmValues small = gemm;
    small.target.sms = 7;
    small.tile.stream_k = true;
    expect_reference_product(small);
  }
}

/// Every element is a NaN, whose payload shows which one was the second operand of a sum.
TEST(StreamK, KeepsTheNanThatIsHandedOver) {
  constexpr std::int64_t kDepth = 168;
  GemmValues gemm{kernels::testing::a100(),
                  numerics::Generation::kAmpere,
                  {.m = 72,
                   .n = 136,
                   .k = kDepth,
                   .input = Element::kFp64,
                   .accumulate = Element::kFp64,
                   .output = Element::kFp64},
                  {32, 64, 16, 4, 2, 2}};
  gemm.target.sms = 7;
  gemm.tile.stream_k = true;
  const auto stream = kernels::make_gemm_stream(gemm.problem, gemm.tile, gemm.target);
  GlobalMemory memory = random_operands(gemm, stream);
  constexpr std::uint64_t kNan = 0x7ff8000000000000;
  for (std::int64_t row = 0; row < gemm.problem.m; ++row) {
    values::put_pattern(memory.buffer("A"), row * kDepth, Element::kFp64, kNan + 1);
    values::put_pattern(memory.buffer("A"), (row + 1) * kDepth - 1, Element::kFp64, kNan + 2);
  }
  ASSERT_TRUE(execute(stream, gemm.generation, memory).has_value());
  EXPECT_EQ(difference(gemm, memory, reference_product(gemm, memory)), "");
}

TEST(StreamK, LeavesItsFlagsAtZero) {
  const GemmValues gemm = on(20);
  const auto stream = kernels::make_gemm_stream(gemm.problem, gemm.tile, gemm.target);
  GlobalMemory memory = random_operands(gemm, stream);
  ASSERT_TRUE(execute(stream, gemm.generation, memory).has_value());
  EXPECT_THAT(memory.buffer("semaphores"), ::testing::Each(0));
  // So a second launch finds what the first one did.
  ASSERT_TRUE(execute(stream, gemm.generation, memory).has_value());
  EXPECT_EQ(difference(gemm, memory, reference_product(gemm, memory)), "");
}

TEST(StreamK, ACtaThatDoesNotRaiseTheFlagIsNoticed) {
  const GemmValues gemm = on(7);
  auto stream = kernels::make_gemm_stream(gemm.problem, gemm.tile, gemm.target);
  for (isa::Instruction& instruction : stream.front().programs.front().instructions)
    if (instruction.opcode == isa::Opcode::kRedAdd && instruction.immediate > 0)
      instruction.immediate = 0;
  GlobalMemory memory = random_operands(gemm, stream);
  EXPECT_THAT(
      execute(stream, gemm.generation, memory).refusal().reason,
      ::testing::HasSubstr("waits for a flag of 1, which the CTAs before it have left at 0"));
}

TEST(StreamK, RacesOfHandedOverSumsAreFound) {
  expect_hand_over_faults_found(on(20), isa::Opcode::kBarSync);
}

}  // namespace
}  // namespace tcsim::functional::testing
