#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "models/numerics/execute.hpp"
#include "sim/rtl/warp_unit.hpp"

namespace tcsim::rtl {

using Registers = std::vector<RegisterImage>;

/// Whether the warp-level unit of `generation` (Volta, Ampere) computes `instruction`.
bool has_instruction(numerics::Generation generation, const numerics::MmaInstruction& instruction);

/// The instruction as the unit takes it, with all registers of C; of Volta it is that of step 0.
/// Requires has_instruction.
WarpMma warp_mma(const numerics::MmaInstruction& instruction,
                 const numerics::MmaOperands& operands);

/// Lane-major words, as numerics has them, as one image for each register; and back.
Registers registers_of(std::span<const std::uint32_t> words);
std::vector<std::uint32_t> words_of(const Registers& registers);

/// The unit of `generation`; nothing where rtl/ has none.
std::unique_ptr<WarpUnit> make_warp_unit(numerics::Generation generation);

}  // namespace tcsim::rtl
