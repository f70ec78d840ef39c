#pragma once

#include "workloads/kernels/conv/conv.hpp"

namespace tcsim::kernels {

/// The kernel that writes the patches of x as a matrix [pixel][r][s][c]. Every thread moves vectors
/// of channels, zeros where a tap lies outside the image. Reads buffer 0, x; writes buffer 1.
/// Without buffers.
isa::KernelLaunch make_im2col(const ConvProblem& problem);

}  // namespace tcsim::kernels
