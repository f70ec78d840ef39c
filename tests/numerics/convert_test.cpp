#include "models/numerics/convert.hpp"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <bit>
#include <cmath>

#include "models/numerics/ieee_fma.hpp"
#include "tests/numerics/patterns.hpp"

namespace tcsim::numerics {
namespace {

using enum ElementType;

/// MPFR as an oracle: rounds to the precision and exponent range of a format, subnormals included,
/// without sharing a line with the model.
class MpfrRounder {
 public:
  explicit MpfrRounder(ElementType type) : format_(format_of(type)) {
    saved_min_ = mpfr_get_emin();
    saved_max_ = mpfr_get_emax();
    mpfr_init2(value_, format_.fraction_bits + 1);
  }
  ~MpfrRounder() {
    mpfr_clear(value_);
    restore();
  }
  MpfrRounder(const MpfrRounder&) = delete;
  MpfrRounder& operator=(const MpfrRounder&) = delete;

  double round(double exact) {
    // MPFR significands lie in [1/2, 1): exponents are one higher than ours.
    mpfr_set_emin(format_.exponent_of_subnormals() - format_.fraction_bits + 1);
    mpfr_set_emax(format_.largest_exponent() + 1);
    const int direction = mpfr_set_d(value_, exact, MPFR_RNDN);
    mpfr_subnormalize(value_, mpfr_check_range(value_, direction, MPFR_RNDN), MPFR_RNDN);
    restore();
    return mpfr_get_d(value_, MPFR_RNDN);
  }

 private:
  void restore() const {
    mpfr_set_emin(saved_min_);
    mpfr_set_emax(saved_max_);
  }

