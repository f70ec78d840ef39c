#pragma once

#include <string>
#include <vector>

#include "models/isa/launch.hpp"

namespace tcsim::isa {

/// What is wrong with instruction `index` of `program` as far as asynchronous hardware is
/// concerned: its operands, its warpgroup. One sentence each.
std::vector<std::string> async_problems(const KernelLaunch& launch, const WarpProgram& program,
                                        std::size_t index);

/// What is wrong with the clusters and the tensor maps of `launch`, and with the registers that its
/// programs ask for by USETMAXREG.
std::vector<std::string> async_problems(const KernelLaunch& launch);

/// Registers that a thread may name behind `instruction`, if it might name `registers` before:
/// those that USETMAXREG sets. Where not every warp executes it, the more of both.
int registers_behind(const Instruction& instruction, int registers);

}  // namespace tcsim::isa
