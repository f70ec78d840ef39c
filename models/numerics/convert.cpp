#include "models/numerics/convert.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "models/numerics/exact_value.hpp"

namespace tcsim::numerics {

namespace {

std::uint32_t canonical(std::uint32_t fp32) {
  const std::uint32_t magnitude = fp32 & 0x7fffffffU;
  return magnitude > 0x7f800000U ? 0x7fffffffU : fp32;
}

}  // namespace

std::uint64_t convert(ElementType from, std::uint64_t pattern, ElementType to, RoundingMode mode) {
  const ExactValue value = decode(format_of(from), pattern);
  const Format& target = format_of(to);
  const bool has_infinity = target.specials == SpecialRule::kInfinityAndNan;
  if (value.value_class == ValueClass::kNan) return target.canonical_nan;
  if (value.value_class == ValueClass::kInfinity) {
    if (!has_infinity) return target.canonical_nan;
    return target.infinity() | (value.negative ? target.sign_bit() : 0);
  }
  const Rounded rounded =
      round_and_pack(value.negative, value.magnitude, value.exponent - value.fraction_bits,
                     {to, target.fraction_bits, mode});
  const bool reaches_nan_code =
      !has_infinity && (rounded.overflow || rounded.pattern == target.canonical_nan ||
                        rounded.pattern == (target.canonical_nan | target.sign_bit()));
  return reaches_nan_code ? target.canonical_nan : rounded.pattern;
}

std::uint64_t convert_saturating(ElementType from, std::uint64_t pattern, ElementType to) {
  const std::uint64_t nearest = convert(from, pattern, to);
  const Format& target = format_of(to);
  const ExactValue value = decode(format_of(from), pattern);
  const bool fits = (nearest & ~target.sign_bit()) <= target.largest_finite();
  if (fits || value.value_class == ValueClass::kNan) return nearest;
  return target.largest_finite() | (value.negative ? target.sign_bit() : 0);
}

std::uint16_t fp32_to_fp16(std::uint32_t pattern) {
  return static_cast<std::uint16_t>(convert(ElementType::kFp32, pattern, ElementType::kFp16));
}
std::uint16_t fp32_to_bf16(std::uint32_t pattern) {
  return static_cast<std::uint16_t>(convert(ElementType::kFp32, pattern, ElementType::kBf16));
}
std::uint32_t fp16_to_fp32(std::uint16_t pattern) {
  return static_cast<std::uint32_t>(convert(ElementType::kFp16, pattern, ElementType::kFp32));
}

float host_float(std::uint32_t fp32_pattern) { return std::bit_cast<float>(fp32_pattern); }
std::uint32_t fp32_pattern(float host_value) { return std::bit_cast<std::uint32_t>(host_value); }

std::uint32_t fp32_add(std::uint32_t a, std::uint32_t b) {
  return canonical(fp32_pattern(host_float(a) + host_float(b)));
}
std::uint32_t fp32_multiply(std::uint32_t a, std::uint32_t b) {
  return canonical(fp32_pattern(host_float(a) * host_float(b)));
}
std::uint32_t fp32_fma(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  return canonical(fp32_pattern(std::fma(host_float(a), host_float(b), host_float(c))));
}

double value_as_double(ElementType type, std::uint64_t pattern) {
  if (type == ElementType::kFp64) return std::bit_cast<double>(pattern);
  const ExactValue value = decode(format_of(type), pattern);
  const double sign = value.negative ? -1.0 : 1.0;
  if (value.value_class == ValueClass::kNan) return std::numeric_limits<double>::quiet_NaN();
  if (value.value_class == ValueClass::kInfinity)
    return sign * std::numeric_limits<double>::infinity();
  return sign *
         std::ldexp(static_cast<double>(value.magnitude), value.exponent - value.fraction_bits);
}

}  // namespace tcsim::numerics
