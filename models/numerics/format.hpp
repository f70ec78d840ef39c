#pragma once

#include <array>
#include <cstdint>

#include "models/numerics/element_type.hpp"

namespace tcsim::numerics {

/// The meaning of the largest exponent field.
enum class SpecialRule : std::uint8_t {
  kInfinityAndNan,  ///< IEEE 754: fraction 0 is an infinity, anything else a NaN.
  kNanOnly,         ///< OCP E4M3: only a fraction of all ones is a NaN, the rest are numbers.
};

/// A floating-point format: sign, exponent field, fraction field, then bits that the hardware
/// ignores. Source: numerics reference section 4 (PTX manual, OCP FP8).
struct Format {
  ElementType type;
  int exponent_bits;
  int fraction_bits;
  int bias;
  int ignored_low_bits;  ///< Ignored bits below the fraction; 13 for TF32 in a register.
  SpecialRule specials;
  std::uint64_t canonical_nan;  ///< What a tensor core writes for any NaN result of this format.

  constexpr int exponent_of_subnormals() const { return 1 - bias; }
  constexpr int largest_exponent() const {
    const int largest_field = (1 << exponent_bits) - 1;
    return largest_field - bias - (specials == SpecialRule::kInfinityAndNan ? 1 : 0);
  }
  constexpr int sign_position() const { return exponent_bits + fraction_bits + ignored_low_bits; }
  constexpr std::uint64_t sign_bit() const { return std::uint64_t{1} << sign_position(); }
  /// Requires specials == kInfinityAndNan.
  constexpr std::uint64_t infinity() const {
    return ((std::uint64_t{1} << exponent_bits) - 1) << (fraction_bits + ignored_low_bits);
  }
  constexpr std::uint64_t largest_finite() const {
    if (specials == SpecialRule::kNanOnly) return canonical_nan - 1;
    return infinity() - (std::uint64_t{1} << ignored_low_bits);
  }
};

/// The canonical NaNs 7fff and 7fffffff are measured (section 6), that of FP64 on an H200
/// (OWN). FP64 keeps the payload of a NaN operand (ieee_fma). Input-only formats have none.
inline constexpr std::array<Format, 7> kFormats = {{
    {ElementType::kFp16, 5, 10, 15, 0, SpecialRule::kInfinityAndNan, 0x7fff},
    {ElementType::kBf16, 8, 7, 127, 0, SpecialRule::kInfinityAndNan, 0x7fff},
    {ElementType::kTf32, 8, 10, 127, 13, SpecialRule::kInfinityAndNan, 0x7fffffff},
    {ElementType::kFp32, 8, 23, 127, 0, SpecialRule::kInfinityAndNan, 0x7fffffff},
    {ElementType::kFp64, 11, 52, 1023, 0, SpecialRule::kInfinityAndNan, 0xfff8000000000000},
    {ElementType::kE4m3, 4, 3, 7, 0, SpecialRule::kNanOnly, 0x7f},
    {ElementType::kE5m2, 5, 2, 15, 0, SpecialRule::kInfinityAndNan, 0x7f},
}};

/// Requires a floating-point `type`.
constexpr const Format& format_of(ElementType type) {
  return kFormats[static_cast<std::size_t>(type)];
}

}  // namespace tcsim::numerics