  const Format& format_;
  mpfr_t value_;
  mpfr_exp_t saved_min_ = 0;
  mpfr_exp_t saved_max_ = 0;
};

void compare_with_mpfr(ElementType to, int low, int high, std::uint64_t seed) {
  MpfrRounder oracle(to);
  PatternSource source(seed);
  for (int i = 0; i < 50000; ++i) {
    std::uint64_t pattern = source.with_exponent(kFp32, low, high);
    if (i % 3 == 0) pattern &= ~((1ULL << source.number(0, 23)) - 1);  // short digits make ties
    const double expected = oracle.round(value_as_double(kFp32, pattern));
    const double actual = value_as_double(to, convert(kFp32, pattern, to));
    ASSERT_EQ(std::bit_cast<std::uint64_t>(actual), std::bit_cast<std::uint64_t>(expected))
        << std::hex << pattern;
  }
}

TEST(Convert, Fp32ToFp16EqualsMpfrOverTheWholeRange) { compare_with_mpfr(kFp16, -28, 17, 1); }
TEST(Convert, Fp32ToBf16EqualsMpfrAmongNormals) { compare_with_mpfr(kBf16, -20, 20, 2); }
TEST(Convert, Fp32ToBf16EqualsMpfrAmongSubnormals) { compare_with_mpfr(kBf16, -149, -120, 3); }
TEST(Convert, Fp32ToBf16EqualsMpfrAtTheTop) { compare_with_mpfr(kBf16, 125, 127, 4); }

/// cvt.rna.tf32.f32
std::uint64_t fp32_to_tf32(std::uint64_t pattern) {
  return convert(kFp32, pattern, kTf32, RoundingMode::kNearestAway);
}

/// The integer form of cvt.rna that the reference gives in section 4.
TEST(Convert, Tf32RoundsTiesAwayAsTheIntegerFormDoes) {
  PatternSource source(5);
  for (int i = 0; i < 50000; ++i) {
    std::uint64_t x = source.random_bits(kFp32);
    if ((x & 0x7f800000U) == 0x7f800000U) continue;
    if (i % 4 == 0) x = (x & ~0x1fffULL) | 0x1000;
    ASSERT_EQ(fp32_to_tf32(x), (x + 0x1000) & 0xffffe000U) << std::hex << x;
  }
}

TEST(Convert, TheTf32CarryMayReachInfinity) { EXPECT_EQ(fp32_to_tf32(0x7f7fffff), 0x7f800000U); }

TEST(Convert, EveryFp16AndBf16SurvivesTheWayThroughFp32) {
  for (std::uint32_t pattern = 0; pattern < 0x10000; ++pattern) {
    const auto half = static_cast<std::uint16_t>(pattern);
    const bool half_nan = (pattern & 0x7fff) > 0x7c00;
    ASSERT_EQ(fp32_to_fp16(fp16_to_fp32(half)), half_nan ? 0x7fff : half);
    const bool bfloat_nan = (pattern & 0x7fff) > 0x7f80;
    const std::uint64_t wide = convert(kBf16, half, kFp32);
    ASSERT_EQ(wide, bfloat_nan ? 0x7fffffffU : pattern << 16);
    ASSERT_EQ(fp32_to_bf16(static_cast<std::uint32_t>(wide)), bfloat_nan ? 0x7fff : half);
  }
}

TEST(Convert, EveryFp8IsExactInFp16) {
  for (std::uint64_t pattern = 0; pattern < 256; ++pattern)
    for (const ElementType type : {kE4m3, kE5m2}) {
      const double direct = value_as_double(type, pattern);
      const double widened = value_as_double(kFp16, convert(type, pattern, kFp16));
      if (std::isnan(direct))
        ASSERT_TRUE(std::isnan(widened));
      else
        ASSERT_EQ(widened, direct);
    }
}

TEST(Convert, E4m3OverflowIsNan) {
  EXPECT_EQ(convert(kFp32, fp32_pattern(448.0F), kE4m3), 0x7eU);
  EXPECT_EQ(convert(kFp32, fp32_pattern(463.0F), kE4m3), 0x7eU);
  EXPECT_EQ(convert(kFp32, fp32_pattern(480.0F), kE4m3), 0x7fU);
  EXPECT_EQ(convert(kFp32, fp32_pattern(1e9F), kE4m3), 0x7fU);
}

TEST(Convert, SaturatesWithTheSignOfWhatLiesBeyond) {
  const auto saturated = [](float value, ElementType to) {
    return convert_saturating(kFp32, fp32_pattern(value), to);
  };
  EXPECT_EQ(saturated(464.0F, kE4m3), 0x7eU);
  EXPECT_EQ(saturated(480.0F, kE4m3), 0x7eU);
  EXPECT_EQ(saturated(-480.0F, kE4m3), 0xfeU);
  EXPECT_EQ(saturated(-INFINITY, kE4m3), 0xfeU);
  EXPECT_EQ(saturated(-NAN, kE4m3), 0x7fU);
  EXPECT_EQ(saturated(61439.0F, kE5m2), 0x7bU);
  EXPECT_EQ(saturated(-61440.0F, kE5m2), 0xfbU);
  EXPECT_EQ(saturated(INFINITY, kE5m2), 0x7bU);
  EXPECT_EQ(saturated(-1e9F, kFp16), 0xfbffU);
  EXPECT_EQ(saturated(-0.0F, kE5m2), 0x80U);
}

TEST(Fp32Operations, AgreeWithTheIntegerFma) {
  PatternSource source(6);
  for (int i = 0; i < 20000; ++i) {
    const auto a = static_cast<std::uint32_t>(source.random_bits(kFp32));
    const auto b = static_cast<std::uint32_t>(source.with_exponent(kFp32, -60, 60));
    const auto c = static_cast<std::uint32_t>(source.random_bits(kFp32));
    ASSERT_EQ(fp32_fma(a, b, c), ieee_fma(kFp32, a, b, c));
    ASSERT_EQ(fp32_add(a, b), ieee_add(kFp32, a, b));
    ASSERT_EQ(fp32_multiply(a, b), ieee_multiply(kFp32, a, b));
  }
}

}  // namespace
}  // namespace tcsim::numerics
