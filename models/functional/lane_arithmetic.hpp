#pragma once

#include "models/functional/register_file.hpp"

namespace tcsim::functional {

/// What an instruction outside memory, control and the tensor cores does to values.
enum class ValueClass : std::uint8_t {
  kData,     ///< Computes: execute_arithmetic has its meaning.
  kAddress,  ///< Stands for address arithmetic: carries no data (address expressions do).
  kUnknown,  ///< Carries data, but its values are not modelled.
};

/// Requires an opcode without memory, control or tensor-core effect.
ValueClass value_class(isa::Opcode opcode);

/// Executes `instruction` in the lanes of `mask`, with the roundings of models/numerics. An
/// instruction of address arithmetic leaves kUnwritten in its destination, so that data in the
/// wrong place shows. MOV and IADD3, which stand in both classes, move and add. Requires kData or
/// kAddress.
void execute_arithmetic(const isa::Instruction& instruction, LaneMask mask,
                        RegisterFile& registers);

}  // namespace tcsim::functional
