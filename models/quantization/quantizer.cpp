#include "models/quantization/quantizer.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace tcsim::quantization {
namespace {

using numerics::ElementType;
using numerics::mistake;
using numerics::Refusal;

std::string place(std::int64_t row, std::int64_t column) {
  return "row " + std::to_string(row) + ", column " + std::to_string(column);
}

std::string text_of(float value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-infinity" : "infinity";
  return std::to_string(value);
}

std::optional<Refusal> find_wrong_params(const Scheme& scheme,
                                         const std::vector<QuantizationParams>& params) {
  const IntegerRange range = range_of(scheme);
  for (std::size_t channel = 0; channel < params.size(); ++channel) {
    const std::string name = "channel " + std::to_string(channel) + ": ";
    const auto& [scale, zero_point] = params[channel];
    if (!(scale > 0) || std::isinf(scale))
      return mistake(name + "a scale is positive and finite, not " + text_of(scale));
    if (zero_point < range.least || zero_point > range.greatest)
      return mistake(name + "zero point " + std::to_string(zero_point) + " lies outside " +
                     std::to_string(range.least) + " to " + std::to_string(range.greatest));
  }
  return std::nullopt;
}

/// Refuses a matrix whose number of channels differs from that of the parameters.
std::optional<Refusal> find_wrong_shape(const Scheme& scheme, std::size_t channels,
                                        std::int64_t rows, std::int64_t columns) {
  if (scheme.granularity == Granularity::kTensor) return std::nullopt;
  const bool by_row = scheme.granularity == Granularity::kRow;
  const std::int64_t found = by_row ? rows : columns;
  if (found == static_cast<std::int64_t>(channels)) return std::nullopt;
  return mistake("the matrix has " + std::to_string(found) + (by_row ? " rows" : " columns") +
                 ", the scheme has scales for " + std::to_string(channels));
}

}  // namespace

std::optional<Refusal> find_not_finite(const MatrixView<float>& matrix) {
  const auto found =
      std::ranges::find_if(matrix.values, [](float value) { return !std::isfinite(value); });
  if (found == matrix.values.end()) return std::nullopt;
  const std::int64_t index = found - matrix.values.begin();
  return mistake(place(index / matrix.columns, index % matrix.columns) + ": " + text_of(*found) +
                 " cannot be quantised");
}

numerics::Result<Quantizer> Quantizer::create(const Scheme& scheme,
                                              std::vector<QuantizationParams> params) {
  if (scheme.type != ElementType::kInt8 && scheme.type != ElementType::kUint8)
    return mistake("'" + std::string(numerics::name(scheme.type)) +
                   "' is not a type to quantise to (allowed: int8, uint8)");
  const bool one_too_many = scheme.granularity == Granularity::kTensor && params.size() > 1;
  if (params.empty() || one_too_many)
    return mistake("got " + std::to_string(params.size()) + " scales; the scheme needs " +
                   (one_too_many ? "one" : "at least one"));
  if (auto refusal = find_wrong_params(scheme, params)) return *refusal;
  return Quantizer(scheme, std::move(params));
}

const QuantizationParams& Quantizer::params_of(std::int64_t row, std::int64_t column) const {
  switch (scheme_.granularity) {
    case Granularity::kRow:
      return params_[static_cast<std::size_t>(row)];
    case Granularity::kColumn:
      return params_[static_cast<std::size_t>(column)];
    case Granularity::kTensor:
      break;
  }
  return params_.front();
}

std::int32_t Quantizer::quantize(float real, std::int64_t row, std::int64_t column) const {
  const auto& [scale, zero_point] = params_of(row, column);
  const IntegerRange range = range_of(scheme_);
  const double steps = std::nearbyint(static_cast<double>(real) / scale) + zero_point;
  return static_cast<std::int32_t>(
      std::clamp(steps, static_cast<double>(range.least), static_cast<double>(range.greatest)));
}

numerics::Result<Integers> Quantizer::quantize(const MatrixView<float>& matrix) const {
  if (auto refusal = find_wrong_shape(scheme_, params_.size(), matrix.rows, matrix.columns))
    return *refusal;
  if (auto refusal = find_not_finite(matrix)) return *refusal;
  Integers result;
  result.reserve(matrix.values.size());
  for (std::int64_t row = 0; row < matrix.rows; ++row)
    for (std::int64_t column = 0; column < matrix.columns; ++column)
      result.push_back(quantize(matrix.at(row, column), row, column));
  return result;
}

}  // namespace tcsim::quantization
