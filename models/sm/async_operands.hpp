#pragma once

#include <cstdint>

#include "models/sm/kernel.hpp"
#include "models/sm/load_store/tile_copies.hpp"
#include "models/sm/warp.hpp"

// Evaluates the operands of asynchronous instructions (models/isa/async_operands.hpp) at the
// current position of a warp: with its current loop counters, or as they were recorded.

namespace tcsim::sm {

/// The evaluated operands of a SYNCS (isa::BarrierOperand).
struct BarrierValues {
  std::int64_t address = 0;
  std::int64_t value = 0;
};

/// The threads that execute `instruction`, a SYNCS and the next instruction of `warp`, when `lanes`
/// are active: one thread in a program; in a recording, the threads that did.
std::uint32_t threads_of(const Warp& warp, std::uint32_t lanes);

/// What the instruction names for thread `lane`.
BarrierValues barrier_of(const Warp& warp, const DecodedInstruction& instruction, int lane);

/// The shared-memory byte address of the mbarrier that `instruction`, the next one of `warp`,
/// changes or waits at, or on which the bytes of its box complete.
std::int64_t barrier_byte_of(const Warp& warp, const DecodedInstruction& instruction);

/// The box that `instruction` of `warp` copies; its effect must satisfy copies_tile. The cluster
/// and the completion token are not set.
IssuedBox box_of(const Kernel& kernel, const Warp& warp, const DecodedInstruction& instruction);

}  // namespace tcsim::sm
