// A product of reals through INT8: calibrate, quantise, multiply as the tensor core, take the zero
// points out, requantise.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "models/numerics/mma.hpp"
#include "models/quantization/calibration.hpp"
#include "models/quantization/requantize.hpp"
#include "models/quantization/zero_point_terms.hpp"

namespace tcsim::quantization {
namespace {

using numerics::ElementType;

constexpr std::int64_t kM = 7;
constexpr std::int64_t kN = 5;
constexpr std::int64_t kK = 64;

std::vector<float> random_matrix(std::int64_t count, float mean, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(mean);
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) value = normal(random);
  return values;
}

/// Sums of A B by the integer arithmetic of models/numerics, UINT8 times INT8.
Integers tensor_core_sums(const MatrixView<std::int32_t>& a, const MatrixView<std::int32_t>& b) {
  const numerics::Arithmetic arithmetic =
      numerics::find_arithmetic(
          {.a = ElementType::kUint8, .b = ElementType::kInt8, .accumulator = ElementType::kInt32})
          .value();
  Integers sums;
  for (std::int64_t i = 0; i < kM * kN; ++i) {
    std::vector<std::uint64_t> row;
    std::vector<std::uint64_t> column;
    for (std::int64_t k = 0; k < kK; ++k) {
      row.push_back(static_cast<std::uint8_t>(a.at(i / kN, k)));
      column.push_back(static_cast<std::uint8_t>(b.at(k, i % kN)));
    }
    sums.push_back(static_cast<std::int32_t>(numerics::mma(arithmetic, row, column, 0)));
  }
  return sums;
}

class QuantizedProduct : public ::testing::Test {
 protected:
  const std::vector<float> a_ = random_matrix(kM * kK, 0.5F, 1);
  const std::vector<float> b_ = random_matrix(kK * kN, 0, 2);
  const MatrixView<float> a_view_{a_, kM, kK};
  const MatrixView<float> b_view_{b_, kK, kN};
  const Quantizer qa_ =
      calibrate(a_view_, {ElementType::kUint8, Symmetry::kAsymmetric}, Calibration::kMinMax)
          .value();
  const Quantizer qb_ =
      calibrate(b_view_, {ElementType::kInt8, Symmetry::kSymmetric, Granularity::kColumn},
                Calibration::kMinMax)
          .value();
  const Integers a8_ = qa_.quantize(a_view_).value();
  const Integers b8_ = qb_.quantize(b_view_).value();
  const Integers sums_ =
      without_zero_points({tensor_core_sums({a8_, kM, kK}, {b8_, kK, kN}), kM, kN}, {a8_, kM, kK},
                          qa_, {b8_, kK, kN}, qb_)
          .value();

  double exact(std::int64_t row, std::int64_t column) const {
    double sum = 0;
    for (std::int64_t k = 0; k < kK; ++k) sum += double{a_view_.at(row, k)} * b_view_.at(k, column);
    return sum;
  }
  /// What half a step in every factor can change.
  double bound(std::int64_t row, std::int64_t column) const {
    const double half_a = qa_.params_of(row, 0).scale / 2;
    const double half_b = qb_.params_of(0, column).scale / 2;
    double sum = 0;
    for (std::int64_t k = 0; k < kK; ++k)
      sum += std::fabs(a_view_.at(row, k)) * half_b + std::fabs(b_view_.at(k, column)) * half_a +
             half_a * half_b;
    return sum;
  }
};

TEST_F(QuantizedProduct, DiffersFromTheRealOneByNoMoreThanTheStepsAllow) {
  for (std::int64_t i = 0; i < kM * kN; ++i) {
    const double scale = double{qa_.params_of(i / kN, 0).scale} * qb_.params_of(0, i % kN).scale;
    EXPECT_NEAR(scale * sums_[static_cast<std::size_t>(i)], exact(i / kN, i % kN),
                bound(i / kN, i % kN));
  }
}

TEST_F(QuantizedProduct, RequantisedAddsHalfAStepOfTheOutput) {
  std::vector<float> reals;
  for (std::int64_t i = 0; i < kM * kN; ++i)
    reals.push_back(static_cast<float>(exact(i / kN, i % kN)));
  const Quantizer qd =
      calibrate({reals, kM, kN}, {ElementType::kInt8, Symmetry::kAsymmetric}, Calibration::kMinMax)
          .value();
  const Integers d8 =
      requantize({sums_, kM, kN}, make_requantization(qa_, qb_, qd).value()).value();
  const auto& [scale, zero_point] = qd.params().front();
  const double half = double{scale} * 0.5001;  // and the multiplier's rounding
  for (std::int64_t i = 0; i < kM * kN; ++i)
    EXPECT_NEAR(double{scale} * (d8[static_cast<std::size_t>(i)] - zero_point),
                reals[static_cast<std::size_t>(i)], bound(i / kN, i % kN) + half);
}

TEST(WithoutZeroPoints, RefusesShapesAndZeroPointsThatDoNotFit) {
  const Quantizer one = Quantizer::create({}, {{1, 0}}).value();
  const Quantizer columns =
      Quantizer::create({ElementType::kInt8, {}, Granularity::kColumn}, {{1, 0}}).value();
  const Integers x{1};
  const Integers two{1, 2};
  EXPECT_EQ(without_zero_points({x, 1, 1}, {x, 1, 1}, one, {two, 2, 1}, one).refusal().reason,
            "the shapes of A, B and D do not fit a product");
  EXPECT_EQ(without_zero_points({x, 1, 1}, {x, 1, 1}, columns, {x, 1, 1}, one).refusal().reason,
            "zero points along k cannot be taken out of the sums");
}

}  // namespace
}  // namespace tcsim::quantization
