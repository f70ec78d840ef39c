#include "models/numerics/block.hpp"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <bit>

#include "models/numerics/convert.hpp"
#include "models/numerics/mma.hpp"
#include "tests/numerics/key_of.hpp"
#include "tests/numerics/patterns.hpp"

namespace tcsim::numerics {
namespace {

using enum ElementType;
using Patterns = std::vector<std::uint64_t>;

BlockParams params_of(Generation generation, ElementType input, ElementType accumulator) {
  return find_arithmetic(key_of(generation, InstructionKind::kMma, input, accumulator))
      .value()
      .block;
}

/// Worked example 1: 2^23 - 2^23 - 1/2 - 1/4 - 1/8 on a grid of one.
TEST(BlockTrace, ShowsEveryStageOfWorkedExample1) {
  const BlockTrace trace = trace_block(params_of(Generation::kVolta, kFp16, kFp32),
                                       Patterns{0xf000, 0xb800, 0xb400, 0xb000},
                                       Patterns{0x6400, 0x3c00, 0x3c00, 0x3c00}, 0x4b000000);
  EXPECT_EQ(trace.special, SpecialCase::kNone);
  EXPECT_EQ(trace.product_count, 4);
  EXPECT_EQ(trace.terms[0].exponent, 23);
  EXPECT_TRUE(trace.terms[0].negative);
  EXPECT_EQ(trace.terms[1].exponent, -1);
  EXPECT_EQ(trace.maximum_exponent, 23);
  EXPECT_FALSE(trace.floor_decided);
  EXPECT_EQ(trace.unit_exponent, 0);
  EXPECT_EQ(trace.aligned[0].value, -(1 << 23));
  EXPECT_EQ(trace.aligned[1].shift, 24);
  EXPECT_EQ(trace.aligned[1].value, 0);
  EXPECT_EQ(trace.aligned[1].dropped, 1U << 20);  // the 1 of 1.0, all of it below the grid
  EXPECT_EQ(trace.aligned[1].dropped_bits, 21);
  EXPECT_EQ(trace.aligned[4].value, 1 << 23);
  EXPECT_EQ(trace.sum, 0);
  EXPECT_EQ(trace.pattern, 0U);
}

TEST(BlockTrace, NamesTheSpecialCaseThatAnswered) {
  const BlockParams params = params_of(Generation::kAmpere, kFp16, kFp32);
  const auto special = [&](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
    return trace_block(params, Patterns{a}, Patterns{b}, c).special;
  };
  EXPECT_EQ(special(0x7e00, 0x3c00, 0), SpecialCase::kNanOperand);
  EXPECT_EQ(special(0x3c00, 0x3c00, 0x7f800001), SpecialCase::kNanOperand);
  EXPECT_EQ(special(0x7c00, 0x8000, 0), SpecialCase::kInfinityTimesZero);
  EXPECT_EQ(special(0x7c00, 0x3c00, 0xff800000), SpecialCase::kOppositeInfinities);
  EXPECT_EQ(special(0x7c00, 0x3c00, 0x3f800000), SpecialCase::kInfinity);
}

TEST(BlockTrace, TellsWhenTheFloorDecidesTheGrid) {
  const BlockParams params = params_of(Generation::kAmpere, kBf16, kFp32);
  EXPECT_TRUE(trace_block(params, Patterns{0x0001}, Patterns{0x0001}, 0).floor_decided);
  EXPECT_TRUE(trace_block(params, Patterns{0}, Patterns{0}, 0).floor_decided);
  EXPECT_FALSE(trace_block(params, Patterns{0x3f80}, Patterns{0x3f80}, 0).floor_decided);
}

/// Operands short enough that nothing falls below the grid: the block then is one exact sum with
/// one rounding, which MPFR computes without any alignment.
void compare_with_mpfr(Generation generation, ElementType input, ElementType accumulator,
                       mpfr_rnd_t direction) {
  const BlockParams params = params_of(generation, input, accumulator);
  const int precision = format_of(accumulator).fraction_bits + 1;
  PatternSource source(21);
  mpfr_t exact;
  mpfr_t rounded;
  mpfr_init2(exact, 300);
  mpfr_init2(rounded, precision);
  for (int i = 0; i < 20000; ++i) {
    const auto count = static_cast<std::size_t>(params.products);
    Patterns a(count);
    Patterns b(count);
    const std::uint64_t short_digits =
        ~((std::uint64_t{1} << (format_of(input).ignored_low_bits + format_of(input).fraction_bits -
                                4)) -
          1);
    for (std::size_t k = 0; k < count; ++k) {
      a[k] = source.with_exponent(input, -1, 2) & short_digits;
      b[k] = source.with_exponent(input, -1, 2) & short_digits;
    }
    const std::uint64_t c = source.with_exponent(accumulator, -2, 4) & ~std::uint64_t{0x3f};
    mpfr_set_d(exact, value_as_double(accumulator, c), MPFR_RNDN);
    for (std::size_t k = 0; k < count; ++k) {
      const double product = value_as_double(input, a[k]) * value_as_double(input, b[k]);  // exact
      mpfr_add_d(exact, exact, product, MPFR_RNDN);
    }
    mpfr_set(rounded, exact, direction);
    const double actual = value_as_double(accumulator, block(params, a, b, c));
    ASSERT_EQ(actual, mpfr_get_d(rounded, MPFR_RNDN)) << i;
  }
  mpfr_clear(exact);
  mpfr_clear(rounded);
}

TEST(Block, EqualsTheExactSumWhereNothingIsCut) {
  compare_with_mpfr(Generation::kAmpere, kFp16, kFp32, MPFR_RNDZ);
  compare_with_mpfr(Generation::kHopper, kFp16, kFp16, MPFR_RNDN);
  compare_with_mpfr(Generation::kHopper, kTf32, kFp32, MPFR_RNDZ);
  compare_with_mpfr(Generation::kVolta, kFp16, kFp16, MPFR_RNDN);
}

}  // namespace
}  // namespace tcsim::numerics
