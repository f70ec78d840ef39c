#include "models/isa/operands.hpp"

#include <algorithm>

#include "models/isa/group_mma.hpp"

namespace tcsim::isa {
namespace {

RegisterRange range(Register first, int width) {
  if (first == kZeroRegister) return {};
  return {first, std::min(width, kZeroRegister - first)};
}

/// The source that `has_immediate` or `has_constant` replaces: the last one that the opcode has.
int last_source(const OpcodeInfo& info) {
  int last = kNoIndex;
  for (int operand = 0; operand < kSourceOperands; ++operand) {
    if (info.src_registers[operand] > 0) last = operand;
  }
  return last;
}

}  // namespace

RegisterRange destination_registers(const Instruction& instruction) {
  if (is_group_mma(instruction.opcode)) return {};
  return written_registers(instruction);
}

RegisterRange written_registers(const Instruction& instruction) {
  return range(instruction.dst, opcode_info(instruction.opcode).dst_registers);
}

RegisterRange source_registers(const Instruction& instruction, int operand) {
  const OpcodeInfo& info = opcode_info(instruction.opcode);
  const bool is_arithmetic = info.effect == Effect::kNone;
  const bool is_cleared = is_group_mma(instruction.opcode) && operand == 2 &&
                          (instruction.immediate & kClearsSums) != 0;
  if (is_cleared) return {};
  const bool no_register = instruction.has_immediate || instruction.has_constant;
  if (no_register && is_arithmetic && operand == last_source(info)) return {};
  return range(instruction.src[operand], info.src_registers[operand]);
}

ScalarFile scalar_destination_file(Opcode opcode) {
  switch (opcode) {
    case Opcode::kIsetp:
    case Opcode::kFsetp:
    case Opcode::kPlop3:
      return ScalarFile::kPredicate;
    case Opcode::kUisetp:
      return ScalarFile::kNone;
    default:
      return opcode_info(opcode).pipe == Pipe::kUniform ? ScalarFile::kUniform : ScalarFile::kNone;
  }
}

ScalarFile scalar_source_file(Opcode opcode, int operand) {
  if (opcode_info(opcode).pipe == Pipe::kUniform)
    return opcode == Opcode::kUldc ? ScalarFile::kNone : ScalarFile::kUniform;
  const bool reads_predicate =
      (opcode == Opcode::kSel && operand == 2) || (opcode == Opcode::kBra && operand == 0);
  return reads_predicate ? ScalarFile::kPredicate : ScalarFile::kNone;
}

int scalar_number(ScalarFile file, Register number) {
  if (file == ScalarFile::kNone || number >= scalar_registers(file)) return kNoIndex;
  return file == ScalarFile::kUniform ? number : kUniformRegisters + number;
}

int scalar_destination(const Instruction& instruction) {
  return scalar_number(scalar_destination_file(instruction.opcode), instruction.dst);
}

int scalar_source(const Instruction& instruction, int operand) {
  return scalar_number(scalar_source_file(instruction.opcode, operand), instruction.src[operand]);
}

}  // namespace tcsim::isa
