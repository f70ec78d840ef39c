#pragma once

#include "models/isa/program.hpp"

namespace tcsim::isa {

/// Registers [first, first + count) of one operand; count 0: the operand touches no register.
struct RegisterRange {
  int first = 0;
  int count = 0;

  [[nodiscard]] int end() const { return first + count; }
  bool operator==(const RegisterRange&) const = default;
};

inline constexpr int kSourceOperands = 3;

/// The registers that `instruction` writes. RZ and operands that the opcode lacks are empty.
RegisterRange destination_registers(const Instruction& instruction);

/// The registers that `instruction` reads as source `operand`, in [0, kSourceOperands). RZ,
/// literals and operands that the opcode lacks are empty.
RegisterRange source_registers(const Instruction& instruction, int operand);

}  // namespace tcsim::isa
