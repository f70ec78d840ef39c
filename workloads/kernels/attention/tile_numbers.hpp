#pragma once

#include <cstdint>

#include "workloads/kernels/program_builder.hpp"

namespace tcsim::kernels {

// Numbers of tiles, which the CTAs of a persistent kernel share out: each takes every `ctas`-th
// one, or the next one from a counter (isa::Loop::numbers).

/// The number of a CTA's tile in trip kLoop0, where CTAs take turns.
isa::Expression number_in_turns(std::int64_t ctas);
/// How many of `tiles` are its own then. Requires tiles >= ctas.
isa::Expression trips_in_turns(std::int64_t tiles, std::int64_t ctas);

/// The first lane asks the counter in `buffer` for the next number, which comes into register
/// `number`; in the first warp only if `in_first_warp`.
void ask_for_number(ProgramBuilder& builder, isa::Register number, isa::Register pointer,
                    int buffer, bool in_first_warp = false);

}  // namespace tcsim::kernels
