#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "models/isa/program.hpp"

namespace tcsim::kernels::testing {

/// The 256 registers of each lane of a warp.
using LaneRegisters = std::array<std::uint32_t, 256>;
using WarpRegisters = std::array<LaneRegisters, 32>;

constexpr std::size_t index(int i) { return static_cast<std::size_t>(i); }

/// Executes an MMA in plain float or integer arithmetic, fragments as in numerics.md 13.
void execute_mma(const isa::Instruction& instruction, WarpRegisters& registers);

}  // namespace tcsim::kernels::testing
