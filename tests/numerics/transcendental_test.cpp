#include "models/numerics/transcendental.hpp"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace tcsim::numerics {
namespace {

using Exact = int (*)(mpfr_t, const mpfr_t, mpfr_rnd_t);

/// The FP32 nearest to exact(x), computed with 120 bits.
float nearest(Exact exact, float x) {
  mpfr_t value;
  mpfr_init2(value, 120);
  mpfr_set_flt(value, x, MPFR_RNDN);
  exact(value, value, MPFR_RNDN);
  const float result = mpfr_get_flt(value, MPFR_RNDN);
  mpfr_clear(value);
  return result;
}

int reciprocal(mpfr_t result, const mpfr_t x, mpfr_rnd_t mode) {
  return mpfr_ui_div(result, 1, x, mode);
}

/// Compares on random arguments in +-[2^low, 2^high] (`negative`: of both signs). A double result
/// may lie so close to the middle of two FP32 numbers that the other one is nearest.
void expect_nearest(std::uint32_t (*computed)(std::uint32_t), Exact exact, int low, int high,
                    bool negative) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> exponent(low, high);
  for (int i = 0; i < 20000; ++i) {
    auto x = static_cast<float>(std::exp2(exponent(random)));
    if (negative && i % 2 == 1) x = -x;
    const float got = std::bit_cast<float>(computed(std::bit_cast<std::uint32_t>(x)));
    ASSERT_EQ(got, nearest(exact, x)) << x;
  }
}

TEST(Transcendental, IsTheNearestSinglePrecisionNumber) {
  expect_nearest(fp32_exp2, mpfr_exp2, -30, 6, true);
  expect_nearest(fp32_log2, mpfr_log2, -120, 120, false);
  expect_nearest(fp32_log2, mpfr_log2, -1, 1, false);
  expect_nearest(fp32_reciprocal, reciprocal, -120, 120, true);
  expect_nearest(fp32_reciprocal_root, mpfr_rec_sqrt, -120, 120, false);
}

constexpr std::uint32_t kInfinity = 0x7f800000;
constexpr std::uint32_t kMinusInfinity = 0xff800000;
constexpr std::uint32_t kNan = 0x7fffffff;

TEST(Transcendental, HasTheSpecialValuesOfTheManual) {
  EXPECT_EQ(fp32_exp2(kMinusInfinity), 0U);
  EXPECT_EQ(fp32_exp2(kInfinity), kInfinity);
  EXPECT_EQ(fp32_exp2(0x80000000), 0x3f800000U);
  EXPECT_EQ(fp32_exp2(0x7fc00000), kNan);
  EXPECT_EQ(fp32_log2(0), kMinusInfinity);
  EXPECT_EQ(fp32_log2(0x3f800000), 0U);
  EXPECT_EQ(fp32_log2(0xbf800000), kNan);
  EXPECT_EQ(fp32_reciprocal(0), kInfinity);
  EXPECT_EQ(fp32_reciprocal(0x80000000), kMinusInfinity);
  EXPECT_EQ(fp32_reciprocal(kMinusInfinity), 0x80000000U);
  EXPECT_EQ(fp32_reciprocal_root(kInfinity), 0U);
  EXPECT_EQ(fp32_reciprocal_root(0xbf800000), kNan);
}

TEST(Transcendental, FlushesSubnormalNumbers) {
  EXPECT_EQ(fp32_exp2(0xc2fe0000), 0U) << "2^-127";
  EXPECT_EQ(fp32_exp2(0xc2fc0000), 0x00800000U) << "2^-126";
  EXPECT_EQ(fp32_reciprocal(0x00000001), kInfinity);
  EXPECT_EQ(fp32_reciprocal(0x7f000000), 0U) << "2^-127";
  EXPECT_EQ(fp32_log2(0x00000001), kMinusInfinity);
}

}  // namespace
}  // namespace tcsim::numerics
