#pragma once

#include <string>
#include <vector>

#include "models/isa/launch.hpp"

namespace tcsim::isa {

/// Problems of instruction `index` of `program` that concern asynchronous hardware: its operands,
/// its warpgroup. One sentence each.
std::vector<std::string> async_problems(const KernelLaunch& launch, const WarpProgram& program,
                                        std::size_t index);

/// Problems of the clusters and the tensor maps of `launch`, and of the registers that its programs
/// request by USETMAXREG.
std::vector<LaunchProblem> async_problems(const KernelLaunch& launch);

/// Registers that a thread may name after `instruction`, if it could name `registers` before: the
/// number that USETMAXREG sets. If not every warp executes it, the larger of both.
int registers_behind(const Instruction& instruction, int registers);

}  // namespace tcsim::isa
