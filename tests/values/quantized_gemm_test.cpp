#include "sim/values/quantized_gemm.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "sim/values/distribution.hpp"

namespace tcsim::values {
namespace {

constexpr std::int64_t kM = 24;
constexpr std::int64_t kN = 16;
constexpr std::int64_t kK = 64;

Matrix normal(std::int64_t rows, std::int64_t columns, std::uint32_t stream) {
  Matrix matrix{1, rows, columns, {}};
  matrix.values = draw(Distribution::kNormal, NumberKind::kReal, 1, stream,
                       static_cast<std::size_t>(rows * columns));
  return matrix;
}

/// The exact product of integers, which INT32 holds.
Matrix product(const Matrix& a, const Matrix& b) {
  Matrix d{1, a.rows, b.columns, std::vector<double>(static_cast<std::size_t>(a.rows * b.columns))};
  for (std::int64_t m = 0; m < a.rows; ++m)
    for (std::int64_t n = 0; n < b.columns; ++n)
      for (std::int64_t k = 0; k < a.columns; ++k)
        d.values[static_cast<std::size_t>(m * b.columns + n)] += a.at(0, m, k) * b.at(0, k, n);
  return d;
}

QuantizationError error_of(const Matrix& a, const Matrix& b, const QuantizationRequest& request) {
  const auto quantized_a = quantize_a(a, request);
  const auto quantized_b = quantize_b(b, request);
  EXPECT_TRUE(quantized_a.has_value() && quantized_b.has_value());
  const Matrix sums = product(quantized_a.value().integers, quantized_b.value().integers);
  const auto error =
      quantization_error(a, b, quantized_a.value(), quantized_b.value(), sums, request);
  EXPECT_TRUE(error.has_value());
  return error.value();
}

TEST(QuantizedGemm, IsExactWhereEveryRealIsAMultipleOfTheScale) {
  Matrix a{1, 2, 2, {127, -64, 3, 0}};
  Matrix b{1, 2, 2, {-127, 5, 7, 1}};
  const QuantizationError error = error_of(a, b, {});
  EXPECT_EQ(error.scales_a, std::vector<float>{1});
  EXPECT_EQ(error.product.wrong, 0);
}

TEST(QuantizedGemm, AsymmetricOperandsAreCorrectedForTheirZeroPoint) {
  Matrix a{1, 2, 2, {0, 255, 3, 100}};  // all positive: the zero point is -128
  Matrix b{1, 2, 2, {-127, 5, 7, 1}};
  QuantizationRequest request;
  request.symmetry = quantization::Symmetry::kAsymmetric;
  const QuantizationError error = error_of(a, b, request);
  EXPECT_EQ(error.zero_point_a, -128);
  EXPECT_EQ(error.product.wrong, 0);
}

TEST(QuantizedGemm, OneScaleForEachColumnSavesSmallColumns) {
  const Matrix a = normal(kM, kK, 0);
  Matrix b = normal(kK, kN, 1);
  for (std::int64_t k = 0; k < kK; ++k) b.values[static_cast<std::size_t>(k * kN)] *= 1000;
  QuantizationRequest request;
  const double per_tensor = error_of(a, b, request).product.mean_relative;
  request.per_channel = true;
  const QuantizationError per_channel = error_of(a, b, request);
  EXPECT_EQ(per_channel.scales_b.size(), static_cast<std::size_t>(kN));
  EXPECT_LT(per_channel.product.mean_relative, per_tensor / 10);
}

TEST(QuantizedGemm, NormalDataLoseAboutOnePercentOfTheNorm) {
  const QuantizationError error = error_of(normal(kM, kK, 0), normal(kK, kN, 1), {});
  // Steps of about 3.5/127 leave noise of step/sqrt(12) in each operand: 0.8 % each, 1.1 % in all.
  EXPECT_NEAR(error.product.norm_relative, 0.011, 0.003);
  EXPECT_EQ(error.clipped_a, 0);
}

TEST(QuantizedGemm, RequantisedOutputAddsItsOwnStep) {
  QuantizationRequest request;
  request.requantize = true;
  const QuantizationError error = error_of(normal(kM, kK, 0), normal(kK, kN, 1), request);
  ASSERT_TRUE(error.output.has_value());
  EXPECT_GT(error.output->error.norm_relative, error.product.norm_relative);
  EXPECT_LT(error.output->error.norm_relative, 0.02);
  EXPECT_EQ(error.output->saturated, 0);
}

TEST(QuantizedGemm, GivenScalesClip) {
  QuantizationRequest request;
  request.scales_a = {0.01F};
  const QuantizationError error = error_of(normal(kM, kK, 0), normal(kK, kN, 1), request);
  EXPECT_GT(error.clipped_a, kM * kK / 10);
  EXPECT_EQ(error.clipped_b, 0);
}

TEST(QuantizedGemm, RefusesNansAndBadScales) {
  Matrix a = normal(kM, kK, 0);
  QuantizationRequest request;
  request.scales_a = {-1.0F};
  EXPECT_FALSE(quantize_a(a, request).has_value());
  a.values[static_cast<std::size_t>(kK + 3)] = std::numeric_limits<double>::quiet_NaN();
  const auto refused = quantize_a(a, {});
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.refusal().reason.find("row 1, column 3"), std::string::npos)
      << refused.refusal().reason;
}

}  // namespace
}  // namespace tcsim::values
