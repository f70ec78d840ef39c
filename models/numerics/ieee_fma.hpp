#pragma once

#include <cstdint>

#include "models/numerics/format.hpp"
#include "models/numerics/round_pack.hpp"

namespace tcsim::numerics {

/// a * b + c with one rounding, as IEEE 754 defines it, on patterns of one format, in integers.
/// Subnormals are honoured. A NaN result has the canonical pattern of the format, except in FP64:
/// there a NaN operand is returned quiet with its sign and payload, b before c before a (1,629 NaNs
/// of DMMA on an H200, OWN; assumed to hold for DFMA and for A100). An exactly zero sum is +0
/// unless both addends are -0 (rounding toward negative: -0 unless both are +0). Requires FP16,
/// BF16, FP32 or FP64. Source: numerics reference section 9.
std::uint64_t ieee_fma(ElementType type, std::uint64_t a, std::uint64_t b, std::uint64_t c,
                       RoundingMode mode = RoundingMode::kNearestEven);

/// a + b, by the same rules.
std::uint64_t ieee_add(ElementType type, std::uint64_t a, std::uint64_t b,
                       RoundingMode mode = RoundingMode::kNearestEven);

/// a * b, by the same rules.
std::uint64_t ieee_multiply(ElementType type, std::uint64_t a, std::uint64_t b,
                            RoundingMode mode = RoundingMode::kNearestEven);

}  // namespace tcsim::numerics
