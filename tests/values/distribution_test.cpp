#include "sim/values/distribution.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace tcsim::values {
namespace {

constexpr std::size_t kMany = 20'000;

std::vector<double> many(Distribution distribution, NumberKind kind) {
  return draw(distribution, kind, /*seed=*/3, /*stream=*/0, kMany);
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double deviation(const std::vector<double>& values) {
  const double centre = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - centre) * (value - centre);
  return std::sqrt(squares / static_cast<double>(values.size()));
}

TEST(Distribution, DependsOnSeedAndStreamAndNothingElse) {
  const auto first = draw(Distribution::kNormal, NumberKind::kReal, 1, 0, 8);
  EXPECT_EQ(first, draw(Distribution::kNormal, NumberKind::kReal, 1, 0, 8));
  EXPECT_NE(first, draw(Distribution::kNormal, NumberKind::kReal, 2, 0, 8));
  EXPECT_NE(first, draw(Distribution::kNormal, NumberKind::kReal, 1, 1, 8));
  EXPECT_NE(first,
            draw(Distribution::kNormal, NumberKind::kReal, std::uint64_t{1} << 32 | 1, 0, 8));
}

TEST(Distribution, GivesFp32Values) {
  for (const Distribution distribution :
       {Distribution::kUniform, Distribution::kNormal, Distribution::kWide}) {
    for (const double value : many(distribution, NumberKind::kReal))
      ASSERT_EQ(value, static_cast<float>(value)) << name(distribution);
  }
}

TEST(Distribution, UniformFillsItsRange) {
  const auto values = many(Distribution::kUniform, NumberKind::kReal);
  const auto [least, most] = std::ranges::minmax(values);
  EXPECT_GE(least, -1.0);
  EXPECT_LT(most, 1.0);
  EXPECT_LT(least, -0.99);
  EXPECT_GT(most, 0.99);
  EXPECT_NEAR(mean(values), 0, 0.02);
  EXPECT_NEAR(deviation(values), 1 / std::sqrt(3.0), 0.01);
}

TEST(Distribution, NormalHasMeanZeroAndDeviationOne) {
  const auto values = many(Distribution::kNormal, NumberKind::kReal);
  EXPECT_NEAR(mean(values), 0, 0.03);
  EXPECT_NEAR(deviation(values), 1, 0.03);
}

TEST(Distribution, WideCoversItsExponentsEvenly) {
  std::array<int, 19> counts{};
  for (const double value : many(Distribution::kWide, NumberKind::kReal)) {
    const int exponent = std::ilogb(value);
    ASSERT_GE(exponent, -15);
    ASSERT_LE(exponent, 3);
    ++counts[static_cast<std::size_t>(exponent + 15)];
  }
  for (const int count : counts) EXPECT_NEAR(count, 1053, 170);
}

TEST(Distribution, ZerosAreZeros) {
  for (const NumberKind kind : {NumberKind::kReal, NumberKind::kInt8})
    for (const double value : many(Distribution::kZeros, kind)) ASSERT_EQ(value, 0);
}

TEST(Distribution, Int8ValuesAreWholeAndInRange) {
  for (const Distribution one :
       {Distribution::kUniform, Distribution::kNormal, Distribution::kIntegers,
        Distribution::kZeros, Distribution::kWide}) {
    for (const double value : many(one, NumberKind::kInt8)) {
      ASSERT_EQ(value, std::nearbyint(value)) << name(one);
      ASSERT_GE(value, -128) << name(one);
      ASSERT_LE(value, 127) << name(one);
    }
  }
  EXPECT_NEAR(deviation(many(Distribution::kNormal, NumberKind::kInt8)), 32, 1);
}

}  // namespace
}  // namespace tcsim::values
