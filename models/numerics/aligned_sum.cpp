#include "models/numerics/aligned_sum.hpp"

#include <algorithm>

namespace tcsim::numerics {

int maximum_exponent(std::span<const ExactValue> terms, int floor, bool zeros_count) {
  int maximum = floor;
  for (const ExactValue& term : terms)
    if (term.value_class != ValueClass::kZero || zeros_count)
      maximum = std::max(maximum, term.exponent);
  return maximum;
}

AlignedTerm align(const ExactValue& term, int maximum, int grid_fraction_bits) {
  AlignedTerm aligned;
  if (term.value_class == ValueClass::kZero) return aligned;
  aligned.shift = maximum - term.exponent;
  aligned.dropped_bits = std::max(0, aligned.shift + term.fraction_bits - grid_fraction_bits);
  std::uint64_t kept = 0;
  if (aligned.dropped_bits == 0) {
    kept = term.magnitude << (grid_fraction_bits - term.fraction_bits - aligned.shift);
  } else if (aligned.dropped_bits < 64) {
    kept = term.magnitude >> aligned.dropped_bits;
    aligned.dropped = term.magnitude & ((std::uint64_t{1} << aligned.dropped_bits) - 1);
  } else {
    aligned.dropped = term.magnitude;
  }
  const auto magnitude = static_cast<std::int64_t>(kept);
  aligned.value = term.negative ? -magnitude : magnitude;
  return aligned;
}

}  // namespace tcsim::numerics
