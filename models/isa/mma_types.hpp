#pragma once

#include "models/isa/opcode.hpp"
#include "models/numerics/element_type.hpp"
#include "models/numerics/instruction.hpp"

namespace tcsim::isa {

/// What an MMA multiplies (for FP8 forms, E4M3), and the format in which it adds.
struct MmaTypes {
  numerics::ElementType input;
  numerics::ElementType sum;
};

/// Requires that `info` describes an MMA.
MmaTypes mma_types(const OpcodeInfo& info);

/// The MMA as models/numerics describes it, with row-major A and column-major B. Requires that
/// `info` describes an MMA of one warp.
numerics::MmaInstruction mma_instruction(const OpcodeInfo& info);

}  // namespace tcsim::isa
