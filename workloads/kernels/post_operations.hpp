#pragma once

#include "workloads/kernels/gemm.hpp"
#include "workloads/kernels/program_builder.hpp"

namespace tcsim::kernels {

/// Scratch registers for one step of add_packed and activate.
inline constexpr int kPostScratch = 4;

/// First register of a vector over the columns of D; kNoVector: there is none.
inline constexpr int kNoVector = -1;

/// Replaces `count` FP32 numbers from `values` on by values * scale + bias, or by the parts of this
/// that exist.
Instructions scale_and_shift(int values, int count, int scale, int bias);

/// Adds `count` elements that are packed from `packed` on, as a load left them. Requires FP16,
/// BF16, FP32 or INT8, and kPostScratch registers from `scratch` on.
Instructions add_packed(Element element, int values, int packed, int count, int scratch);

/// Applies `activation` to `count` FP32 numbers: the exponential by EX2, the quotient by RCP.
/// Requires kPostScratch registers from `scratch` on.
Instructions activate(Activation activation, int values, int count, int scratch);

}  // namespace tcsim::kernels
