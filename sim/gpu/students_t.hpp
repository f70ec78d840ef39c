#pragma once

namespace tcsim::gpu {

/// The half-width of a 95 % interval of `count` values in standard deviations of their mean: the
/// 0.975 quantile of Student's t with count - 1 degrees of freedom. Requires at least two values.
double students_t(double count);

}  // namespace tcsim::gpu
