#pragma once

#include <cstdint>

#include "models/isa/launch.hpp"
#include "models/isa/timing.hpp"

namespace tcsim::microbench {

/// A launch of `ctas` CTAs whose `warps` warps all run `program`, assembled for a machine with
/// `timing`. Registers are those of the program; a CTA takes `shared_bytes` of shared memory, which
/// must be as many as the program uses.
isa::KernelLaunch one_program_launch(isa::WarpProgram program, const isa::TimingTable& timing,
                                     std::int64_t ctas, int warps, int shared_bytes = 0);

}  // namespace tcsim::microbench
