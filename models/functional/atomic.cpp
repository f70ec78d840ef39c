#include "models/functional/atomic.hpp"

#include "models/numerics/convert.hpp"
#include "models/numerics/ieee_fma.hpp"

namespace tcsim::functional {
namespace {

using isa::AtomicOperation;
using isa::AtomicType;

constexpr std::uint32_t low_word(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
constexpr std::int32_t signed_word(std::uint64_t value) {
  return static_cast<std::int32_t>(low_word(value));
}

/// Zero with the sign of `value` if it is a denormal FP32; otherwise `value`.
std::uint32_t flushed(std::uint32_t value) {
  constexpr std::uint32_t kExponent = 0x7f800000;
  constexpr std::uint32_t kSign = 0x80000000;
  return (value & kExponent) == 0 ? value & kSign : value;
}

std::uint64_t half_sum(std::uint32_t a, std::uint32_t b) {
  const auto sum = [](std::uint32_t x, std::uint32_t y) {
    return numerics::ieee_add(numerics::ElementType::kFp16, x & 0xffff, y & 0xffff) & 0xffff;
  };
  return sum(a, b) | sum(a >> 16, b >> 16) << 16;
}

std::uint64_t sum(AtomicType type, std::uint64_t old, std::uint64_t operand) {
  switch (type) {
    case AtomicType::kU64:
      return old + operand;
    case AtomicType::kF32:
      return flushed(numerics::fp32_add(flushed(low_word(old)), flushed(low_word(operand))));
    case AtomicType::kF16x2:
      return half_sum(low_word(old), low_word(operand));
    default:
      return low_word(old + operand);
  }
}

bool is_less(AtomicType type, std::uint64_t a, std::uint64_t b) {
  return type == AtomicType::kS32 ? signed_word(a) < signed_word(b) : a < b;
}

}  // namespace

std::uint64_t atomic_result(AtomicOperation operation, AtomicType type, std::uint64_t old,
                            std::uint64_t operand, std::uint64_t replacement) {
  switch (operation) {
    case AtomicOperation::kAdd:
      return sum(type, old, operand);
    case AtomicOperation::kMin:
      return is_less(type, operand, old) ? operand : old;
    case AtomicOperation::kMax:
      return is_less(type, old, operand) ? operand : old;
    case AtomicOperation::kExchange:
      return operand;
    case AtomicOperation::kCompareSwap:
      return old == operand ? replacement : old;
    case AtomicOperation::kNone:
      break;
  }
  return old;
}

}  // namespace tcsim::functional
