#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "models/numerics/execute.hpp"
#include "sim/rtl/warp_unit.hpp"

namespace tcsim::rtl {

using Registers = std::vector<RegisterImage>;

/// Whether the warp-level unit of `generation` computes `instruction`: mma.sync on Volta and
/// Ampere, wgmma on Hopper.
bool has_instruction(numerics::Generation generation, const numerics::MmaInstruction& instruction);

/// Calls `take` for each warp that executes a part of `instruction`, one warp or the four of a
/// wgmma, with its number among them and its registers. B, which the four read from shared memory,
/// is passed as if each had the registers of mma.sync for every eight columns, one after another.
void for_each_warp(const numerics::MmaInstruction& instruction,
                   const numerics::MmaOperands& operands,
                   const std::function<void(int, const numerics::MmaOperands&)>& take);

/// A warp's part of the instruction, as the unit takes it, with all registers of C, but none for a
/// wgmma whose sums are zero; on Volta it is that of step 0. Requires has_instruction.
WarpMma warp_mma(const numerics::MmaInstruction& instruction,
                 const numerics::MmaOperands& operands);

/// The words of warp `warp` among those of a warpgroup, or of a single warp.
std::span<const std::uint32_t> words_of_warp(const numerics::MmaInstruction& instruction,
                                             std::span<const std::uint32_t> words, int warp);

/// Lane-major words, as in models/numerics, as one image for each register; and the inverse.
Registers registers_of(std::span<const std::uint32_t> words);
std::vector<std::uint32_t> words_of(const Registers& registers);

/// The unit of `generation`; empty if rtl/ has none.
std::unique_ptr<WarpUnit> make_warp_unit(numerics::Generation generation);

}  // namespace tcsim::rtl
