#include "models/numerics/ieee_fma.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "models/numerics/exact_value.hpp"

namespace tcsim::numerics {

namespace {

// `using` does not accept __extension__, which -Wpedantic requires here.
__extension__ typedef unsigned __int128 Uint128;  // NOLINT(modernize-use-using)

/// A non-zero number with its leading one at kLeadingPosition and the value magnitude *
/// 2^unit_exponent.
struct Wide {
  Uint128 magnitude;
  int unit_exponent;
};

/// Leaves one carry bit above, and more than 53 + 2 zero bits below a 53-bit addend, so that digits
/// dropped by an alignment never reach the rounding position after a cancellation.
constexpr int kLeadingPosition = 125;

int width(Uint128 value) {
  const auto high = static_cast<std::uint64_t>(value >> 64);
  const auto low = static_cast<std::uint64_t>(value);
  return high != 0 ? 64 + static_cast<int>(std::bit_width(high))
                   : static_cast<int>(std::bit_width(low));
}

Wide normalized(Uint128 magnitude, int unit_exponent) {
  const int up = kLeadingPosition + 1 - width(magnitude);
  return {magnitude << up, unit_exponent - up};
}

/// Shifts right; the last bit of the result is set if any dropped bit was.
Uint128 shift_right_jam(Uint128 value, int count) {
  if (count == 0) return value;
  if (count > kLeadingPosition) return 1;
  const Uint128 dropped = value & ((Uint128{1} << count) - 1);
  return (value >> count) | (dropped != 0 ? 1 : 0);
}

std::uint64_t zero_sum(const Format& format, bool a_negative, bool b_negative, RoundingMode mode) {
  if (a_negative == b_negative) return a_negative ? format.sign_bit() : 0;
  return mode == RoundingMode::kTowardNegative ? format.sign_bit() : 0;
}

std::uint64_t round_wide(const Format& format, bool negative, const Wide& value,
                         RoundingMode mode) {
  // 64 leading bits and a sticky bit keep at least 11 digits below the 53 of FP64.
  const int drop = std::max(0, width(value.magnitude) - 64);
  const auto head = static_cast<std::uint64_t>(value.magnitude >> drop);
  const bool sticky = (value.magnitude & ((Uint128{1} << drop) - 1)) != 0;
  const ResultRule rule{format.type, format.fraction_bits, mode};
  return round_and_pack(negative, head, value.unit_exponent + drop, rule, sticky).pattern;
}

/// Only FP64 keeps the payload of a NaN operand, made quiet; if there are several, that of b, then
/// of c.
std::uint64_t nan_result(const Format& format, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  if (format.type != ElementType::kFp64) return format.canonical_nan;
  for (const std::uint64_t operand : {b, c, a})
    if (decode(format, operand).value_class == ValueClass::kNan)
      return operand | std::uint64_t{1} << (format.fraction_bits - 1);
  return format.canonical_nan;
}

/// Infinities and the NaNs that result from them.
std::optional<std::uint64_t> special_sum(const Format& format, ValueClass product_class,
                                         bool product_negative, const ExactValue& c) {
  const bool product_infinite = product_class == ValueClass::kInfinity;
  const bool c_infinite = c.value_class == ValueClass::kInfinity;
  if (!product_infinite && !c_infinite) return std::nullopt;
  if (product_infinite && c_infinite && product_negative != c.negative) return format.canonical_nan;
  const bool negative = product_infinite ? product_negative : c.negative;
  return format.infinity() | (negative ? format.sign_bit() : 0);
}

std::uint64_t add_wide(const Format& format, bool x_negative, Wide x, bool y_negative, Wide y,
                       RoundingMode mode) {
  if (y.unit_exponent > x.unit_exponent ||
      (y.unit_exponent == x.unit_exponent && y.magnitude > x.magnitude)) {
    std::swap(x, y);
    std::swap(x_negative, y_negative);
  }
  const Uint128 smaller = shift_right_jam(y.magnitude, x.unit_exponent - y.unit_exponent);
  const Uint128 sum = x_negative == y_negative ? x.magnitude + smaller : x.magnitude - smaller;
  if (sum == 0) return zero_sum(format, x_negative, y_negative, mode);
  return round_wide(format, x_negative, {sum, x.unit_exponent}, mode);
}

}  // namespace

std::uint64_t ieee_fma(ElementType type, std::uint64_t a, std::uint64_t b, std::uint64_t c,
                       RoundingMode mode) {
  const Format& format = format_of(type);
  const ExactValue x = decode(format, a);
  const ExactValue y = decode(format, b);
  const ExactValue z = decode(format, c);
  // multiply() gives class, sign and exponent; its 64-bit magnitude is too narrow for FP64.
  const ExactValue product = multiply(x, y);
  const Uint128 magnitude = Uint128{x.magnitude} * y.magnitude;
  const bool finite = x.value_class <= ValueClass::kFinite && y.value_class <= ValueClass::kFinite;
  const ValueClass product_class =
      !finite ? product.value_class : (magnitude == 0 ? ValueClass::kZero : ValueClass::kFinite);
  if (product_class == ValueClass::kNan || z.value_class == ValueClass::kNan)
    return nan_result(format, a, b, c);
  if (const auto special = special_sum(format, product_class, product.negative, z)) return *special;

  const bool product_is_zero = product_class == ValueClass::kZero;
  const bool c_is_zero = z.value_class == ValueClass::kZero;
  if (product_is_zero && c_is_zero) return zero_sum(format, product.negative, z.negative, mode);
  if (product_is_zero) return c & (format.sign_bit() | (format.sign_bit() - 1));
  const Wide wide_product = normalized(magnitude, product.exponent - product.fraction_bits);
  if (c_is_zero) return round_wide(format, product.negative, wide_product, mode);
  const Wide wide_c = normalized(z.magnitude, z.exponent - z.fraction_bits);
  return add_wide(format, product.negative, wide_product, z.negative, wide_c, mode);
}

std::uint64_t ieee_add(ElementType type, std::uint64_t a, std::uint64_t b, RoundingMode mode) {
  const Format& format = format_of(type);
  const std::uint64_t one = static_cast<std::uint64_t>(format.bias) << format.fraction_bits;
  return ieee_fma(type, a, one, b, mode);
}

std::uint64_t ieee_multiply(ElementType type, std::uint64_t a, std::uint64_t b, RoundingMode mode) {
  const Format& format = format_of(type);
  const std::uint64_t zero_of_product_sign = (a ^ b) & format.sign_bit();
  return ieee_fma(type, a, b, zero_of_product_sign, mode);
}

}  // namespace tcsim::numerics
