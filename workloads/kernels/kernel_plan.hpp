#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/isa/residency.hpp"
#include "workloads/kernels/epilogue.hpp"
#include "workloads/kernels/gemm.hpp"
#include "workloads/kernels/library.hpp"
#include "workloads/kernels/operand.hpp"
#include "workloads/kernels/raster.hpp"
#include "workloads/kernels/tile_math.hpp"

namespace tcsim::kernels {

/// The extra cost of finding an operand's elements compared with walking through a matrix
/// (kernels.md 5.1).
struct AddressingCost {
  int registers = 0;
  double vector_factor = 1;  ///< on the vector integer instructions of a k-tile
  int uniform = 0;           ///< extra uniform instructions of a k-tile
  int per_load = 0;          ///< extra vector integer instructions of every load
};

/// The kind of kernel that a library would launch for a problem on an architecture.
struct Recipe {
  MathKind math = MathKind::kLdsm;
  Mover mover = Mover::kCopy;
  isa::Opcode mma = isa::Opcode::kHmma16816F32;  ///< kLdsm and kSparse
  isa::Opcode multiply = isa::Opcode::kFfma;     ///< kSimt only
  int word_elements = 1;  ///< kSimt: elements of A and B in the 32 bits that one lane multiplies
  int vector_elements_a = 8;
  int vector_elements_b = 8;
  bool has_uniform_datapath = true;
  bool has_packing = true;  ///< F2FP, F2IP, I2FP
  AddressingCost addressing{};
  /// The family whose tiles and rules apply; null only while a recipe is being made.
  std::shared_ptr<const KernelFamily> family{};
  /// A family of the same kernels that can only be asked for by name; null if there is none.
  std::shared_ptr<const KernelFamily> by_name{};
};

/// Why the formats of `problem` do not go with the factors of blocks that it has; null if they do.
const char* why_no_factors(const GemmProblem& problem);

/// Elements of A and B that are adjacent in memory.
struct Contiguous {
  std::int64_t a;
  std::int64_t b;
};
Contiguous contiguous_elements(const GemmProblem& problem);

/// Nothing if the machine lacks the instructions or its libraries have no such kernel; `reason`
/// states which.
std::optional<Recipe> find_recipe(const GemmProblem& problem, const Contiguous& contiguous,
                                  KernelUse use, const Target& target, std::string& reason);
inline std::optional<Recipe> find_recipe(const GemmProblem& problem, const Target& target,
                                         std::string& reason) {
  return find_recipe(problem, contiguous_elements(problem), KernelUse::kProduct, target, reason);
}

/// The kinds of kernels for `problem` from the first library of `target` that can build any: first
/// the ones whose warps are all alike, then warpgroup kernels. Empty if there are none; `reason`
/// states why.
std::vector<Recipe> recipes_for(const GemmProblem& problem, const Target& target,
                                std::string& reason);

/// The tiles of `recipe` that can be built.
std::vector<GemmTile> recipe_tiles(const Recipe& recipe, const GemmProblem& problem,
                                   const Target& target);

/// Registers of a thread, in the order of the fields; each part starts at a multiple of four.
struct RegisterPlan {
  int accumulators = 0;
  int fragments = 0;
  int staged_a = 0;  ///< LDG loads them, STS stores them
  int staged_b = 0;
  int staged_companion = 0;
  int turning = 0;  ///< two registers to transpose bytes that lie across k, if any do
  int staged_end = 0;
  int addresses = 0;
  int total = 0;

  [[nodiscard]] int address_count() const { return total - addresses; }
};

/// Everything that the parts of one kernel agree on.
struct KernelPlan {
  GemmProblem problem;  ///< as the kernel sees it: if words hold several elements, k counts words
  GemmTile tile;
  Recipe recipe;
  WarpGrid warps;
  Raster raster;
  Operand a;
  Operand b;
  /// Data that products need besides A and B: metadata of a sparse A (bytes whose rows run along m;
  /// k counts its steps) or scales of packed weights (rows run along n; k counts groups).
  std::optional<Operand> companion;
  std::unique_ptr<TileMath> math;
  RegisterPlan registers;
  OutputPlace output;
  EpiloguePost post{};
  std::optional<int> flags;         ///< buffer of the semaphores of serial split-K or stream-K
  std::optional<int> partial_sums;  ///< buffer in which CTAs hand over sums, with stream-K

  /// The operands that a k-tile brings to shared memory: A, B and their companion.
  [[nodiscard]] std::vector<const Operand*> operands() const;
  /// Vectors of a k-tile that one thread moves.
  [[nodiscard]] int copies() const;
  /// Most k-tiles that a CTA works through.
  [[nodiscard]] std::int64_t k_tiles() const { return raster.slices().tiles; }
  [[nodiscard]] MathRegisters math_registers() const;
  /// The epilogue that stores the result, with `following` after the sums.
  [[nodiscard]] Epilogue epilogue(const EpiloguePost& following) const;
  [[nodiscard]] Epilogue epilogue() const { return epilogue(post); }
  [[nodiscard]] int shared_bytes() const;
  /// What a CTA occupies on its SM.
  [[nodiscard]] isa::ResidencyNeeds needs() const {
    return {registers.total, shared_bytes(), warps.warps()};
  }
};

/// Requires why_not(...) to be empty for the tile's shape. Does not yet deal the k-tiles of
/// stream-K.
KernelPlan plan_kernel(const GemmProblem& asked, const GemmTile& tile, const Recipe& recipe);

/// The same for `target`; stream-K deals k-tiles to its SMs. Throws std::invalid_argument if there
/// is no plan.
KernelPlan plan_for(const GemmProblem& problem, const GemmTile& tile, const Target& target);

/// Adds the registers that the epilogue needs beyond those of the fragments. plan_kernel has called
/// it; call it again after a change of plan.post.
void make_room_for_epilogue(KernelPlan& plan);

/// why_not with the recipe for `target`; if there is no recipe, why not.
std::string why_no_tile(const GemmProblem& problem, const GemmTile& tile, const Target& target);

/// Why a warp's part of `tile` cannot hold the operands of `mma` for two steps at once; empty if it
/// can. Requires an MMA whose fragments LDSM loads.
std::string why_not_held(isa::Opcode mma, const GemmTile& tile, const GemmProblem& problem);

/// True if slices of k can add to D one after the other (GemmTile::serial_k).
bool may_take_turns(const GemmProblem& problem);

/// Why stream-K cannot deal `problem` to CTAs with `tile` (CUTLASS has no such kernel either);
/// empty if it can or is not asked for.
std::string stream_k_problem(const GemmProblem& problem, const GemmTile& tile);

/// Why no machine can build a tile of `family` for operands of `input`; empty if one may.
std::string tile_problem(const KernelFamily& family, const MenuTile& row, Element input);

/// The program of all warps, without name and buffers: A, B and the stored result, in this order.
isa::KernelLaunch make_launch(const KernelPlan& plan);

/// Tiles of `family` that can be generated.
std::vector<GemmTile> menu_tiles(const KernelFamily& family, Element input,
                                 const std::function<bool(const GemmTile&)>& can_generate);

/// Why `tile` cannot be generated for `problem` on `target` with `recipe`, in one sentence; empty
/// if it can.
std::string why_not(const GemmProblem& problem, const GemmTile& tile, const Recipe& recipe,
                    const Target& target);

}  // namespace tcsim::kernels
