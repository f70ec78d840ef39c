#include "models/quantization/requantize.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace tcsim::quantization {
namespace {

using numerics::mistake;

constexpr int kSignificandBits = std::numeric_limits<float>::digits;
constexpr std::int64_t kLargest = std::int64_t{1} << 62;

/// magnitude / 2^shift, ties to even. Requires 0 < shift < 64.
std::uint64_t shifted_right(std::uint64_t magnitude, int shift) {
  const std::uint64_t quotient = magnitude >> shift;
  const std::uint64_t remainder = magnitude & ((std::uint64_t{1} << shift) - 1);
  const std::uint64_t half = std::uint64_t{1} << (shift - 1);
  const bool up = remainder > half || (remainder == half && quotient % 2 == 1);
  return quotient + (up ? 1 : 0);
}

/// magnitude * 2^exponent, at most kLargest. Requires magnitude < 2^56.
std::uint64_t scaled(std::uint64_t magnitude, int exponent) {
  if (magnitude == 0 || exponent <= -64) return 0;
  if (exponent < 0) return shifted_right(magnitude, -exponent);
  const bool fits = exponent < 62 && magnitude <= static_cast<std::uint64_t>(kLargest) >> exponent;
  return fits ? magnitude << exponent : static_cast<std::uint64_t>(kLargest);
}

/// S_a S_b / S_d, computed in double, then rounded to FP32.
float multiplier(float a_scale, float b_scale, float output_scale) {
  return static_cast<float>(double{a_scale} * b_scale / output_scale);
}

}  // namespace

numerics::Result<Requantization> make_requantization(const Quantizer& a, const Quantizer& b,
                                                     const Quantizer& output) {
  if (a.scheme().granularity != Granularity::kTensor ||
      output.scheme().granularity != Granularity::kTensor ||
      b.scheme().granularity == Granularity::kRow)
    return mistake("A and D need one scale, B one or one for each column");
  Requantization result{{}, output.scheme(), output.params().front().zero_point};
  for (const QuantizationParams& params : b.params()) {
    const float factor =
        multiplier(a.params().front().scale, params.scale, output.params().front().scale);
    if (!(factor > 0) || std::isinf(factor))
      return mistake("column " + std::to_string(result.multipliers.size()) +
                     ": the multiplier S_a S_b / S_d is " + (factor > 0 ? "infinite" : "zero") +
                     " in FP32");
    result.multipliers.push_back(factor);
  }
  return result;
}

std::int64_t rounded_product(std::int32_t sum, float multiplier) {
  int exponent = 0;
  const float fraction = std::frexp(multiplier, &exponent);
  const auto significand =
      static_cast<std::uint64_t>(std::ldexp(fraction, kSignificandBits));  // exact
  const auto magnitude = static_cast<std::uint64_t>(std::abs(std::int64_t{sum}));
  const auto product =
      static_cast<std::int64_t>(scaled(magnitude * significand, exponent - kSignificandBits));
  return sum < 0 ? -product : product;
}

numerics::Result<Integers> requantize(const MatrixView<std::int32_t>& sums,
                                      const Requantization& requantization) {
  const auto& multipliers = requantization.multipliers;
  const auto count = static_cast<std::int64_t>(multipliers.size());
  if (count != 1 && count != sums.columns)
    return mistake("got " + std::to_string(count) + " multipliers for " +
                   std::to_string(sums.columns) + " columns");
  const IntegerRange range = range_of(requantization.output);
  Integers result;
  result.reserve(sums.values.size());
  for (std::int64_t row = 0; row < sums.rows; ++row)
    for (std::int64_t column = 0; column < sums.columns; ++column) {
      const float factor = multipliers[static_cast<std::size_t>(count == 1 ? 0 : column)];
      const std::int64_t steps =
          rounded_product(sums.at(row, column), factor) + requantization.zero_point;
      result.push_back(
          static_cast<std::int32_t>(std::clamp<std::int64_t>(steps, range.least, range.greatest)));
    }
  return result;
}

}  // namespace tcsim::quantization
