#pragma once

#include <cstdint>
#include <vector>

#include "models/isa/expression.hpp"
#include "models/sm/decode.hpp"

namespace tcsim::sm {

/// Fills `values` with the parts of the expressions of `program` that stay the same for a whole
/// warp, that of `bindings`.
void bind_warp(const DecodedProgram& program, const isa::Bindings& bindings,
               std::vector<std::int64_t>& values);

/// Lanes for which guard `guard` of `program` holds, bit per lane, in the trips of `loops`.
/// `values` are those of bind_warp.
std::uint32_t active_lanes(const DecodedProgram& program, int guard, const std::int64_t* values,
                           const isa::Bindings& loops);

/// The values of `expression` less its constant, fixed and looping terms, lane by lane. `room`
/// holds them where they are not the same for all warps.
const LaneValues& lane_values(const DecodedProgram& program, const SplitExpression& expression,
                              const std::int64_t* values, const isa::Bindings& loops,
                              LaneValues& room);

}  // namespace tcsim::sm
