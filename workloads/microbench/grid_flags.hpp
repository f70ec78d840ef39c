#pragma once

#include <cstdint>

#include "models/isa/launch.hpp"
#include "models/isa/timing.hpp"

namespace tcsim::microbench {

/// CTAs that meet at a counter in global memory that many times, as CUDA's grid_group::sync does:
/// the warps of a CTA meet, one thread fences, adds one and polls until all CTAs have. The counter
/// is stored at `base` and is zero before. Requires that all CTAs are resident at once.
isa::KernelLaunch grid_meetings(std::int64_t ctas, int warps, int times, std::uint64_t base,
                                const isa::TimingTable& timing);

/// Two CTAs of one warp that pass a counter in global memory back and forth, that many times in
/// all: one thread fences and adds one, a thread of the other CTA polls until it sees that.
isa::KernelLaunch counter_hand_overs(int times, std::uint64_t base, const isa::TimingTable& timing);

}  // namespace tcsim::microbench
