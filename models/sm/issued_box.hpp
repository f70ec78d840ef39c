#pragma once

#include "models/sm/kernel.hpp"
#include "models/sm/load_store/tile_copies.hpp"
#include "models/sm/warp.hpp"

namespace tcsim::sm {

/// The box that `instruction` of `warp`, a UTMALDG, UTMASTG or UTMAREDG, copies as its loop
/// counters stand. Who is told when is not set.
IssuedBox box_of(const Kernel& kernel, const Warp& warp, const DecodedInstruction& instruction);

}  // namespace tcsim::sm
