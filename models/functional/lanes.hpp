#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "models/isa/expression.hpp"

namespace tcsim::functional {

inline constexpr std::size_t kLanes = isa::kLanes;

/// Bit l is lane l.
using LaneMask = std::uint32_t;
inline constexpr LaneMask kAllLanes = 0xffffffff;

constexpr bool is_on(LaneMask mask, std::size_t lane) { return (mask >> lane & 1) != 0; }

/// One 32-bit word of every lane.
using LaneWords = std::array<std::uint32_t, kLanes>;

/// One byte offset of every lane.
using LaneOffsets = std::array<std::int64_t, kLanes>;

}  // namespace tcsim::functional
