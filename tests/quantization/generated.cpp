#include "tests/quantization/generated.hpp"

#include <rapidcheck.h>

#include <cmath>

namespace tcsim::quantization {
namespace {

float generated_value(int exponent, bool positive) {
  if (*rc::gen::inRange(0, 10) == 0) return 0;
  const int significand = *rc::gen::inRange(-(1 << 23), (1 << 23) + 1);
  return std::ldexp(static_cast<float>(positive ? std::abs(significand) : significand),
                    exponent - 23);
}

}  // namespace

GeneratedMatrix generated_matrix() {
  GeneratedMatrix matrix{{}, *rc::gen::inRange(1, 13), *rc::gen::inRange(1, 13)};
  for (std::int64_t row = 0; row < matrix.rows; ++row) {
    const int exponent = *rc::gen::inRange(-10, 11);
    const bool positive = *rc::gen::inRange(0, 4) == 0;
    for (std::int64_t column = 0; column < matrix.columns; ++column)
      matrix.values.push_back(generated_value(exponent, positive));
  }
  return matrix;
}

Scheme generated_scheme() {
  using numerics::ElementType;
  return {*rc::gen::element(ElementType::kInt8, ElementType::kUint8),
          *rc::gen::element(Symmetry::kSymmetric, Symmetry::kAsymmetric),
          *rc::gen::element(Granularity::kTensor, Granularity::kRow, Granularity::kColumn)};
}

}  // namespace tcsim::quantization
