#pragma once

#include <cstdint>
#include <span>

#include "models/numerics/arithmetic.hpp"

namespace tcsim::numerics {

/// FP8 mma.sync on Hopper, which the compiler builds from FP16 tensor-core blocks. For each 32
/// values of k: one block over k mod 4 in {0, 1} with c = 0, one over k mod 4 in {2, 3} that
/// continues it, then an ordinary addition of the user's c, rounded to nearest even. Source:
/// numerics reference section 10, derived from measured H100 and H200 data for FP16 results; FP32
/// results are an assumption (question Q13). Requires scheme kFp8OnFp16Units.
std::uint64_t fp8_on_fp16_units(const Arithmetic& arithmetic, std::span<const std::uint64_t> a,
                                std::span<const std::uint64_t> b, std::uint64_t c);

}  // namespace tcsim::numerics
