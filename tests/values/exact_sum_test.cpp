#include "sim/values/exact_sum.hpp"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace tcsim::values {
namespace {

/// The sum of products in enough bits for all of them, rounded once.
class WideSum {
 public:
  WideSum() {
    mpfr_init2(sum_, kPrecision);
    mpfr_init2(product_, kPrecision);
    mpfr_set_zero(sum_, 1);
  }
  ~WideSum() {
    mpfr_clear(sum_);
    mpfr_clear(product_);
  }
  WideSum(const WideSum&) = delete;
  WideSum& operator=(const WideSum&) = delete;

  void add_product(double a, double b) {
    mpfr_set_d(product_, a, MPFR_RNDN);
    mpfr_mul_d(product_, product_, b, MPFR_RNDN);
    mpfr_add(sum_, sum_, product_, MPFR_RNDN);
  }
  double value() const { return mpfr_get_d(sum_, MPFR_RNDN); }

 private:
  static constexpr mpfr_prec_t kPrecision = 4400;
  mpfr_t sum_;
  mpfr_t product_;
};

double random_double(std::mt19937_64& random, int least_exponent, int most_exponent) {
  std::uniform_int_distribution<int> exponent(least_exponent, most_exponent);
  std::uniform_real_distribution<double> significand(-2, 2);
  return std::ldexp(significand(random), exponent(random));
}

TEST(ExactSum, IsZeroAtFirst) { EXPECT_EQ(ExactSum().value(), 0.0); }

TEST(ExactSum, RoundsOnceLikeMpfr) {
  std::mt19937_64 random(7);
  for (const int spread : {1, 20, 100, 400}) {
    for (int trial = 0; trial < 200; ++trial) {
      ExactSum sum;
      WideSum wide;
      for (int term = 0; term < 30; ++term) {
        const double a = random_double(random, -spread, spread);
        const double b = random_double(random, -spread, spread);
        sum.add_product(a, b);
        wide.add_product(a, b);
      }
      ASSERT_EQ(sum.value(), wide.value()) << "spread " << spread << ", trial " << trial;
    }
  }
}

TEST(ExactSum, KeepsWhatCancellationLeaves) {
  ExactSum sum;
  sum.add(0x1p1000);
  sum.add(1.0);
  sum.add_product(-0x1p500, 0x1p500);
  EXPECT_EQ(sum.value(), 1.0);
  sum.add(-1.0);
  EXPECT_EQ(sum.value(), 0.0);
}

TEST(ExactSum, HoldsTheSmallestProductOfNormals) {
  ExactSum sum;
  sum.add_product(0x1p-500, 0x1p-500);
  sum.add_product(-0x1p-520, 0x1p-480);
  EXPECT_EQ(sum.value(), 0.0);
  sum.add_product(0x1p-500, 0x1.8p-500);
  EXPECT_EQ(sum.value(), 0x1.8p-1000);
}

TEST(ExactSum, BreaksTiesToEvenUnlessSomethingFarBelowRemains) {
  ExactSum tie;
  tie.add(1.0);
  tie.add(0x1p-53);
  EXPECT_EQ(tie.value(), 1.0);
  tie.add(0x1p-900);
  EXPECT_EQ(tie.value(), 1.0 + 0x1p-52);
  tie.add(-0x1p-899);
  EXPECT_EQ(tie.value(), 1.0);
}

TEST(ExactSum, ManyTermsOfOneSignCarry) {
  ExactSum sum;
  const double term = 1 - 0x1p-53;
  for (int i = 0; i < 100'000; ++i) sum.add(-term);
  WideSum wide;
  wide.add_product(-1e5, term);
  EXPECT_EQ(sum.value(), wide.value());
}

}  // namespace
}  // namespace tcsim::values
