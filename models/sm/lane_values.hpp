#pragma once

#include <cstdint>
#include <vector>

#include "models/isa/expression.hpp"
#include "models/sm/decode.hpp"

namespace tcsim::sm {

/// Fills `values` with the parts of the expressions of `program` that are constant for one warp,
/// given by `bindings`.
void bind_warp(const DecodedProgram& program, const isa::Bindings& bindings,
               std::vector<std::int64_t>& values);

/// Lanes for which guard `guard` of `program` holds, bit per lane, in the iterations given by
/// `loops`. `values` are those from bind_warp.
std::uint32_t active_lanes(const DecodedProgram& program, int guard, const std::int64_t* values,
                           const isa::Bindings& loops);

/// The value of `expression` for each lane without its constant, fixed and looping terms. `room`
/// holds the values if they differ between warps.
const LaneValues& lane_values(const DecodedProgram& program, const SplitExpression& expression,
                              const std::int64_t* values, const isa::Bindings& loops,
                              LaneValues& room);

}  // namespace tcsim::sm
