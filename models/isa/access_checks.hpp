#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/isa/launch.hpp"

namespace tcsim::isa {

/// Problems of `instruction`, a memory instruction in `program`, that trap on hardware for any
/// values of the variables other than the lane: registers, alignment, places outside buffers and
/// shared memory, flags that several lanes touch. One sentence each. Addresses are not checked if
/// lanes may have left the warp before, or a branch may skip the instruction. Requires that
/// `program` is one of `launch`, and that the guard, access and buffer exist.
std::vector<std::string> access_problems(const KernelLaunch& launch, const WarpProgram& program,
                                         const Instruction& instruction, bool lanes_left);

/// True if `instruction` is an EXIT of only some lanes of a warp.
bool ends_lanes(const WarpProgram& program, const Instruction& instruction);

/// Why `bytes` bytes at `address`, a cluster_address, are in no CTA's shared memory in `lane`;
/// empty if they may be.
std::string cluster_place_problem(const KernelLaunch& launch, const Expression& address, int lane,
                                  std::int64_t bytes);

}  // namespace tcsim::isa
