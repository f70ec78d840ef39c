#pragma once

#include <cstdint>
#include <span>

#include "models/numerics/arithmetic.hpp"

namespace tcsim::numerics {

/// Value of an INT8, UINT8, INT4 or UINT4 pattern.
std::int32_t integer_value(ElementType type, std::uint64_t pattern);

/// c + sum of a[k]*b[k], exact, then reduced modulo 2^32 or, with key.saturate, clamped to 32 bits
/// (numerics reference section 8). Requires scheme kInteger; c and the result are 32-bit patterns.
std::uint32_t integer_mma(const Arithmetic& arithmetic, std::span<const std::uint64_t> a,
                          std::span<const std::uint64_t> b, std::uint32_t c);

/// c + number of k with a[k] op b[k] = 1, modulo 2^32. Each pattern holds one bit.
std::uint32_t bit_mma(BitOperation operation, std::span<const std::uint64_t> a,
                      std::span<const std::uint64_t> b, std::uint32_t c);

}  // namespace tcsim::numerics
