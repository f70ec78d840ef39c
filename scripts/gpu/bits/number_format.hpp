#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "scripts/gpu/common/random.hpp"

namespace tcsim::measure {

/// A floating-point format by its fields; patterns are built from them without arithmetic.
struct NumberFormat {
  const char* name;  ///< word of the file names: f16, bf16, ...
  int bits;          ///< of the pattern in a register
  int exponent_bits;
  int fraction_bits;
  int unused_bits;  ///< below the fraction: 13 for TF32
  bool has_infinity;

  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  int min_exponent() const { return 1 - bias(); }
  /// Largest exponent of a finite number whose fraction is 0.
  int max_exponent() const { return (1 << exponent_bits) - (has_infinity ? 2 : 1) - bias(); }
  std::uint64_t fraction_mask() const { return (std::uint64_t{1} << fraction_bits) - 1; }

  /// Sign, exponent field, fraction; the unused bits are 0.
  std::uint64_t pattern(bool negative, int field, std::uint64_t fraction) const {
    const std::uint64_t sign = negative ? std::uint64_t{1} << exponent_bits : 0;
    return ((sign | static_cast<std::uint64_t>(field)) << fraction_bits |
            (fraction & fraction_mask()))
           << unused_bits;
  }
  /// (1 + fraction / 2^fraction_bits) * 2^exponent, a power of two for fraction 0. Requires an
  /// exponent between min_exponent and max_exponent.
  std::uint64_t normal(bool negative, int exponent, std::uint64_t fraction) const {
    return pattern(negative, exponent + bias(), fraction);
  }
  std::uint64_t power(int exponent) const { return normal(false, exponent, 0); }
  std::uint64_t one() const { return power(0); }
  std::uint64_t infinity(bool negative) const {
    return pattern(negative, (1 << exponent_bits) - 1, 0);
  }
  std::uint64_t nan() const { return pattern(false, (1 << exponent_bits) - 1, fraction_mask()); }
  std::uint64_t negated(std::uint64_t pattern) const {
    return pattern ^ std::uint64_t{1} << (bits - 1);
  }
  int clamp(int exponent) const { return std::clamp(exponent, min_exponent(), max_exponent()); }
};

inline constexpr NumberFormat kF16{"f16", 16, 5, 10, 0, true};
inline constexpr NumberFormat kBf16{"bf16", 16, 8, 7, 0, true};
inline constexpr NumberFormat kTf32{"tf32", 32, 8, 10, 13, true};
inline constexpr NumberFormat kF32{"f32", 32, 8, 23, 0, true};
inline constexpr NumberFormat kF64{"f64", 64, 11, 52, 0, true};
inline constexpr NumberFormat kE4m3{"e4m3", 8, 4, 3, 0, false};
inline constexpr NumberFormat kE5m2{"e5m2", 8, 5, 2, 0, true};

}  // namespace tcsim::measure
