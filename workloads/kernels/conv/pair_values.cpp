#include "workloads/kernels/conv/pair_values.hpp"

#include "workloads/kernels/output_conversion.hpp"

namespace tcsim::kernels {

using isa::Opcode;

bool PairValues::knows(Element element) {
  return is_16_bit(element) || element == Element::kFp32 || element == Element::kTf32;
}

namespace {

/// One half (0: low, 1: high) of register `from` as FP32.
isa::Instruction widened(Element element, int to, int from, int half) {
  // A BF16 is the upper half of an FP32.
  constexpr std::int32_t kLowHalfUp = 0x1044;
  constexpr std::int32_t kHighHalfUp = 0x3244;
  if (element == Element::kBf16)
    return with_immediate(arithmetic(Opcode::kPrmt, reg(to), reg(from), isa::kZeroRegister),
                          half == 0 ? kLowHalfUp : kHighHalfUp);
  return with_immediate(arithmetic(Opcode::kHadd2F32, reg(to), reg(from)), half);
}

}  // namespace

Instructions PairValues::unpack(int first) const {
  if (!is_16_bit(element_)) return {};
  return {widened(element_, first + 1, first, 1), widened(element_, first, first, 0)};
}

Instructions PairValues::unpack_one(int to) const {
  if (!is_16_bit(element_)) return {};
  return {widened(element_, to, to, 0)};
}

Instructions PairValues::pack(int first) const {
  const OutputConversion conversion{.accumulate = Element::kFp32,
                                    .output = element_,
                                    .has_packing = has_packing_,
                                    .swapped_pairs = false};
  return conversion.convert(first, 2);
}

}  // namespace tcsim::kernels
