#pragma once

#include <cstdint>

#include "models/isa/launch.hpp"
#include "models/sm/params.hpp"
#include "sim/timeline/record.hpp"

namespace tcsim::timeline::test {

/// One CTA of `warps` warps, each with a loop of two independent HMMA.16816 with `trips`
/// iterations.
isa::KernelLaunch hmma_loop(int warps, int trips);

/// One warp with a chain of `count` HMMA.16816, each adding to the previous result.
isa::KernelLaunch dependent_hmmas(int count);

/// One warp that loads a fragment from shared memory, multiplies it twice in a row into the same
/// accumulators and stores them to global memory.
isa::KernelLaunch load_multiply_store();

/// One CTA of `warps` warps in warpgroups, of which those below `multiplying` multiply 64x64x16
/// `count` times in one group; all wait for their groups.
isa::KernelLaunch group_products(int warps, int count, int multiplying);

/// One Ampere SM that also has products of warpgroups: each takes 65 cycles, and its sums 40 more.
sm::SmParams sm_with_products();

/// `launch` on sm_with_products() with the window [first, end) of `sub_core` (-1: all) recorded.
Timeline recorded(const isa::KernelLaunch& launch, Cycle first, Cycle end, int sub_core = -1);

/// Its cycles before `end`, of a run that stops at `stop`.
Timeline stopped(const isa::KernelLaunch& launch, Cycle stop, Cycle end);

/// The counter tensor_busy_cycles of `sub_core` at the end of `launch`.
std::uint64_t tensor_busy_cycles(const isa::KernelLaunch& launch, int sub_core);

/// The cycle in which the last CTA of `launch` ends, with or without a recorder.
Cycle end_of_run(const isa::KernelLaunch& launch, bool with_recorder);

}  // namespace tcsim::timeline::test
