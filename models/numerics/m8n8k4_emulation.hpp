#pragma once

#include <cstdint>
#include <span>

#include "models/numerics/element_type.hpp"

namespace tcsim::numerics {

/// FP16 m8n8k4 from Ampere on, which the compiler builds from FP32 operations of the CUDA cores: c
/// + a[0]*b[0] + ..., one instruction for every four values of k, each operation rounded to nearest
/// even. With an FP32 accumulator: a chain of fused multiply-adds onto +0 in ascending k, then an
/// addition of c. With an FP16 accumulator: for every two values of k a product and a fused
/// multiply-add onto it; these pairs are added to c one after the other, and the sum is converted
/// once. Derived from 18,021 vectors of an H200 (OWN); ptxas 13.0 emits the same FMUL, FFMA,
/// FADD and F2FP for compute capabilities 8.0, 8.6, 8.9 and 9.0.
std::uint64_t m8n8k4_on_fp32_units(ElementType accumulator, std::span<const std::uint64_t> a,
                                   std::span<const std::uint64_t> b, std::uint64_t c);

}  // namespace tcsim::numerics
