#pragma once

#include "sim/sweep/plan.hpp"
#include "sim/sweep/spec.hpp"

namespace tcsim::sweep {

/// Throws config::ConfigError with every plot of `spec` that the points of its plan cannot fill,
/// for any results: conditions that no point meets, areas that its machine does not have, a metric
/// that sums over the parts of a workload lack.
void check_plots(const Spec& spec, const Plan& plan);

}  // namespace tcsim::sweep
