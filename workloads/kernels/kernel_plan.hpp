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

/// What finding an operand's elements costs beyond walking through a matrix (kernels.md 5.1).
struct AddressingCost {
  int registers = 0;
  double vector_factor = 1;  ///< on the vector integer instructions of a k-tile
  int uniform = 0;           ///< further uniform instructions of a k-tile
  int per_load = 0;          ///< further vector integer instructions of every load
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
  /// Whose tiles and rules hold; null only while a recipe is being made.
  std::shared_ptr<const KernelFamily> family{};
  /// Of the same kernels, asked for by name only; null if there are none.
  std::shared_ptr<const KernelFamily> by_name{};
};

/// Elements of A and B that lie side by side in memory.
struct Contiguous {
  std::int64_t a;
  std::int64_t b;
};
Contiguous contiguous_elements(const GemmProblem& problem);

/// Nothing if the machine lacks the instructions or its libraries have no such kernel; `reason`
/// says which.
std::optional<Recipe> find_recipe(const GemmProblem& problem, const Contiguous& contiguous,
                                  KernelUse use, const Target& target, std::string& reason);
inline std::optional<Recipe> find_recipe(const GemmProblem& problem, const Target& target,
                                         std::string& reason) {
  return find_recipe(problem, contiguous_elements(problem), KernelUse::kProduct, target, reason);
}

/// The kinds of kernels for `problem` of the first library of `target` that can build any: those
/// whose warps are all alike, then those of warpgroups. Empty if there are none; `reason` says why.
std::vector<Recipe> recipes_for(const GemmProblem& problem, const Target& target,
                                std::string& reason);

/// The tiles of `recipe` that can be built.
std::vector<GemmTile> recipe_tiles(const Recipe& recipe, const GemmProblem& problem,
                                   const Target& target);

/// Registers of a thread, in the order of the fields; each part starts at a multiple of four.
struct RegisterPlan {
  int accumulators = 0;
  int fragments = 0;
  int staged_a = 0;  ///< what LDG loads and STS stores
  int staged_b = 0;
  int staged_companion = 0;
  int turning = 0;  ///< two by which bytes across k are turned, if any are
  int staged_end = 0;
  int addresses = 0;
  int total = 0;

  [[nodiscard]] int address_count() const { return total - addresses; }
};

/// Everything that the parts of one kernel agree on.
struct KernelPlan {
  GemmProblem problem;  ///< as the kernel sees it: k counts words where they hold several elements
  GemmTile tile;
  Recipe recipe;
  WarpGrid warps;
  Raster raster;
  Operand a;
  Operand b;
  /// What products need besides A and B: metadata of a sparse A, bytes whose rows run along m, k
  /// counts its steps; scales of packed weights, whose rows run along n, k counts groups.
  std::optional<Operand> companion;
  std::unique_ptr<TileMath> math;
  RegisterPlan registers;
  OutputPlace output;
  EpiloguePost post{};
  std::optional<int> flags;         ///< buffer of the semaphores of serial split-K
  std::optional<int> partial_sums;  ///< buffer by which they hand over sums, with stream-K

  /// What a k-tile brings to shared memory: A, B, their companion.
  [[nodiscard]] std::vector<const Operand*> operands() const;
  /// Vectors of a k-tile that one thread moves.
  [[nodiscard]] int copies() const;
  /// k-tiles that a CTA works through, at most.
  [[nodiscard]] std::int64_t k_tiles() const { return raster.slices().tiles; }
  [[nodiscard]] MathRegisters math_registers() const;
  /// What stores the result, with `following` behind the sums.
  [[nodiscard]] Epilogue epilogue(const EpiloguePost& following) const;
  [[nodiscard]] Epilogue epilogue() const { return epilogue(post); }
  [[nodiscard]] int shared_bytes() const;
  /// What a CTA takes.
  [[nodiscard]] isa::ResidencyNeeds needs() const {
    return {registers.total, shared_bytes(), warps.warps()};
  }
};

/// Requires why_not(...) to be empty for the tile's shape. The k-tiles of stream-K are not dealt
/// yet.
KernelPlan plan_kernel(const GemmProblem& asked, const GemmTile& tile, const Recipe& recipe);

/// The same for `target`, to whose SMs stream-K deals k-tiles. Throws std::invalid_argument where
/// there is none.
KernelPlan plan_for(const GemmProblem& problem, const GemmTile& tile, const Target& target);

/// Adds the registers that the epilogue needs beyond those of the fragments. plan_kernel has done
/// so; behind a change of plan.post it is due again.
void make_room_for_epilogue(KernelPlan& plan);

/// why_not with the recipe for `target`; why there is none, if so.
std::string why_no_tile(const GemmProblem& problem, const GemmTile& tile, const Target& target);

/// Why a warp's part of `tile` does not hold the operands of `mma`, those of the next step beside
/// them; empty if it does. Requires an MMA whose fragments LDSM loads.
std::string why_not_held(isa::Opcode mma, const GemmTile& tile, const GemmProblem& problem);

/// Why stream-K does not deal `problem` to CTAs with `tile`, as CUTLASS has no such kernel either;
/// empty if it does or is not asked for.
std::string stream_k_problem(const GemmProblem& problem, const GemmTile& tile);

/// Why no machine can build a tile of `family` for operands of `input`; empty if one may.
std::string tile_problem(const KernelFamily& family, const MenuTile& row, Element input);

/// The program of all warps, without name and buffers: A, B and the stored result in this order.
isa::KernelLaunch make_launch(const KernelPlan& plan);

/// Tiles of `family` that can be generated.
std::vector<GemmTile> menu_tiles(const KernelFamily& family, Element input,
                                 const std::function<bool(const GemmTile&)>& can_generate);

/// Why `tile` cannot be generated for `problem` on `target` with `recipe`, in one sentence; empty
/// if it can.
std::string why_not(const GemmProblem& problem, const GemmTile& tile, const Recipe& recipe,
                    const Target& target);

}  // namespace tcsim::kernels
