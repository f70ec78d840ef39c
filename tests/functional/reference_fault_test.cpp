// References that are wrong in one detail of the arithmetic must differ from the executed kernel.

#include <gtest/gtest.h>

#include "sim/values/reference_product.hpp"
#include "tests/functional/gemm_values.hpp"

namespace tcsim::functional::testing {
namespace {

using kernels::Element;
using kernels::Target;
using numerics::Generation;
using numerics::RoundingMode;

/// 32 x 32 x 72: the last k-tile is ragged, and chains have nine blocks of eight products.
GemmValues gemm_on(const Target& target, Generation generation, Element input, Element accumulate) {
  const int stages = target.architecture == "ampere" ? 3 : 2;
  const int tile_k = input == Element::kTf32 ? 16 : 32;
  return {
      target,
      generation,
      {.m = 32, .n = 32, .k = 72, .input = input, .accumulate = accumulate, .output = accumulate},
      {.m = 64, .n = 64, .k = tile_k, .stages = stages, .warps_m = 2, .warps_n = 2}};
}

const std::vector<GemmValues>& gemms() {
  static const std::vector<GemmValues> all{
      gemm_on(kernels::testing::v100(), Generation::kVolta, Element::kFp16, Element::kFp32),
      gemm_on(kernels::testing::t4(), Generation::kTuring, Element::kFp16, Element::kFp32),
      gemm_on(kernels::testing::a100(), Generation::kAmpere, Element::kFp16, Element::kFp32),
      gemm_on(kernels::testing::a100(), Generation::kAmpere, Element::kBf16, Element::kFp32),
      gemm_on(kernels::testing::a100(), Generation::kAmpere, Element::kTf32, Element::kFp32),
      gemm_on(kernels::testing::a100(), Generation::kAmpere, Element::kFp16, Element::kFp16)};
  return all;
}

/// The executed kernel against a reference whose arithmetic `change` has altered.
template <typename Change>
std::string difference_after(const GemmValues& gemm, const Change& change) {
  const isa::KernelLaunch launch = kernels::make_gemm(gemm.problem, gemm.tile, gemm.target);
  GlobalMemory memory = random_operands(gemm, launch);
  EXPECT_TRUE(execute(launch, gemm.generation, memory).has_value());
  numerics::Arithmetic arithmetic = values::product_arithmetic(gemm.problem, gemm.generation);
  change(arithmetic.block);
  return difference(gemm, memory,
                    values::reference_product(gemm.problem, gemm.tile, arithmetic, memory));
}

TEST(ReferenceFaults, NoneMeansNoDifference) {
  for (const GemmValues& gemm : gemms())
    EXPECT_EQ(difference_after(gemm, [](numerics::BlockParams&) {}), "") << gemm;
}

TEST(ReferenceFaults, AnAlignmentOneBitShorterIsSeen) {
  for (const GemmValues& gemm : gemms())
    EXPECT_NE(difference_after(gemm, [](auto& block) { --block.grid_fraction_bits; }), "") << gemm;
}

/// An FP16 result keeps too few digits to show a 25th one in random data.
TEST(ReferenceFaults, AnAlignmentOneBitLongerIsSeenInFp32) {
  for (const GemmValues& gemm : gemms()) {
    if (gemm.problem.accumulate != Element::kFp32) continue;
    EXPECT_NE(difference_after(gemm, [](auto& block) { ++block.grid_fraction_bits; }), "") << gemm;
  }
}

TEST(ReferenceFaults, AnotherRoundingIsSeen) {
  for (const GemmValues& gemm : gemms()) {
    const auto exchange = [](numerics::BlockParams& block) {
      block.result.mode = block.result.mode == RoundingMode::kTruncate ? RoundingMode::kNearestEven
                                                                       : RoundingMode::kTruncate;
    };
    EXPECT_NE(difference_after(gemm, exchange), "") << gemm;
  }
}

TEST(ReferenceFaults, BlocksOfHalfTheProductsAreSeen) {
  for (const GemmValues& gemm : gemms())
    EXPECT_NE(difference_after(gemm, [](auto& block) { block.products /= 2; }), "") << gemm;
}

}  // namespace
}  // namespace tcsim::functional::testing
