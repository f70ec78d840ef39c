#include "sim/gpu/students_t.hpp"

#include <boost/math/distributions/students_t.hpp>

namespace tcsim::gpu {

double students_t(double count) {
  constexpr double kUpperQuantile = 0.975;
  return boost::math::quantile(boost::math::students_t(count - 1), kUpperQuantile);
}

}  // namespace tcsim::gpu
