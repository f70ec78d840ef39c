#pragma once

#include <cstdint>
#include <string>

#include "workloads/kernels/attention/attention.hpp"

namespace tcsim::kernels {

/// Rows of Q per CTA, keys per block, warps (they divide the rows), and the number of CTAs that
/// share one row of tiles by dividing its keys.
struct FusedTile {
  int rows = 128;
  int keys = 64;
  int warps = 4;
  int splits = 1;
  bool keeps_query = false;  ///< fragments of Q stay in registers, V takes its shared memory
  /// One persistent CTA per SM (two if they have four warps): registers allow no more. Tiles with
  /// the most keys come first.
  bool is_persistent = false;
  /// Only for FusedForm::kWarpgroups: `warps` are the multiplying warps; another warpgroup loads.
  bool has_roles = false;
  /// With roles: probabilities go to the second product through shared memory instead of registers.
  bool probabilities_in_shared = false;

  /// With roles: the heads of a group are rows of one tile, as with pages.
  bool packs_heads = false;

  /// "128x64_w4" for rows, keys and warps, "_splitkv8" if keys are split.
  [[nodiscard]] std::string text() const;
};

/// How a machine's tensor cores read fragments, and how tiles reach shared memory.
enum class FusedForm : std::uint8_t {
  kAsync,       ///< Ampere and later: HMMA.16816 and similar, LDSM, LDGSTS
  kTuring,      ///< HMMA.1688, LDSM; tiles pass through registers
  kQuadPairs,   ///< Volta: HMMA.884, LDS.128; tiles pass through registers
  kWarpgroups,  ///< Hopper, in addition to kAsync: wgmma, TMA, warps with roles
};

/// The mma.sync form of `target`. Requires a machine with tensor cores.
FusedForm form_of(const Target& target);

/// True if `target` runs kernels of `form`. Requires a machine with tensor cores.
bool has_form(const Target& target, FusedForm form);

/// The MMA of the fused kernels of `form` for operands of `element`.
isa::Opcode fused_mma(FusedForm form, Element element);

/// True if the machine has the MMA of the fused forward kernel for operands of `element`.
bool has_fused_mma(const Target& target, Element element);

/// The tile that the libraries of `target` pick, or the tile of the block that `problem` asks for.
/// Few rows with many keys are split over CTAs. Requires fused_problem(...) to be empty.
FusedTile choose_fused_tile(const AttentionProblem& problem, const Target& target);

/// Why no fused kernel of `tile` can be built, in one sentence; empty if one can.
std::string why_not_fused(const AttentionProblem& problem, const FusedTile& tile,
                          const Target& target);

/// Why the fused kernel cannot be generated or no library has it, in one sentence; empty if it can
/// and one has.
std::string fused_problem(const AttentionProblem& problem, const Target& target);

}  // namespace tcsim::kernels
