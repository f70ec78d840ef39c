#pragma once

#include <cstdint>

#include "models/numerics/element_type.hpp"

namespace tcsim::values {

/// How far the elements of a result deviate from their exact values.
struct ErrorFigures {
  std::int64_t elements = 0;  ///< elements compared
  std::int64_t wrong = 0;     ///< elements that differ from the exact value
  double max_ulp = 0;  ///< units in the last place of the result's format, at the exact value
  double mean_ulp = 0;
  double max_relative = 0;  ///< over elements whose exact value is not zero
  double mean_relative = 0;
  double norm_relative = 0;  ///< Frobenius norm of the difference over that of the exact values
};

/// One unit in the last place of `format` at `value`: the weight of the last fraction bit of the
/// number with the exponent of `value`. 1 for integers.
double ulp(numerics::ElementType format, double value);

/// Collects ErrorFigures, element by element.
class ErrorMeter {
 public:
  /// `format`: that of the result.
  explicit ErrorMeter(numerics::ElementType format) : format_(format) {}

  /// Adds element `index`, finite, which deviates by `difference` >= 0 from `exact`.
  void add(std::int64_t index, double exact, double difference);

  [[nodiscard]] ErrorFigures figures() const;
  /// The first element with the largest error in ulp; 0 if all are exact.
  [[nodiscard]] std::int64_t worst() const { return worst_; }

 private:
  numerics::ElementType format_;
  ErrorFigures sums_;  ///< sums for the means, not divided yet
  std::int64_t worst_ = 0;
  std::int64_t not_zero_ = 0;
  double squared_difference_ = 0;
  double squared_exact_ = 0;
};

}  // namespace tcsim::values
