#include "models/numerics/tensor_arithmetic.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "models/numerics/instruction.hpp"
#include "models/numerics/mma.hpp"

namespace tcsim::numerics {
namespace {

using enum ElementType;
using Patterns = std::vector<std::uint64_t>;

constexpr std::uint64_t kOne = 0x3c00;           // FP16
constexpr std::uint64_t kTwoToMinus12 = 0x0c00;  // FP16
constexpr std::uint64_t kTwoTo12 = 0x6c00;       // FP16
constexpr std::uint64_t kMinusTwoTo12 = 0xec00;  // FP16
constexpr std::uint64_t kFp32One = 0x3f800000;

Arithmetic arithmetic_of(const TensorArithmetic& core, ElementType input = kFp16,
                         ElementType accumulator = kFp32) {
  return find_arithmetic(core, {.a = input, .b = input, .accumulator = accumulator}).value();
}

TEST(TensorArithmetic, IsThatOfItsGenerationWithoutChanges) {
  for (const GenerationInfo& row : kGenerations)
    for (const auto& [input, accumulator] : {std::pair{kFp16, kFp32},
                                             {kFp16, kFp16},
                                             {kBf16, kFp32},
                                             {kE4m3, kFp32},
                                             {kInt8, kInt32}}) {
      ArithmeticKey key{.a = input, .b = input, .accumulator = accumulator};
      const auto changed = find_arithmetic(TensorArithmetic(row.generation), key);
      key.generation = row.generation;
      const auto usual = find_arithmetic(key);
      ASSERT_EQ(changed.has_value(), usual.has_value());
      if (!usual.has_value()) continue;
      EXPECT_EQ(changed.value().block, usual.value().block);
      EXPECT_EQ(changed.value().scheme, usual.value().scheme);
    }
}

/// 2^-24 + 2^-24 reaches the last digit of 1 where both products join the sum at once.
TEST(TensorArithmetic, ProductsJoinTheSumSoManyAtOnce) {
  const Patterns tiny(2, kTwoToMinus12);
  TensorArithmetic core = Generation::kAmpere;
  EXPECT_EQ(mma(arithmetic_of(core), tiny, tiny, kFp32One), kFp32One + 1);
  core.fp16.products = 1;
  EXPECT_EQ(mma(arithmetic_of(core), tiny, tiny, kFp32One), kFp32One);
  EXPECT_EQ(arithmetic_of(core, kBf16).block.products, 8);
}

TEST(TensorArithmetic, ProductsAreCutToTheGrid) {
  const Patterns tiny(2, kTwoToMinus12);
  TensorArithmetic core = Generation::kAmpere;
  core.fp16.grid_fraction_bits = 23;
  EXPECT_EQ(mma(arithmetic_of(core), tiny, tiny, kFp32One), kFp32One);
}

TEST(TensorArithmetic, SumsKeepSoManyDigits) {
  TensorArithmetic core = Generation::kAmpere;
  core.fp16.accumulator_fraction_bits = 20;
  EXPECT_EQ(mma(arithmetic_of(core), Patterns{0}, Patterns{0}, kFp32One + 15), kFp32One + 8);
  EXPECT_EQ(arithmetic_of(core, kFp16, kFp16).block.result.kept_fraction_bits, 10);
}

/// 1 + 2^-24 is a tie, 1 + 2^-23 + 2^-24 another.
TEST(TensorArithmetic, RoundsFp32ToTheNearestEven) {
  const Patterns tiny{kTwoToMinus12};
  TensorArithmetic core = Generation::kAmpere;
  EXPECT_EQ(mma(arithmetic_of(core), tiny, tiny, kFp32One + 1), kFp32One + 1);
  core.fp32_rounding = RoundingMode::kNearestEven;
  EXPECT_EQ(mma(arithmetic_of(core), tiny, tiny, kFp32One), kFp32One);
  EXPECT_EQ(mma(arithmetic_of(core), tiny, tiny, kFp32One + 1), kFp32One + 2);
}

/// 1 + 1.5 x 2^-11.
TEST(TensorArithmetic, TruncatesFp16) {
  const Patterns a{kOne};
  const Patterns b{0x1200};
  TensorArithmetic core = Generation::kAmpere;
  EXPECT_EQ(mma(arithmetic_of(core, kFp16, kFp16), a, b, kOne), kOne + 1);
  core.fp16_rounding = RoundingMode::kTruncate;
  EXPECT_EQ(mma(arithmetic_of(core, kFp16, kFp16), a, b, kOne), kOne);
}

TEST(TensorArithmetic, FlushesSubnormalOperands) {
  TensorArithmetic core = Generation::kAmpere;
  const Patterns smallest{0x0001};
  const Patterns one{kOne};
  EXPECT_EQ(mma(arithmetic_of(core), smallest, one, 0), 0x33800000U);
  EXPECT_EQ(mma(arithmetic_of(core), Patterns{0}, one, 0x00400000), 0x00400000U);
  core.subnormals = false;
  EXPECT_EQ(mma(arithmetic_of(core), smallest, one, 0), 0U);
  EXPECT_EQ(mma(arithmetic_of(core), Patterns{0x0400}, one, 0), 0x38800000U);
  EXPECT_EQ(mma(arithmetic_of(core), Patterns{0}, one, 0x00400000), 0U);
  EXPECT_EQ(mma(arithmetic_of(core), Patterns{0x7c00}, smallest, 0), 0x7fffffffU)
      << "infinity times what counts as zero";
}

/// 2^-126 / 2, and 2^-14 - 2^-25, which FP16 would round up to its least normal number.
TEST(TensorArithmetic, FlushesSubnormalResultsBeforeTheyAreRounded) {
  TensorArithmetic core = Generation::kAmpere;
  const Patterns least_normal{0x0080};
  const Patterns half{0x3f00};
  const Patterns almost{0x0fff};
  const Patterns eighth{0x3000};
  EXPECT_EQ(mma(arithmetic_of(core, kBf16), least_normal, half, 0), 0x00400000U);
  EXPECT_EQ(mma(arithmetic_of(core, kFp16, kFp16), almost, eighth, 0), 0x0400U);
  core.subnormals = false;
  EXPECT_EQ(mma(arithmetic_of(core, kBf16), least_normal, half, 0), 0U);
  EXPECT_EQ(mma(arithmetic_of(core, kBf16), Patterns{0x8080}, half, 0), 0x80000000U);
  EXPECT_EQ(mma(arithmetic_of(core, kFp16, kFp16), almost, eighth, 0), 0U);
}

/// +1 and -2^24 onto 2^24: what comes first decides whether 1 survives.
TEST(TensorArithmetic, BlocksFollowEachOtherInTheOrderAskedFor) {
  const std::uint64_t two_to_24 = 0x4b800000;
  Patterns a(16, 0);
  Patterns b(16, 0);
  a[0] = b[0] = kOne;
  a[8] = kMinusTwoTo12;
  b[8] = kTwoTo12;
  TensorArithmetic core = Generation::kAmpere;
  EXPECT_EQ(mma(arithmetic_of(core), a, b, two_to_24), 0U);
  core.block_order = BlockOrder::kDescending;
  EXPECT_EQ(mma(arithmetic_of(core), a, b, two_to_24), kFp32One);
  core.block_order = BlockOrder::kInterleaved;
  EXPECT_EQ(mma(arithmetic_of(core), a, b, two_to_24), kFp32One) << "0 and 8 share a block of two";
  std::swap(a[8], a[9]);
  std::swap(b[8], b[9]);
  EXPECT_EQ(mma(arithmetic_of(core), a, b, two_to_24), 0U);
}

TEST(TensorArithmetic, ChainsTakeEveryElementOnce) {
  Arithmetic arithmetic = arithmetic_of(Generation::kAmpere);
  for (const BlockOrder order :
       {BlockOrder::kAscending, BlockOrder::kDescending, BlockOrder::kInterleaved})
    for (const std::size_t length : {1U, 7U, 8U, 9U, 40U, 67U}) {
      arithmetic.order = order;
      std::vector<int> taken(length, 0);
      for (std::size_t i = 0; i < chain_blocks(arithmetic, length); ++i) {
        const ChainBlock block = chain_block(arithmetic, length, i);
        EXPECT_LE(block.count, 8U);
        for (std::size_t j = 0; j < block.count; ++j) ++taken[block.first + j * block.step];
      }
      EXPECT_EQ(taken, std::vector<int>(length, 1)) << length;
    }
}

TEST(TensorArithmetic, Fp8GetsUnitsOfItsOwnOnHopperWhenItIsChanged) {
  TensorArithmetic core = Generation::kHopper;
  EXPECT_EQ(arithmetic_of(core, kE4m3).scheme, Scheme::kFp8OnFp16Units);
  core.fp16.grid_fraction_bits = 20;
  EXPECT_EQ(arithmetic_of(core, kE4m3).block.grid_fraction_bits, 20);
  core.fp8.accumulator_fraction_bits = 23;
  const Arithmetic changed = arithmetic_of(core, kE4m3);
  EXPECT_EQ(changed.scheme, Scheme::kBlocks);
  EXPECT_EQ(changed.block.products, 32);
  EXPECT_EQ(changed.block.grid_fraction_bits, 13);
  EXPECT_EQ(changed.block.result.kept_fraction_bits, 23);
}

/// 2^-24 + 2^-24 again, as FP8 on FP16 units that take one product at once: 1 comes first.
TEST(TensorArithmetic, Fp8OnFp16UnitsTakesTheBlocksOfThese) {
  TensorArithmetic core = Generation::kHopper;
  Patterns a(32, 0);
  Patterns b(32, 0);
  a[0] = b[0] = 0x3c;                // E5M2: 1
  a[1] = b[1] = a[4] = b[4] = 0x0c;  // 2^-12
  EXPECT_EQ(mma(arithmetic_of(core, kE5m2), a, b, 0), kFp32One + 1);
  core.fp16.products = 1;
  EXPECT_EQ(mma(arithmetic_of(core, kE5m2), a, b, 0), kFp32One);
  core.block_order = BlockOrder::kDescending;
  EXPECT_EQ(mma(arithmetic_of(core, kE5m2), a, b, 0), kFp32One + 1);
}

TEST(TensorArithmetic, KnowsHowWideAProductIs) {
  EXPECT_EQ(product_fraction_bits(kFp16), 20);
  EXPECT_EQ(product_fraction_bits(kBf16), 14);
  EXPECT_EQ(product_fraction_bits(kTf32), 20);
  EXPECT_EQ(product_fraction_bits(kE5m2), 6);
}

TEST(TensorArithmetic, SaysWhatIsChanged) {
  TensorArithmetic core = Generation::kAda;
  EXPECT_EQ(to_string(core), "ada");
  core.fp16.products = 16;
  core.fp8.grid_fraction_bits = 20;
  core.bf16.accumulator_fraction_bits = 16;
  core.fp32_rounding = RoundingMode::kNearestEven;
  core.block_order = BlockOrder::kDescending;
  core.subnormals = false;
  EXPECT_EQ(to_string(core),
            "ada with fp16.products 16, bf16.accumulator_fraction_bits 16, "
            "fp8.grid_fraction_bits 20, fp32_rounding nearest_even, block_order descending, "
            "subnormals flushed");
}

TEST(TensorArithmetic, GoesWithEveryInstructionOfItsGeneration) {
  MmaInstruction instruction;
  TensorArithmetic core = Generation::kAmpere;
  core.fp16.products = 4;
  EXPECT_EQ(arithmetic_of(instruction, core).value().block.products, 4);
  core.base = Generation::kVolta;
  EXPECT_FALSE(arithmetic_of(instruction, core).has_value());
}

}  // namespace
}  // namespace tcsim::numerics
