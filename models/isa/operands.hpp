#pragma once

#include "models/isa/program.hpp"

namespace tcsim::isa {

/// Registers [first, first + count) of one operand; count 0: the operand uses no register.
struct RegisterRange {
  int first = 0;
  int count = 0;

  [[nodiscard]] int end() const { return first + count; }
  bool operator==(const RegisterRange&) const = default;
};

inline constexpr int kSourceOperands = 4;

/// The registers that `instruction` writes. Empty for RZ and operands that the opcode lacks, and
/// for the sums of group MMAs, which WARPGROUP.DEPBAR orders.
RegisterRange destination_registers(const Instruction& instruction);

/// The same with the sums of group MMAs: what must be free of earlier accesses.
RegisterRange written_registers(const Instruction& instruction);

/// The registers that `instruction` reads as source `operand`, in [0, kSourceOperands). Empty for
/// RZ, literals, operands that the opcode lacks and the sums that a group MMA clears.
RegisterRange source_registers(const Instruction& instruction, int operand);

/// The register files other than the general registers. Instructions name their registers in
/// operand fields that hold no general register; numbers beyond the end of the file mean none.
enum class ScalarFile : std::uint8_t { kNone, kUniform, kPredicate };
inline constexpr int kUniformRegisters = 63;  ///< microarchitecture.md 3.5, without URZ
inline constexpr int kPredicates = 7;         ///< without PT
inline constexpr int kScalars = kUniformRegisters + kPredicates;
constexpr int scalar_registers(ScalarFile file) {
  return file == ScalarFile::kUniform ? kUniformRegisters : kPredicates;
}

/// The file of the destination (or of source `operand`) of `opcode`. Operations of the uniform
/// datapath except compares set and use uniform registers; compares set a predicate; SEL and BRA
/// use one (src[2], src[0]).
ScalarFile scalar_destination_file(Opcode opcode);
ScalarFile scalar_source_file(Opcode opcode, int operand);

/// Register `number` of `file` as a number in [0, kScalars), or kNoIndex.
int scalar_number(ScalarFile file, Register number);
int scalar_destination(const Instruction& instruction);
int scalar_source(const Instruction& instruction, int operand);

}  // namespace tcsim::isa
