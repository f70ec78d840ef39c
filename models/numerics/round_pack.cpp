#include "models/numerics/round_pack.hpp"

#include <algorithm>
#include <bit>

namespace tcsim::numerics {

namespace {

/// True if the magnitude increases by one unit of its last kept digit.
bool rounds_up(RoundingMode mode, bool negative, bool last_digit_odd, bool above_or_at_half,
               bool below_half_not_zero) {
  switch (mode) {
    case RoundingMode::kTruncate:
    case RoundingMode::kTowardZero:
      return false;
    case RoundingMode::kNearestEven:
      return above_or_at_half && (below_half_not_zero || last_digit_odd);
    case RoundingMode::kNearestAway:
      return above_or_at_half;
    case RoundingMode::kTowardNegative:
      return negative && (above_or_at_half || below_half_not_zero);
    case RoundingMode::kTowardPositive:
      return !negative && (above_or_at_half || below_half_not_zero);
  }
  return false;
}

/// Drops `count` low bits of `magnitude` and rounds; a negative count appends zeros.
void round_off(Rounded& result, bool negative, std::uint64_t magnitude, int count, bool sticky,
               RoundingMode mode) {
  if (count <= 0) {
    result.significand = magnitude << -count;
    result.inexact = sticky;
    result.rounded_up = rounds_up(mode, negative, false, false, sticky);
    if (result.rounded_up) ++result.significand;
    return;
  }
  const bool beyond_word = count > 64;
  const std::uint64_t kept = count >= 64 ? 0 : magnitude >> count;
  const std::uint64_t half = beyond_word ? 0 : std::uint64_t{1} << (count - 1);
  const bool half_digit = (magnitude & half) != 0;
  const bool rest = sticky || (magnitude & (beyond_word ? ~std::uint64_t{0} : half - 1)) != 0;
  result.inexact = half_digit || rest;
  result.rounded_up = rounds_up(mode, negative, (kept & 1) != 0, half_digit, rest);
  result.significand = kept + (result.rounded_up ? 1 : 0);
}

/// An overflow becomes an infinity unless the directed mode rounds toward zero.
std::uint64_t overflow_pattern(const Format& format, RoundingMode mode, bool negative) {
  const bool to_largest = mode == RoundingMode::kTowardZero ||
                          (mode == RoundingMode::kTowardNegative && !negative) ||
                          (mode == RoundingMode::kTowardPositive && negative);
  return to_largest ? format.largest_finite() : format.infinity();
}

}  // namespace

Rounded round_and_pack(bool negative, std::uint64_t magnitude, int unit_exponent,
                       const ResultRule& rule, bool sticky) {
  const Format& format = format_of(rule.type);
  const std::uint64_t sign = negative ? format.sign_bit() : 0;
  Rounded result;
  result.exponent = format.exponent_of_subnormals();
  if (magnitude == 0) {
    result.pattern = sign;
    return result;
  }
  const int leading_exponent = static_cast<int>(std::bit_width(magnitude)) - 1 + unit_exponent;
  result.exponent = rule.subnormals ? std::max(leading_exponent, format.exponent_of_subnormals())
                                    : leading_exponent;
  const int dropped = result.exponent - rule.kept_fraction_bits - unit_exponent;
  round_off(result, negative, magnitude, dropped, sticky, rule.mode);

  const std::uint64_t hidden_bit = std::uint64_t{1} << rule.kept_fraction_bits;
  if (result.significand == hidden_bit << 1) {  // only rounding up carries out of the digits
    result.significand = hidden_bit;
    ++result.exponent;
  }
  if (leading_exponent < format.exponent_of_subnormals() && !rule.subnormals) {
    result.pattern = sign;
    return result;
  }
  if (result.exponent > format.largest_exponent()) {
    result.overflow = true;
    result.pattern = sign | overflow_pattern(format, rule.mode, negative);
    return result;
  }
  const int unused_bits = format.fraction_bits - rule.kept_fraction_bits;
  const bool subnormal = result.significand < hidden_bit;
  const auto field = static_cast<std::uint64_t>(subnormal ? 0 : result.exponent + format.bias);
  const std::uint64_t fraction = (result.significand & (hidden_bit - 1)) << unused_bits;
  result.pattern = sign | ((field << format.fraction_bits | fraction) << format.ignored_low_bits);
  return result;
}

}  // namespace tcsim::numerics
