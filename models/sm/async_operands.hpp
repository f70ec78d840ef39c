#pragma once

#include <cstdint>

#include "models/sm/kernel.hpp"
#include "models/sm/load_store/tile_copies.hpp"
#include "models/sm/warp.hpp"

// What the operands of asynchronous instructions (models/isa/async_operands.hpp) are where a warp
// stands: evaluated as its loop counters are, or as they were recorded.

namespace tcsim::sm {

/// Of a SYNCS: isa::BarrierOperand.
struct BarrierValues {
  std::int64_t address = 0;
  std::int64_t value = 0;
};

/// The threads that execute `instruction`, a SYNCS, the next one of `warp`, with `lanes` on: of a
/// program one, of a recording those that did.
std::uint32_t threads_of(const Warp& warp, std::uint32_t lanes);

/// What it names, of thread `lane`.
BarrierValues barrier_of(const Warp& warp, const DecodedInstruction& instruction, int lane);

/// The byte of the mbarrier that `instruction`, the next one of `warp`, changes or waits at, or
/// that the bytes of its box complete on.
std::int64_t barrier_byte_of(const Warp& warp, const DecodedInstruction& instruction);

/// The box that `instruction` of `warp`, whose effect copies_tile, copies. Cluster, and who is told
/// when, are not set.
IssuedBox box_of(const Kernel& kernel, const Warp& warp, const DecodedInstruction& instruction);

}  // namespace tcsim::sm
