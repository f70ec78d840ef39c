#pragma once

#include <cstdint>

#include "models/numerics/format.hpp"
#include "models/numerics/round_pack.hpp"

namespace tcsim::numerics {

/// The pattern of `to` nearest to the value of `pattern` in `from` under `mode`, in integers.
/// Exact when `to` holds every value of `from`. A NaN becomes the canonical one, the sign of zero
/// and infinity stays; an infinity into E4M3, which has none, becomes its NaN, and so does an
/// overflow. TF32 is written with its 13 low bits zero: `cvt.rna.tf32.f32` is
/// convert(kFp32, x, kTf32, kNearestAway).
/// Rounding modes of cvt: PTX manual; the tensor core itself never converts (section 4).
std::uint64_t convert(ElementType from, std::uint64_t pattern, ElementType to,
                      RoundingMode mode = RoundingMode::kNearestEven);

/// To nearest even, with the largest finite number of that sign for what lies beyond, infinities
/// too; a NaN becomes the canonical one. cvt.rn.satfinite, the only conversion to FP8 (PTX manual).
std::uint64_t convert_saturating(ElementType from, std::uint64_t pattern, ElementType to);

/// Registers of a kernel's epilogue and prologue, by their usual names.
std::uint16_t fp32_to_fp16(std::uint32_t pattern);  ///< cvt.rn.f16.f32
std::uint16_t fp32_to_bf16(std::uint32_t pattern);  ///< cvt.rn.bf16.f32
std::uint32_t fp16_to_fp32(std::uint16_t pattern);  ///< cvt.f32.f16, exact

/// The FP32 pattern as a host float of the same bits, and back. Not a conversion of value.
float host_float(std::uint32_t fp32_pattern);
std::uint32_t fp32_pattern(float host_value);

/// FADD, FMUL and FFMA on FP32 patterns, round to nearest even with subnormals. The host's IEEE 754
/// single precision is the modelled operation here, so it is used; a NaN result is made canonical
/// (7fffffff). Requires the host in its default rounding mode without flush to zero.
std::uint32_t fp32_add(std::uint32_t a, std::uint32_t b);
std::uint32_t fp32_multiply(std::uint32_t a, std::uint32_t b);
std::uint32_t fp32_fma(std::uint32_t a, std::uint32_t b, std::uint32_t c);

/// Value of a pattern as a host double for printing; exact for every format of the table.
double value_as_double(ElementType type, std::uint64_t pattern);

}  // namespace tcsim::numerics
