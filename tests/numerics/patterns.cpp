#include "tests/numerics/patterns.hpp"

#include <algorithm>

#include "models/numerics/format.hpp"

namespace tcsim::numerics {

int PatternSource::number(int low, int high) {
  return low + static_cast<int>(random_() % static_cast<std::uint64_t>(high - low + 1));
}

std::uint64_t PatternSource::random_bits(ElementType type) {
  const int width = bits(type);
  return width == 64 ? random_() : random_() & ((std::uint64_t{1} << width) - 1);
}

std::uint64_t PatternSource::with_exponent(ElementType type, int low, int high) {
  const Format& format = format_of(type);
  const int lowest = format.exponent_of_subnormals() - format.fraction_bits;
  const int exponent = std::clamp(number(low, high), lowest, format.largest_exponent());
  const std::uint64_t hidden = std::uint64_t{1} << format.fraction_bits;
  std::uint64_t fraction = random_() & (hidden - 1);
  if (format.specials == SpecialRule::kNanOnly) fraction &= hidden - 2;  // never the NaN code
  std::uint64_t kept = 0;
  if (exponent >= format.exponent_of_subnormals())
    kept = static_cast<std::uint64_t>(exponent + format.bias) << format.fraction_bits | fraction;
  else
    kept = (hidden | fraction) >> (format.exponent_of_subnormals() - exponent);
  const std::uint64_t sign = (random_() & 1) != 0 ? format.sign_bit() : 0;
  return sign | kept << format.ignored_low_bits;
}

void PatternSource::clustered(DotOperands& operands, ElementType input, ElementType accumulator,
                              int grid) {
  const int top = number(-4, 4);
  for (std::size_t k = 0; k < operands.a.size(); ++k) {
    const int below = number(0, 2) == 0 ? 0 : grid + number(-2, 2);
    operands.a[k] = with_exponent(input, top - below / 2, top - below / 2);
    operands.b[k] = with_exponent(input, -(below - below / 2), -(below - below / 2));
  }
  const int below = number(0, 1) == 0 ? 0 : grid + number(-2, 2);
  operands.c = with_exponent(accumulator, top - below, top - below + 1);
}

void PatternSource::cancelling(DotOperands& operands, ElementType input, ElementType accumulator,
                               int grid) {
  const std::uint64_t sign = format_of(input).sign_bit();
  const int top = number(0, 6);
  for (std::size_t k = 0; k < operands.a.size(); ++k) {
    const bool mirror = k % 2 == 1 && number(0, 2) != 0;
    operands.a[k] = mirror ? operands.a[k - 1] ^ sign : with_exponent(input, top - 1, top);
    operands.b[k] = mirror ? operands.b[k - 1] : with_exponent(input, top - 1, top);
  }
  const int rest = 2 * top - grid + number(-3, 12);
  operands.c = with_exponent(accumulator, rest, rest + 1);
  if (!operands.a.empty() && number(0, 1) == 0)
    operands.a.back() = with_exponent(input, rest - top, rest - top + 2);
}

void PatternSource::tiny(DotOperands& operands, ElementType input, ElementType accumulator) {
  const Format& format = format_of(input);
  const int least =
      format_of(accumulator).exponent_of_subnormals() - format_of(accumulator).fraction_bits;
  const int half = std::max(least / 2, format.exponent_of_subnormals() - format.fraction_bits);
  for (std::size_t k = 0; k < operands.a.size(); ++k) {
    operands.a[k] = with_exponent(input, half - 6, half + 2);
    operands.b[k] = with_exponent(input, half - 6, half + 2);
  }
  operands.c = number(0, 1) == 0 ? 0 : with_exponent(accumulator, least - 1, least + 6);
}

void PatternSource::huge(DotOperands& operands, ElementType input, ElementType accumulator) {
  const int top = format_of(accumulator).largest_exponent();
  const int half = std::min(top / 2, format_of(input).largest_exponent());
  for (std::size_t k = 0; k < operands.a.size(); ++k) {
    operands.a[k] = with_exponent(input, half - 2, half + 1);
    operands.b[k] = with_exponent(input, half - 2, half + 1);
  }
  operands.c = with_exponent(accumulator, top - 1, top);
}

DotOperands PatternSource::adversarial(ElementType input, ElementType accumulator, std::size_t k,
                                       int grid_fraction_bits) {
  DotOperands operands{std::vector<std::uint64_t>(k), std::vector<std::uint64_t>(k), 0};
  kind_ = (kind_ + 1) % 8;
  if (kind_ == 0) clustered(operands, input, accumulator, grid_fraction_bits);
  if (kind_ == 1) cancelling(operands, input, accumulator, grid_fraction_bits);
  if (kind_ == 2) tiny(operands, input, accumulator);
  if (kind_ == 3) huge(operands, input, accumulator);
  if (kind_ >= 4) {
    const bool ordinary = kind_ == 4 || kind_ == 5;
    const auto draw = [&](ElementType type) {
      return ordinary ? with_exponent(type, -10, 2) : random_bits(type);
    };
    std::generate(operands.a.begin(), operands.a.end(), [&] { return draw(input); });
    std::generate(operands.b.begin(), operands.b.end(), [&] { return draw(input); });
    operands.c = draw(accumulator);
  }
  if (kind_ == 5 || kind_ == 7) {  // zero-heavy
    for (auto& pattern : operands.a)
      if (number(0, 2) == 0) pattern = number(0, 1) == 0 ? 0 : format_of(input).sign_bit();
    if (number(0, 1) == 0) operands.c = 0;
  }
  if (number(0, 15) == 0 && k > 0 && format_of(input).specials == SpecialRule::kInfinityAndNan)
    operands.a[static_cast<std::size_t>(number(0, static_cast<int>(k) - 1))] =
        format_of(input).infinity();
  return operands;
}

}  // namespace tcsim::numerics
