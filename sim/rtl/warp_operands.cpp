#include "sim/rtl/warp_operands.hpp"

namespace tcsim::rtl {
namespace {

using numerics::ElementType;
using numerics::Generation;
using numerics::MmaInstruction;

/// Bits along k of a row of A in one half step of Ampere's array.
constexpr int kHalfStepBits = 128;

int bits_along_k(const MmaInstruction& of) { return of.shape.k * numerics::bits(of.a); }

bool has_types(const MmaInstruction& of) {
  const bool float_types =
      of.d == ElementType::kFp32 &&
      (of.a == ElementType::kFp16 || of.a == ElementType::kBf16 || of.a == ElementType::kTf32);
  const bool half_types = of.d == ElementType::kFp16 && of.a == ElementType::kFp16;
  return of.a == of.b && of.c == of.d && (float_types || half_types || of.a == ElementType::kInt8);
}

}  // namespace

bool has_instruction(Generation generation, const MmaInstruction& instruction) {
  if (instruction.kind != numerics::InstructionKind::kMma || instruction.sparse ||
      instruction.saturate || !has_types(instruction))
    return false;
  if (generation == Generation::kVolta) return instruction.matrices() == 4;
  const int bits = bits_along_k(instruction);
  return generation == Generation::kAmpere && instruction.shape.m == 16 &&
         (bits == kHalfStepBits || bits == 2 * kHalfStepBits);
}

WarpMma warp_mma(const MmaInstruction& instruction, const numerics::MmaOperands& operands) {
  WarpMma mma;
  mma.input = instruction.a;
  mma.accumulator = instruction.d;
  mma.long_k = bits_along_k(instruction) > kHalfStepBits;
  mma.a_column_major = instruction.a_layout == numerics::Layout::kColumn;
  mma.b_row_major = instruction.b_layout == numerics::Layout::kRow;
  mma.a = registers_of(operands.a);
  mma.b = registers_of(operands.b);
  mma.c = registers_of(operands.c);
  return mma;
}

Registers registers_of(std::span<const std::uint32_t> words) {
  const std::size_t count = words.size() / 32;
  Registers registers(count);
  for (std::size_t i = 0; i < words.size(); ++i) registers[i % count][i / count] = words[i];
  return registers;
}

std::vector<std::uint32_t> words_of(const Registers& registers) {
  std::vector<std::uint32_t> words;
  words.reserve(registers.size() * 32);
  for (std::size_t lane = 0; lane < 32; ++lane)
    for (const RegisterImage& image : registers) words.push_back(image[lane]);
  return words;
}

std::unique_ptr<WarpUnit> make_warp_unit(Generation generation) {
  if (generation == Generation::kVolta) return make_warp_unit_volta();
  if (generation == Generation::kAmpere) return make_warp_unit_ampere();
  return nullptr;
}

}  // namespace tcsim::rtl
