#pragma once

#include <cstdint>

#include "models/isa/launch.hpp"
#include "models/isa/timing.hpp"

namespace tcsim::microbench {

/// CTAs that meet at a counter in global memory so many times, as grid_group::sync of CUDA does it:
/// the warps of a CTA meet, one thread fences, adds one and looks until all CTAs have. The
/// counters lie from `base` on and are zero before. Requires that all CTAs are resident at once.
isa::KernelLaunch grid_meetings(std::int64_t ctas, int warps, int times, std::uint64_t base,
                                const isa::TimingTable& timing);

/// Two CTAs of one warp that hand a counter in global memory to and fro, so many times in all: one
/// thread fences and adds one, one of the other CTA looks until it sees that.
isa::KernelLaunch counter_hand_overs(int times, std::uint64_t base, const isa::TimingTable& timing);

}  // namespace tcsim::microbench
