// Properties of quantisation that follow from its definition, tried on generated data.

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "models/quantization/calibration.hpp"
#include "models/quantization/requantize.hpp"
#include "models/quantization/zero_point_terms.hpp"
#include "tests/quantization/generated.hpp"

namespace tcsim::quantization {
namespace {

static_assert(std::numeric_limits<long double>::digits >= 64, "holds sum times multiplier exactly");

/// S (q - Z), exact in double.
double real_of(const QuantizationParams& params, std::int32_t value) {
  return double{params.scale} * (value - params.zero_point);
}

std::int64_t channels_of(const GeneratedMatrix& matrix, Granularity granularity) {
  if (granularity == Granularity::kTensor) return 1;
  return granularity == Granularity::kRow ? matrix.rows : matrix.columns;
}

/// Scales from 2^-20 to 2^20, any zero point.
Quantizer generated_quantizer(const Scheme& scheme, std::int64_t channels) {
  const IntegerRange range = range_of(scheme);
  std::vector<QuantizationParams> params;
  for (std::int64_t i = 0; i < channels; ++i)
    params.push_back({std::ldexp(static_cast<float>(*rc::gen::inRange(1 << 23, 1 << 24)),
                                 *rc::gen::inRange(-43, -3)),
                      *rc::gen::inRange(range.least, range.greatest + 1)});
  return Quantizer::create(scheme, params).value();
}

RC_GTEST_PROP(Quantizer, AValueInsideTheRangeComesBackWithinHalfAStep, ()) {
  const GeneratedMatrix matrix = generated_matrix();
  const Scheme scheme = generated_scheme();
  const Quantizer quantizer = generated_quantizer(scheme, channels_of(matrix, scheme.granularity));
  const Integers integers = quantizer.quantize(matrix.view()).value();
  const IntegerRange range = range_of(scheme);
  for (std::int64_t i = 0; i < std::ssize(integers); ++i) {
    const QuantizationParams& params = quantizer.params_of(i / matrix.columns, i % matrix.columns);
    const double real = matrix.values[static_cast<std::size_t>(i)];
    const std::int32_t integer = integers[static_cast<std::size_t>(i)];
    if (real < real_of(params, range.least))
      RC_ASSERT(integer == range.least);
    else if (real > real_of(params, range.greatest))
      RC_ASSERT(integer == range.greatest);
    else
      RC_ASSERT(std::fabs(real_of(params, integer) - real) <= double{params.scale} / 2);
  }
}

RC_GTEST_PROP(Quantizer, IntegersComeBackThemselves, ()) {
  const Scheme scheme = generated_scheme();
  const Quantizer quantizer = generated_quantizer(scheme, 1);
  const IntegerRange range = range_of(scheme);
  const int integer = *rc::gen::inRange(range.least, range.greatest + 1);
  const double real = real_of(quantizer.params().front(), integer);
  RC_ASSERT(quantizer.quantize(static_cast<float>(real), 0, 0) == integer);
}

RC_GTEST_PROP(MinMaxCalibration, PutsAllDataWithinHalfAStepAndZeroOnAPattern, ()) {
  const GeneratedMatrix matrix = generated_matrix();
  const Quantizer quantizer =
      calibrate(matrix.view(), generated_scheme(), Calibration::kMinMax).value();
  const Integers integers = quantizer.quantize(matrix.view()).value();
  for (std::int64_t i = 0; i < std::ssize(integers); ++i) {
    const QuantizationParams& params = quantizer.params_of(i / matrix.columns, i % matrix.columns);
    const double real = matrix.values[static_cast<std::size_t>(i)];
    const std::int32_t integer = integers[static_cast<std::size_t>(i)];
    RC_ASSERT(std::fabs(real_of(params, integer) - real) <= double{params.scale} / 2);
    RC_ASSERT(real != 0 || integer == params.zero_point);
  }
}

/// A single value may fall on a pattern of the coarser scale by luck; the worst case may not.
RC_GTEST_PROP(PerChannelCalibration, HasNoGreaterWorstErrorInAnyChannel, ()) {
  const GeneratedMatrix matrix = generated_matrix();
  Scheme scheme = generated_scheme();
  scheme.granularity = Granularity::kTensor;
  const Quantizer tensor = calibrate(matrix.view(), scheme, Calibration::kMinMax).value();
  scheme.granularity = Granularity::kRow;
  const Quantizer rows = calibrate(matrix.view(), scheme, Calibration::kMinMax).value();
  const Integers integers = rows.quantize(matrix.view()).value();
  for (std::int64_t i = 0; i < std::ssize(integers); ++i) {
    const std::int64_t row = i / matrix.columns;
    const double real = matrix.values[static_cast<std::size_t>(i)];
    const double error =
        std::fabs(real_of(rows.params_of(row, 0), integers[static_cast<std::size_t>(i)]) - real);
    // A row of zeros has scale 1.
    RC_ASSERT(error == 0 || rows.params_of(row, 0).scale <= tensor.params_of(0, 0).scale);
    RC_ASSERT(error <= double{tensor.params_of(0, 0).scale} / 2);
  }
}

RC_GTEST_PROP(RoundedProduct, IsTheNearestIntegerToTheExactRational, ()) {
  const std::int32_t sum = *rc::gen::arbitrary<std::int32_t>();
  const int exponent = *rc::gen::inRange(-80, 4);
  const float factor =
      std::ldexp(static_cast<float>(*rc::gen::inRange(1 << 23, 1 << 24)), exponent);
  const long double exact = static_cast<long double>(sum) * factor;
  RC_ASSERT(rounded_product(sum, factor) == static_cast<std::int64_t>(std::nearbyint(exact)));
}

RC_GTEST_PROP(RoundedProduct, RoundsTiesToEven, ()) {
  const int twice = *rc::gen::inRange(-1'000'000, 1'000'000);
  const std::int64_t even = rounded_product(2 * twice + 1, 0.5F);  // twice + 1/2
  RC_ASSERT(even % 2 == 0);
  RC_ASSERT(std::abs(2 * even - (2 * twice + 1)) == 1);
}

RC_GTEST_PROP(WithoutZeroPoints, GivesTheProductOfTheShiftedIntegers, ()) {
  using numerics::ElementType;
  const std::int64_t m = *rc::gen::inRange(1, 6);
  const std::int64_t n = *rc::gen::inRange(1, 6);
  const std::int64_t k = *rc::gen::inRange(1, 40);
  const auto side = [](Granularity granularity, std::int64_t channels) {
    const auto type = *rc::gen::element(ElementType::kInt8, ElementType::kUint8);
    return generated_quantizer({type, Symmetry::kAsymmetric, granularity}, channels);
  };
  const Quantizer qa = side(Granularity::kRow, m);
  const Quantizer qb = side(Granularity::kColumn, n);
  const auto integers = [](const Quantizer& quantizer, std::int64_t count) {
    const IntegerRange range = range_of(quantizer.scheme());
    return *rc::gen::container<Integers>(static_cast<std::size_t>(count),
                                         rc::gen::inRange(range.least, range.greatest + 1));
  };
  const Integers a = integers(qa, m * k);
  const Integers b = integers(qb, k * n);
  const MatrixView<std::int32_t> a_view{a, m, k};
  const MatrixView<std::int32_t> b_view{b, k, n};
  Integers raw(static_cast<std::size_t>(m * n));
  Integers shifted(raw.size());
  for (std::int64_t i = 0; i < m * n; ++i)
    for (std::int64_t j = 0; j < k; ++j) {
      const std::int32_t left = a_view.at(i / n, j);
      const std::int32_t right = b_view.at(j, i % n);
      raw[static_cast<std::size_t>(i)] += left * right;
      shifted[static_cast<std::size_t>(i)] +=
          (left - qa.params_of(i / n, j).zero_point) * (right - qb.params_of(j, i % n).zero_point);
    }
  RC_ASSERT(without_zero_points({raw, m, n}, a_view, qa, b_view, qb).value() == shifted);
}

}  // namespace
}  // namespace tcsim::quantization
