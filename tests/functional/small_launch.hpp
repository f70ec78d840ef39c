#pragma once

#include <vector>

#include "models/isa/launch.hpp"

namespace tcsim::functional::testing {

/// A launch of one CTA whose warps all run `program`, with one buffer of 1024 bytes and 1024 bytes
/// of shared memory. EXIT is appended.
isa::KernelLaunch small_launch(int warps, isa::WarpProgram program);

/// An instruction whose operands do not matter.
isa::Instruction plain(isa::Opcode opcode, int immediate = 0);

/// A memory instruction with access `access` on data register R0; loads go to R0.
isa::Instruction memory(isa::Opcode opcode, int access, int guard = isa::kNoIndex);

/// Shared byte 4 * lane + 128 * warp + constant, and the same place of the buffer.
isa::MemoryAccess own_row(int constant = 0);
/// Shared byte 4 * lane + constant: the same for all warps.
isa::MemoryAccess common_row(int constant = 0);

/// `access` with a variable that is 0 in all of small_launch, so that its text does not determine
/// its address.
isa::MemoryAccess decided_late(isa::MemoryAccess access);

/// Only warps below `limit`.
isa::Guard warps_below(int limit);

}  // namespace tcsim::functional::testing
