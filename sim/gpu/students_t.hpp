#pragma once

#include <boost/math/distributions/students_t.hpp>

namespace tcsim::gpu {

/// The half-width of a 95 % interval of `count` values in standard deviations of their mean: the
/// 0.975 quantile of Student's t with count - 1 degrees of freedom. Requires at least two values.
inline double students_t(double count) {
  constexpr double kUpperQuantile = 0.975;
  return boost::math::quantile(boost::math::students_t(count - 1), kUpperQuantile);
}

}  // namespace tcsim::gpu
