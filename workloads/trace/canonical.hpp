#pragma once

#include "models/isa/launch.hpp"

namespace tcsim::trace {

/// `launch` with everything that the hardware does not see in a unique form: accesses and guards
/// numbered by first use, equal ones merged and unused ones dropped; loops numbered by their first
/// instruction, outer before inner; operands that an opcode lacks are RZ; the parts of an access
/// that its instruction does not use are empty. Two launches with equal canonical forms run alike.
/// Requires a launch that isa::validate accepts.
isa::KernelLaunch canonical(const isa::KernelLaunch& launch);

/// Index of the source that a literal replaces, or isa::kNoIndex if the opcode is not arithmetic
/// with sources.
int literal_operand(isa::Opcode opcode);

/// True when the instruction addresses global (shared, constant) memory.
bool addresses_global(isa::Opcode opcode);
bool addresses_shared(isa::Opcode opcode);
bool addresses_constants(isa::Opcode opcode);
/// True for LDGSTS, which addresses both.
bool copies(isa::Opcode opcode);

}  // namespace tcsim::trace
