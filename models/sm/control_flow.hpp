#pragma once

#include <cstdint>

#include "models/sm/warp.hpp"

namespace tcsim::sm {

/// Moves `warp` behind `issued`, the instruction that it has issued; loops are the only branches of
/// programs. True if it does not go on with the one that follows in the program.
bool advance(Warp& warp, const DecodedInstruction& issued);

/// Lanes that take part in `instruction`, the next one of `warp`, bit per lane. Of a copy only
/// those that read: writing zeros costs no time (assumption).
std::uint32_t active_lanes(const Warp& warp, const DecodedInstruction& instruction);

}  // namespace tcsim::sm
