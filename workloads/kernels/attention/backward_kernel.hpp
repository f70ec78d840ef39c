#pragma once

#include "workloads/kernels/attention/backward_plan.hpp"

namespace tcsim::kernels {

/// The warp program of one side: for every block of moving rows the scores and dO V^T (or their
/// transposes), probabilities exp2(scale * score - log sum), their gradients probability * (product
/// - delta), then the gradients of the kept rows. Moving blocks arrive by LDGSTS, one ahead.
isa::WarpProgram backward_program(const BackwardPlan& plan);

}  // namespace tcsim::kernels
