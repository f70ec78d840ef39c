#include "workloads/kernels/conv/pair_values.hpp"

#include "workloads/kernels/output_conversion.hpp"

namespace tcsim::kernels {

using isa::Opcode;

bool PairValues::knows(Element element) {
  return is_16_bit(element) || element == Element::kFp32 || element == Element::kTf32;
}

Instructions PairValues::unpack(int first) const {
  // A BF16 is the upper half of an FP32.
  constexpr std::int32_t kLowHalfUp = 0x1044;
  constexpr std::int32_t kHighHalfUp = 0x3244;
  if (!is_16_bit(element_)) return {};
  const isa::Register low = reg(first);
  const isa::Register high = reg(first + 1);
  if (element_ == Element::kBf16)
    return {with_immediate(arithmetic(Opcode::kPrmt, high, low, isa::kZeroRegister), kHighHalfUp),
            with_immediate(arithmetic(Opcode::kPrmt, low, low, isa::kZeroRegister), kLowHalfUp)};
  return {with_immediate(arithmetic(Opcode::kHadd2F32, high, low), 1),
          with_immediate(arithmetic(Opcode::kHadd2F32, low, low), 0)};
}

Instructions PairValues::pack(int first) const {
  const OutputConversion conversion{.accumulate = Element::kFp32,
                                    .output = element_,
                                    .has_packing = has_packing_,
                                    .swapped_pairs = false};
  return conversion.convert(first, 2);
}

}  // namespace tcsim::kernels
