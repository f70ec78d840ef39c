#pragma once

#include <cstdint>
#include <string>

#include "models/isa/launch.hpp"
#include "models/isa/timing.hpp"

namespace tcsim::microbench {

/// A launch of `ctas` CTAs whose `warps` warps all run `program`, assembled for a machine with
/// `timing`. Register and shared-memory needs are those of the program; `shared_bytes` reserves at
/// least that much.
isa::KernelLaunch one_program_launch(isa::WarpProgram program, const isa::TimingTable& timing,
                                     std::int64_t ctas, int warps, int shared_bytes = 0);

}  // namespace tcsim::microbench
