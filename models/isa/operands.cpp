#include "models/isa/operands.hpp"

#include <algorithm>

namespace tcsim::isa {
namespace {

RegisterRange range(Register first, int width) {
  if (first == kZeroRegister) return {};
  return {first, std::min(width, kZeroRegister - first)};
}

/// The source that `has_immediate` replaces: the last one that the opcode has.
int last_source(const OpcodeInfo& info) {
  int last = kNoIndex;
  for (int operand = 0; operand < kSourceOperands; ++operand) {
    if (info.src_registers[operand] > 0) last = operand;
  }
  return last;
}

}  // namespace

RegisterRange destination_registers(const Instruction& instruction) {
  return range(instruction.dst, opcode_info(instruction.opcode).dst_registers);
}

RegisterRange source_registers(const Instruction& instruction, int operand) {
  const OpcodeInfo& info = opcode_info(instruction.opcode);
  const bool is_arithmetic = info.effect == Effect::kNone;
  if (instruction.has_immediate && is_arithmetic && operand == last_source(info)) return {};
  return range(instruction.src[operand], info.src_registers[operand]);
}

}  // namespace tcsim::isa
