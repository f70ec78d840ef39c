#include "models/numerics/exact_value.hpp"

namespace tcsim::numerics {

namespace {

ValueClass classify(const Format& format, int field, std::uint64_t fraction) {
  const int largest_field = (1 << format.exponent_bits) - 1;
  if (field == largest_field) {
    if (format.specials == SpecialRule::kInfinityAndNan)
      return fraction == 0 ? ValueClass::kInfinity : ValueClass::kNan;
    if (fraction == (std::uint64_t{1} << format.fraction_bits) - 1) return ValueClass::kNan;
  }
  return field == 0 && fraction == 0 ? ValueClass::kZero : ValueClass::kFinite;
}

}  // namespace

ExactValue decode(const Format& format, std::uint64_t pattern) {
  const std::uint64_t kept = pattern >> format.ignored_low_bits;
  const std::uint64_t hidden_bit = std::uint64_t{1} << format.fraction_bits;
  const std::uint64_t fraction = kept & (hidden_bit - 1);
  const int field =
      static_cast<int>((kept >> format.fraction_bits) & ((1U << format.exponent_bits) - 1));
  ExactValue value;
  value.value_class = classify(format, field, fraction);
  value.negative = (pattern & format.sign_bit()) != 0;
  value.exponent = field == 0 ? format.exponent_of_subnormals() : field - format.bias;
  value.magnitude = field == 0 ? fraction : fraction | hidden_bit;
  value.fraction_bits = format.fraction_bits;
  return value;
}

ExactValue multiply(const ExactValue& a, const ExactValue& b) {
  const auto either = [&](ValueClass wanted) {
    return a.value_class == wanted || b.value_class == wanted;
  };
  ExactValue product;
  product.negative = a.negative != b.negative;
  product.exponent = a.exponent + b.exponent;
  product.magnitude = a.magnitude * b.magnitude;
  product.fraction_bits = a.fraction_bits + b.fraction_bits;
  if (either(ValueClass::kNan))
    product.value_class = ValueClass::kNan;
  else if (either(ValueClass::kInfinity))
    product.value_class = either(ValueClass::kZero) ? ValueClass::kNan : ValueClass::kInfinity;
  else
    product.value_class = product.magnitude == 0 ? ValueClass::kZero : ValueClass::kFinite;
  return product;
}

}  // namespace tcsim::numerics
