#include "sim/rtl/warp_operands.hpp"

#include <algorithm>

#include "sim/rtl/unit.hpp"

namespace tcsim::rtl {
namespace {

using numerics::Generation;
using numerics::MmaInstruction;

/// Bits along k of a row of A in one half step of Ampere's array.
constexpr int kHalfStepBits = 128;

int bits_along_k(const MmaInstruction& of) { return of.shape.k * numerics::bits(of.a); }

/// Number of warps in a warpgroup.
constexpr int kWarpsOfGroup = 4;
/// Columns of B of which one register of a warp holds a half.
constexpr int kColumnsOfRegister = 8;

bool is_group(const MmaInstruction& of) { return of.kind == numerics::InstructionKind::kWgmma; }

bool has_operation(std::span<const Operation> all, const MmaInstruction& of) {
  return of.c == of.d && std::ranges::find(all, Operation{of.a, of.d, of.b}) != all.end();
}

/// Lane-major registers of B as in for_each_warp: register 2 j + h holds half h along k of columns
/// 8 j to 8 j + 7, with 128 bits of column 8 j + g in lanes 4 g to 4 g + 3.
std::vector<std::uint32_t> registers_of_b(const MmaInstruction& instruction,
                                          std::span<const std::uint32_t> matrix) {
  const auto n = static_cast<std::size_t>(instruction.shape.n);
  const auto bits = static_cast<std::size_t>(numerics::bits(instruction.b));
  const std::size_t per_word = 32 / bits;
  const std::size_t registers = 2 * n / kColumnsOfRegister;
  std::vector<std::uint32_t> words(32 * registers);
  for (std::size_t lane = 0; lane < 32; ++lane)
    for (std::size_t i = 0; i < registers; ++i)
      for (std::size_t e = 0; e < per_word; ++e) {
        const std::size_t column = kColumnsOfRegister * (i / 2) + lane / 4;
        const std::size_t k = (4 * (i % 2) + lane % 4) * per_word + e;
        words[lane * registers + i] |= matrix[k * n + column] << (bits * e);
      }
  return words;
}

}  // namespace

bool has_instruction(Generation generation, const MmaInstruction& instruction) {
  using numerics::InstructionKind;
  const auto kind =
      generation == Generation::kHopper ? InstructionKind::kWgmma : InstructionKind::kMma;
  if (instruction.kind != kind || instruction.sparse || instruction.saturate) return false;
  if (generation == Generation::kHopper) return has_operation(kHopperOperations, instruction);
  if (generation == Generation::kVolta)
    return instruction.matrices() == 4 && has_operation(kVoltaOperations, instruction);
  const int bits = bits_along_k(instruction);
  return generation == Generation::kAmpere && instruction.shape.m == 16 &&
         (bits == kHalfStepBits || bits == 2 * kHalfStepBits) &&
         has_operation(kAmpereOperations, instruction);
}

void for_each_warp(const MmaInstruction& instruction, const numerics::MmaOperands& operands,
                   const std::function<void(int, const numerics::MmaOperands&)>& take) {
  if (!is_group(instruction)) {
    take(0, operands);
    return;
  }
  const std::vector<std::uint32_t> b = registers_of_b(instruction, operands.b_matrix);
  for (int warp = 0; warp < kWarpsOfGroup; ++warp) {
    numerics::MmaOperands own = operands;
    own.a = words_of_warp(instruction, operands.a, warp);
    own.b = b;
    own.c = words_of_warp(instruction, operands.c, warp);
    take(warp, own);
  }
}

std::span<const std::uint32_t> words_of_warp(const MmaInstruction& instruction,
                                             std::span<const std::uint32_t> words, int warp) {
  const std::size_t count = is_group(instruction) ? words.size() / kWarpsOfGroup : words.size();
  return words.subspan(static_cast<std::size_t>(warp) * count, count);
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
  mma.mixed_fp8 = instruction.a != instruction.b;
  if (is_group(instruction) && std::ranges::all_of(operands.c, [](auto word) { return word == 0; }))
    mma.c.clear();
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
  if (generation == Generation::kHopper) return make_warp_unit_hopper();
  return nullptr;
}

}  // namespace tcsim::rtl
