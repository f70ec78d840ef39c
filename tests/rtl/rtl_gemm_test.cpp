#include <gtest/gtest.h>

#include "tests/functional/gemm_values.hpp"
#include "tests/rtl/rtl_mma.hpp"

namespace tcsim::rtl {
namespace {

using functional::testing::GemmValues;
using kernels::Element;
using numerics::Generation;

/// 64 x 64 x 64 in one CTA.
GemmValues gemm(const kernels::Target& target, Generation generation, Element input,
                Element accumulate, const kernels::GemmTile& tile) {
  return {
      target,
      generation,
      {.m = 64, .n = 64, .k = 64, .input = input, .accumulate = accumulate, .output = accumulate},
      tile};
}

/// Runs the generated kernel with every matrix instruction in RTL and expects the reference
/// product.
void expect_the_reference_product(const GemmValues& of, std::int64_t instructions) {
  const auto launch = kernels::make_gemm(of.problem, of.tile, of.target);
  functional::GlobalMemory memory = functional::testing::random_operands(of, launch);
  const auto reference = functional::testing::reference_product(of, memory);
  const auto unit = RtlMma::create(of.generation).value();
  const auto result = functional::execute(launch, of.generation, memory, unit.get());
  ASSERT_TRUE(result.has_value()) << result.refusal().reason;
  EXPECT_EQ(functional::testing::difference(of, memory, reference), "");
  EXPECT_EQ(unit->instructions(), instructions);
  EXPECT_GE(unit->busy_cycles(), instructions * 8);
}

constexpr std::int64_t kMultiplyAdds = 262'144;  // 64 x 64 x 64
constexpr kernels::GemmTile kTile{
    .m = 64, .n = 64, .k = 32, .stages = 2, .warps_m = 2, .warps_n = 2};

TEST(RtlGemm, HasTheValuesOfTheModelOnAmpere) {
  const auto target = kernels::testing::a100();
  expect_the_reference_product(
      gemm(target, Generation::kAmpere, Element::kFp16, Element::kFp32, kTile),
      kMultiplyAdds / 2048);
  expect_the_reference_product(
      gemm(target, Generation::kAmpere, Element::kFp16, Element::kFp16, kTile),
      kMultiplyAdds / 2048);
}

TEST(RtlGemm, HasTheValuesOfTheModelOnVolta) {
  const auto target = kernels::testing::v100();
  // 1024 multiply-adds make four STEPs; for each of them the unit runs the whole m8n8k4.
  expect_the_reference_product(
      gemm(target, Generation::kVolta, Element::kFp16, Element::kFp32, kTile),
      kMultiplyAdds / 1024 * 4);
}

}  // namespace
}  // namespace tcsim::rtl
