#include "sim/values/error_meter.hpp"

#include <algorithm>
#include <cmath>

#include "models/numerics/format.hpp"

namespace tcsim::values {

double ulp(numerics::ElementType format, double value) {
  if (numerics::is_integer(format)) return 1;
  const numerics::Format& row = numerics::format_of(format);
  const int exponent = value == 0 ? row.exponent_of_subnormals()
                                  : std::max(std::ilogb(value), row.exponent_of_subnormals());
  return std::ldexp(1.0, std::min(exponent, row.largest_exponent()) - row.fraction_bits);
}

void ErrorMeter::add(std::int64_t index, double exact, double difference) {
  ++sums_.elements;
  if (difference != 0) ++sums_.wrong;
  const double in_ulps = difference / ulp(format_, exact);
  sums_.mean_ulp += in_ulps;
  squared_difference_ += difference * difference;
  squared_exact_ += exact * exact;
  if (in_ulps > sums_.max_ulp) {
    sums_.max_ulp = in_ulps;
    worst_ = index;
  }
  if (exact == 0) return;
  ++not_zero_;
  const double relative = difference / std::abs(exact);
  sums_.mean_relative += relative;
  sums_.max_relative = std::max(sums_.max_relative, relative);
}

ErrorFigures ErrorMeter::figures() const {
  ErrorFigures figures = sums_;
  if (figures.elements > 0) figures.mean_ulp /= static_cast<double>(figures.elements);
  if (not_zero_ > 0) figures.mean_relative /= static_cast<double>(not_zero_);
  if (squared_exact_ > 0) figures.norm_relative = std::sqrt(squared_difference_ / squared_exact_);
  return figures;
}

}  // namespace tcsim::values
