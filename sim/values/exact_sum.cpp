#include "sim/values/exact_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tcsim::values {
namespace {

__extension__ using Wide = unsigned __int128;

/// A finite double as significand x 2^exponent.
struct Parts {
  std::uint64_t significand;
  int exponent;
  bool negative;
};

Parts parts_of(double value) {
  constexpr int kFractionBits = 52;
  constexpr int kSmallest = -1074;
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << kFractionBits) - 1);
  const int field = static_cast<int>(bits >> kFractionBits & 0x7ff);
  const bool negative = bits >> 63 != 0;
  if (field == 0) return {fraction, kSmallest, negative};
  return {fraction | std::uint64_t{1} << kFractionBits, kSmallest + field - 1, negative};
}

}  // namespace

void ExactSum::add_product(double a, double b) {
  const Parts x = parts_of(a);
  const Parts y = parts_of(b);
  const Wide product = Wide{x.significand} * y.significand;
  if (product == 0) return;
  const int position = x.exponent + y.exponent - kLowestExponent;
  const bool negative = x.negative != y.negative;
  // Products of numbers with 16 bits or fewer have an empty low word.
  const auto low = static_cast<std::uint64_t>(product);
  if (low != 0) add_word(low, position, negative);
  const auto high = static_cast<std::uint64_t>(product >> 64);
  if (high != 0) add_word(high, position + 64, negative);
  // A digit grows by less than 2^33 with each term, so its 64 bits hold 2^29 of them.
  constexpr std::int64_t kTermsBetweenCarries = std::int64_t{1} << 29;
  if (++terms_ % kTermsBetweenCarries == 0) propagate_carries();
}

void ExactSum::add_word(std::uint64_t word, int position, bool negative) {
  const unsigned place = static_cast<unsigned>(position) % kLimbBits;
  std::int64_t* limb = &limbs_[static_cast<unsigned>(position) / kLimbBits];
  const std::uint64_t below = word << place;
  const std::uint64_t above = place == 0 ? 0 : word >> (64 - place);
  const std::int64_t digits[] = {static_cast<std::uint32_t>(below),
                                 static_cast<std::int64_t>(below >> kLimbBits),
                                 static_cast<std::int64_t>(above)};
  const std::int64_t sign = negative ? -1 : 1;
  for (const std::int64_t digit : digits) *limb++ += sign * digit;
}

void ExactSum::propagate_carries() {
  for (std::size_t i = 0; i + 1 < limbs_.size(); ++i) {
    limbs_[i + 1] += limbs_[i] >> kLimbBits;
    limbs_[i] &= 0xffffffff;
  }
}

double ExactSum::value() const {
  ExactSum sum = *this;
  sum.propagate_carries();
  const bool negative = sum.limbs_.back() < 0;
  if (negative) {
    for (std::int64_t& limb : sum.limbs_) limb = -limb;
    sum.propagate_carries();
  }
  const auto top = std::find_if(sum.limbs_.rbegin(), sum.limbs_.rend(),
                                [](std::int64_t limb) { return limb != 0; });
  if (top == sum.limbs_.rend()) return 0;
  // Three digits hold at least 65 significant bits; the digits below only break ties.
  Wide leading = 0;
  auto digit = top;
  int digits = 0;
  for (; digits < 3 && digit != sum.limbs_.rend(); ++digits, ++digit)
    leading = leading << kLimbBits | static_cast<std::uint64_t>(*digit);
  const bool sticky =
      std::any_of(digit, sum.limbs_.rend(), [](std::int64_t limb) { return limb != 0; });
  int exponent = static_cast<int>(sum.limbs_.rend() - digit) * kLimbBits + kLowestExponent;
  bool lost = sticky;
  while (leading >> 64 != 0) {
    lost = lost || (leading & 1) != 0;
    leading >>= 1;
    ++exponent;
  }
  const auto significand = static_cast<std::uint64_t>(leading) | (lost ? 1U : 0U);
  const double magnitude = std::ldexp(static_cast<double>(significand), exponent);
  return negative ? -magnitude : magnitude;
}

}  // namespace tcsim::values
