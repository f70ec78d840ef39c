#include "workloads/kernels/vector/lane_vectors.hpp"

#include <algorithm>

#include "workloads/kernels/output_conversion.hpp"

namespace tcsim::kernels {
namespace {

using isa::Opcode;

constexpr std::int32_t kLowHalfAsSingle = 0x1044;  // PRMT: BF16 is the upper half of FP32
constexpr std::int32_t kHighHalfAsSingle = 0x3244;

}  // namespace

VectorUnit vector_unit(const Target& target) {
  return {.has_packing = target.features.packed_conversion};
}

int packed_registers(Element element, int elements) {
  return std::max(1, elements * element_bytes(element) / 4);
}

isa::Instruction widened(Element element, int to, int from, int number) {
  if (element == Element::kFp16)
    return with_immediate(arithmetic(Opcode::kHadd2F32, reg(to), reg(from)), number);
  return with_immediate(arithmetic(Opcode::kPrmt, reg(to), reg(from)),
                        number == 0 ? kLowHalfAsSingle : kHighHalfAsSingle);
}

Instructions widen(Element element, int packed, int single, int elements) {
  Instructions ops;
  for (int i = 0; i < elements; ++i) {
    const isa::Register dst = reg(single + i);
    if (is_16_bit(element))
      ops.push_back(widened(element, single + i, packed + i / 2, i % 2));
    else if (element == Element::kInt8)
      ops.push_back(with_immediate(arithmetic(Opcode::kI2fS8, dst, reg(packed + i / 4)), i % 4));
    else if (packed != single)
      ops.push_back(arithmetic(Opcode::kMov, dst, reg(packed + i)));
  }
  return ops;
}

std::string why_not_narrow(Element element, int elements, const Features& features) {
  if (element == Element::kFp32 || element == Element::kFp16) return {};
  if (element == Element::kBf16)
    return features.packed_conversion ? "" : "only Ampere and later convert to BF16";
  if (element == Element::kE4m3 && !features.warpgroups)
    return "only Hopper and later convert to E4M3";
  if (element != Element::kInt8 && element != Element::kE4m3)
    return "FP32 sums are stored in fp32, fp16, bf16, int8 or e4m3, not in " +
           std::string(element_name(element));
  return elements % 2 == 0 ? "" : "bytes are stored two at once: the number of filters is odd";
}

Instructions narrow(Element element, const VectorUnit& unit, int first, int elements) {
  const OutputConversion conversion{.accumulate = Element::kFp32,
                                    .output = element,
                                    .has_packing = unit.has_packing,
                                    .swapped_pairs = false};
  return conversion.convert(first, elements);
}

}  // namespace tcsim::kernels
