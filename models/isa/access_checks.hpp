#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/isa/launch.hpp"

namespace tcsim::isa {

/// What traps on hardware in `instruction`, one of memory in `program`, whatever the variables but
/// the lane are: registers, alignment, places outside buffers and shared memory. One sentence each.
/// Of addresses nothing is said where lanes may have left the warp before, or a branch may pass by.
/// Requires that its guard, access and buffer exist.
std::vector<std::string> access_problems(const KernelLaunch& launch, const WarpProgram& program,
                                         const Instruction& instruction, bool lanes_left);

/// True if `instruction` is an EXIT of some lanes of a warp.
bool ends_lanes(const WarpProgram& program, const Instruction& instruction);

/// Why `bytes` bytes at `address`, a cluster_address, lie in no CTA's shared memory in `lane`;
/// empty where they may.
std::string cluster_place_problem(const KernelLaunch& launch, const Expression& address, int lane,
                                  std::int64_t bytes);

}  // namespace tcsim::isa
