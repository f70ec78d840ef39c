#pragma once

#include <cstdint>

namespace tcsim::numerics {

/// The functions of the special-function unit on FP32 patterns: 2^x, log2 x, 1 / x, 1 / sqrt(x).
/// The tables of the silicon are not published. Results here are computed in double precision using
/// only additions, multiplications, divisions and square roots, to a relative 2^-45 (log2 near 1:
/// an absolute 2^-45), and rounded to FP32 once, so they do not depend on the host's libm. The
/// hardware's results are within the errors that the PTX manual states: ex2.approx and rsqrt.approx
/// a relative 2^-22, rcp.approx 1 ulp, lg2.approx a relative 2^-22 and an absolute 2^-22 in [0.5,
/// 2].
/// As with .ftz, subnormal arguments count as zeros and subnormal results become zeros of their
/// sign. A NaN argument, or a root or logarithm of a negative number, gives 7fffffff.
std::uint32_t fp32_exp2(std::uint32_t x);
std::uint32_t fp32_log2(std::uint32_t x);
std::uint32_t fp32_reciprocal(std::uint32_t x);
std::uint32_t fp32_reciprocal_root(std::uint32_t x);

}  // namespace tcsim::numerics
