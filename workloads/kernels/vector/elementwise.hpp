#pragma once

#include "workloads/kernels/vector/lane_vectors.hpp"
#include "workloads/kernels/vector/vector.hpp"

namespace tcsim::kernels {

/// The kernel of an operation without sums over rows: every thread processes a few vectors of up to
/// 16 bytes. The caller fills in the buffers: X, (Y), D.
isa::KernelLaunch make_elementwise(const VectorProblem& problem, const VectorUnit& unit);

}  // namespace tcsim::kernels
