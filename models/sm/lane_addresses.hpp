#pragma once

#include <cstddef>
#include <cstdint>

#include "models/sm/warp.hpp"

namespace tcsim::sm {

/// Addresses of the lanes of a memory instruction: lane i accesses byte base + offsets[i], before
/// swizzling, of the global buffer of `access`, or of shared or constant memory.
struct LaneAddresses {
  const DecodedAccess& access;
  std::int64_t base;
  const LaneValues& offsets;

  std::int64_t of_lane(int lane) const { return base + offsets[static_cast<std::size_t>(lane)]; }
};

/// The addresses of `instruction`, a memory instruction of `warp` (in a recording, its next one).
/// For a copy, the addresses that it reads. `room` outlives the result.
LaneAddresses lane_addresses(const Warp& warp, const DecodedInstruction& instruction,
                             LaneValues& room);

}  // namespace tcsim::sm
