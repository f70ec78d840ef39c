#include "workloads/kernels/output_conversion.hpp"

#include <algorithm>

#include "workloads/kernels/vector/lane_vectors.hpp"

namespace tcsim::kernels {
namespace {

using isa::Opcode;

constexpr std::int32_t kOneHalf2 = 0x3c003c00;       // alpha = 1 in both halves
constexpr std::int32_t kDoubleOneHigh = 0x3ff00000;  // a literal is the upper word of a double
constexpr std::int32_t kTwoLowBytes = 0x0040;        // PRMT selectors

int registers_of(Element accumulate) { return accumulate == Element::kFp64 ? 2 : 1; }

Instructions to_reals(int first, int count, bool has_packing) {
  Instructions ops;
  for (int i = 0; i < count; ++i)
    ops.push_back(arithmetic(real_of_integer_opcode(has_packing), reg(first + i), reg(first + i)));
  return ops;
}

/// Integers as reals, times a scale of 1.
Instructions to_scaled_reals(int first, int count, bool has_packing) {
  Instructions ops = to_reals(first, count, has_packing);
  for (int i = 0; i < count; ++i)
    ops.push_back(with_literal(Opcode::kFmul, first + i, first + i, 1));
  return ops;
}

Instructions to_bytes(int first, int elements) {
  Instructions ops;
  const auto merge = [&](int low, int high, std::int32_t selector) {
    ops.push_back(
        with_immediate(arithmetic(Opcode::kPrmt, reg(low), reg(low), reg(high)), selector));
  };
  for (int i = 0; i < elements; ++i)
    ops.push_back(arithmetic(Opcode::kF2iS8, reg(first + i), reg(first + i)));
  for (int word = 0; 4 * word < elements; ++word) {
    const int base = first + 4 * word;
    const int count = std::min(4, elements - 4 * word);
    for (int i = 0; i + 1 < count; i += 2) merge(base + i, base + i + 1, kTwoLowBytes);
    if (count == 4) merge(base, base + 2, kLowHalves);
    if (word > 0) ops.push_back(arithmetic(Opcode::kMov, reg(first + word), reg(base)));
  }
  return ops;
}

/// `opcode` converts two numbers to bytes and puts half a register above them.
Instructions packed_bytes(Opcode opcode, int first, int elements) {
  Instructions ops;
  const auto pack = [&](int to, int pair, isa::Register above) {
    ops.push_back(arithmetic(opcode, reg(to), reg(pair + 1), reg(pair), above));
  };
  if (elements == 2) pack(first, first, isa::kZeroRegister);
  for (int word = 0; 4 * word + 4 <= elements; ++word) {
    const int base = first + 4 * word;
    pack(base + 2, base + 2, isa::kZeroRegister);
    pack(first + word, base, reg(base + 2));
  }
  return ops;
}

}  // namespace

isa::Opcode real_of_integer_opcode(bool has_packing) {
  return has_packing ? Opcode::kI2fp : Opcode::kI2f;
}

isa::Opcode packing_opcode(Element element) {
  return element == Element::kBf16 ? Opcode::kF2fpBf16 : Opcode::kF2fp;
}

isa::Opcode adding_opcode(Element accumulate) {
  if (accumulate == Element::kInt32) return Opcode::kIadd3;
  if (accumulate == Element::kFp64) return Opcode::kDadd;
  return accumulate == Element::kFp16 ? Opcode::kHadd2 : Opcode::kFadd;
}

Instructions add_registers(Element accumulate, int first, int other, int count) {
  Instructions ops;
  for (int i = 0; i < count; i += registers_of(accumulate))
    ops.push_back(
        arithmetic(adding_opcode(accumulate), reg(first + i), reg(first + i), reg(other + i)));
  return ops;
}

Instructions scale_registers(Element accumulate, int first, int result, int count, bool exchange) {
  Instructions ops;
  if (accumulate == Element::kInt32) {
    for (int i = 0; exchange && i < count; ++i)
      ops.push_back(arithmetic(Opcode::kMov, reg(result + (i ^ 1)), reg(first + i)));
    return ops;
  }
  if (accumulate == Element::kFp64) {
    for (int i = 0; i < count; i += 2)
      ops.push_back(with_immediate(arithmetic(Opcode::kDmul, reg(result + i), reg(first + i)),
                                   kDoubleOneHigh));
    return ops;
  }
  const bool packed = accumulate == Element::kFp16;
  for (int i = 0; i < count; ++i)
    ops.push_back(with_immediate(arithmetic(packed ? Opcode::kHmul2 : Opcode::kFmul,
                                            reg(result + (exchange ? i ^ 1 : i)), reg(first + i)),
                                 packed ? kOneHalf2 : fp32_literal(1)));
  return ops;
}

Instructions to_singles(Element accumulate, int first, int singles, int elements,
                        bool has_packing) {
  if (accumulate == Element::kInt32) return to_reals(first, elements, has_packing);
  if (accumulate == Element::kFp16) return widen(accumulate, first, singles, elements);
  return {};
}

Instructions OutputConversion::convert(int first, int elements) const {
  Instructions ops;
  if (accumulate == Element::kFp16) return ops;
  if (accumulate == Element::kInt32 && output != Element::kInt32)
    extend(ops, to_scaled_reals(first, elements, has_packing));
  if (output == Element::kInt8)
    extend(ops, has_packing ? packed_bytes(Opcode::kF2ipS8, first, elements)
                            : to_bytes(first, elements));
  if (output == Element::kE4m3) extend(ops, packed_bytes(Opcode::kF2fpE4m3, first, elements));
  if (!is_16_bit(output)) return ops;
  const Opcode pack = packing_opcode(output);
  if (!has_packing)
    for (int i = 0; i < elements; ++i)
      ops.push_back(arithmetic(Opcode::kF2f, reg(first + i), reg(first + i)));
  if (elements == 1) {
    if (has_packing) ops.push_back(arithmetic(pack, reg(first), isa::kZeroRegister, reg(first)));
    return ops;
  }
  const int swap = swapped_pairs ? 1 : 0;
  for (int i = 0; i < elements / 2; ++i) {
    const isa::Register low = reg(first + 2 * i + swap);
    const isa::Register high = reg(first + 2 * i + 1 - swap);
    if (has_packing)
      ops.push_back(arithmetic(pack, reg(first + i), high, low));
    else
      ops.push_back(
          with_immediate(arithmetic(Opcode::kPrmt, reg(first + i), low, high), kLowHalves));
  }
  return ops;
}

}  // namespace tcsim::kernels
