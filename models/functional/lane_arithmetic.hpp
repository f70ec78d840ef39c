#pragma once

#include "models/functional/register_file.hpp"

namespace tcsim::functional {

/// How an instruction that is no memory, control or tensor-core operation treats values.
enum class ValueClass : std::uint8_t {
  kData,     ///< Computes; execute_arithmetic implements it.
  kAddress,  ///< Stands for address arithmetic: carries no data (address expressions do).
  kUnknown,  ///< Carries data, but its values are not modelled.
};

/// Requires an opcode without memory, control or tensor-core effect.
ValueClass value_class(isa::Opcode opcode);

/// Executes `instruction` in the lanes of `mask`, with the roundings of models/numerics. An
/// instruction of address arithmetic writes kUnwritten to its destination, so that using it as data
/// is noticed. MOV and IADD3, which belong to both classes, move and add. Requires kData or
/// kAddress.
void execute_arithmetic(const isa::Instruction& instruction, LaneMask mask,
                        RegisterFile& registers);

}  // namespace tcsim::functional
