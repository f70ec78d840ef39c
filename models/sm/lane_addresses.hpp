#pragma once

#include <cstddef>
#include <cstdint>

#include "models/sm/warp.hpp"

namespace tcsim::sm {

/// Where the lanes of a memory instruction go: lane i to byte base + offsets[i], before swizzling,
/// of the global buffer of `access`, or of shared or constant memory.
struct LaneAddresses {
  const DecodedAccess& access;
  std::int64_t base;
  const LaneValues& offsets;

  std::int64_t of_lane(int lane) const { return base + offsets[static_cast<std::size_t>(lane)]; }
};

/// The addresses of `instruction`, a memory instruction of `warp` and in a recording its next one.
/// `room` outlives them. Of a copy those that it reads.
LaneAddresses lane_addresses(const Warp& warp, const DecodedInstruction& instruction,
                             LaneValues& room);

}  // namespace tcsim::sm
