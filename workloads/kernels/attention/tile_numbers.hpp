#pragma once

#include <cstdint>

#include "workloads/kernels/program_builder.hpp"

namespace tcsim::kernels {

// Numbers of the tiles that the CTAs of a persistent kernel share. Each CTA takes every `ctas`-th
// tile, or the next one from a counter (isa::Loop::numbers).

/// The number of a CTA's tile in iteration kLoop0, if CTAs take turns.
isa::Expression number_in_turns(std::int64_t ctas);
/// How many of `tiles` a CTA then has. Requires tiles >= ctas.
isa::Expression trips_in_turns(std::int64_t tiles, std::int64_t ctas);

/// The first lane asks the counter in `buffer` for the next number, which arrives in register
/// `number`; only in the first warp if `in_first_warp`.
void ask_for_number(ProgramBuilder& builder, isa::Register number, isa::Register pointer,
                    int buffer, bool in_first_warp = false);

}  // namespace tcsim::kernels
