#pragma once

#include <cstdint>

#include "models/numerics/format.hpp"
#include "models/numerics/round_pack.hpp"

namespace tcsim::numerics {

/// The pattern of `to` that is nearest to the value of `pattern` in `from` under `mode`, computed
/// in integers. Exact if `to` holds every value of `from`. A NaN becomes the canonical NaN; the
/// signs of zero and infinity are kept. E4M3 has no infinity: an infinity or an overflow becomes
/// its NaN. TF32 is written with its 13 low bits zero: `cvt.rna.tf32.f32` is convert(kFp32, x,
/// kTf32, kNearestAway).
/// Rounding modes of cvt: PTX manual; the tensor core itself never converts (section 4).
std::uint64_t convert(ElementType from, std::uint64_t pattern, ElementType to,
                      RoundingMode mode = RoundingMode::kNearestEven);

/// Rounds to nearest even. Values out of range, including infinities, become the largest finite
/// number of their sign; a NaN becomes the canonical NaN. This is cvt.rn.satfinite, the only
/// conversion to FP8 (PTX manual).
std::uint64_t convert_saturating(ElementType from, std::uint64_t pattern, ElementType to);

/// Conversions of registers in a kernel's prologue and epilogue, by their usual names. fp16_to_fp32
/// is also that of c in an instruction with c FP16 and d FP32 (section 12).
std::uint16_t fp32_to_fp16(std::uint32_t pattern);  ///< cvt.rn.f16.f32
std::uint16_t fp32_to_bf16(std::uint32_t pattern);  ///< cvt.rn.bf16.f32
std::uint32_t fp16_to_fp32(std::uint16_t pattern);  ///< cvt.f32.f16, exact

/// The host float with the same bits as an FP32 pattern, and the inverse. Not a conversion of
/// value.
float host_float(std::uint32_t fp32_pattern);
std::uint32_t fp32_pattern(float host_value);

/// FADD, FMUL and FFMA on FP32 patterns, rounded to nearest even, with subnormals. Uses the host's
/// IEEE 754 single precision, which is exactly the modelled operation; a NaN result is made
/// canonical (7fffffff). Requires the host in its default rounding mode without flush to zero.
std::uint32_t fp32_add(std::uint32_t a, std::uint32_t b);
std::uint32_t fp32_multiply(std::uint32_t a, std::uint32_t b);
std::uint32_t fp32_fma(std::uint32_t a, std::uint32_t b, std::uint32_t c);

/// The value of a pattern as a host double, for printing; exact for every format of the table.
double value_as_double(ElementType type, std::uint64_t pattern);

}  // namespace tcsim::numerics
