#include "models/numerics/integer_mma.hpp"

#include <algorithm>
#include <limits>

namespace tcsim::numerics {

namespace {

std::int64_t clamp_to_int32(std::int64_t value) {
  return std::clamp<std::int64_t>(value, std::numeric_limits<std::int32_t>::min(),
                                  std::numeric_limits<std::int32_t>::max());
}

}  // namespace

std::int32_t integer_value(ElementType type, std::uint64_t pattern) {
  const int width = bits(type);
  const auto value = static_cast<std::int32_t>(pattern & ((1U << width) - 1));
  const bool negative = info(type).is_signed && (value >> (width - 1)) != 0;
  return negative ? value - (1 << width) : value;
}

std::uint32_t integer_mma(const Arithmetic& arithmetic, std::span<const std::uint64_t> a,
                          std::span<const std::uint64_t> b, std::uint32_t c) {
  const ArithmeticKey& key = arithmetic.key;
  const int granule = arithmetic.undecided.satfinite_granule;
  std::int64_t sum = static_cast<std::int32_t>(c);
  for (std::size_t k = 0; k < a.size(); ++k) {
    sum += std::int64_t{integer_value(key.a, a[k])} * integer_value(key.b, b[k]);
    if (key.saturate && granule > 0 && (k + 1) % static_cast<std::size_t>(granule) == 0)
      sum = clamp_to_int32(sum);
  }
  if (key.saturate) sum = clamp_to_int32(sum);
  return static_cast<std::uint32_t>(sum);
}

std::uint32_t bit_mma(BitOperation operation, std::span<const std::uint64_t> a,
                      std::span<const std::uint64_t> b, std::uint32_t c) {
  for (std::size_t k = 0; k < a.size(); ++k) {
    const std::uint64_t bit = operation == BitOperation::kXor ? a[k] ^ b[k] : a[k] & b[k];
    c += static_cast<std::uint32_t>(bit & 1);
  }
  return c;
}

}  // namespace tcsim::numerics
