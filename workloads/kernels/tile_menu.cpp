#include <array>
#include <span>

#include "workloads/kernels/kernel_plan.hpp"

namespace tcsim::kernels {
namespace {

/// A row of kernels.md 1.2: one CTA tile with the range of stages in which libraries build it.
struct MenuRow {
  int m, n, k;
  int warps_m, warps_n;
  int least_stages, most_stages;
  int sliced_k = 1;
};

// Ampere and Hopper mma.sync; k in units of 16-bit elements of A that are stored. Where A is sparse
// the same tiles, twice as deep (assumption), with the stages that fit.
constexpr std::array kCopyingTensorMenu{
    MenuRow{256, 128, 64, 4, 2, 3, 3},
    MenuRow{128, 256, 64, 2, 4, 3, 3},
    MenuRow{256, 128, 32, 4, 2, 3, 3},
    MenuRow{128, 256, 32, 2, 4, 3, 3},
    MenuRow{128, 128, 64, 2, 2, 3, 4},
    MenuRow{128, 128, 32, 2, 2, 3, 5},
    MenuRow{256, 64, 64, 4, 1, 3, 4},
    MenuRow{64, 256, 64, 1, 4, 3, 4},
    MenuRow{256, 64, 32, 4, 1, 3, 4},
    MenuRow{64, 256, 32, 1, 4, 4, 4},
    MenuRow{128, 64, 64, 2, 2, 3, 4},
    MenuRow{64, 128, 64, 2, 2, 3, 4},
    MenuRow{128, 64, 32, 2, 2, 6, 6},
    MenuRow{64, 128, 32, 2, 2, 6, 6},
    MenuRow{64, 64, 64, 2, 2, 5, 6},
    MenuRow{64, 64, 32, 2, 2, 10, 10},
    // cuBLAS's 64x64_sliced1x2, kernels.md 4.1; its warps are our reading of 128 threads.
    MenuRow{64, 64, 64, 1, 2, 5, 6, 2},
};

// Volta and Turing, and wherever operands are too badly aligned for LDGSTS; k in units of 16-bit
// elements.
constexpr std::array kStagedTensorMenu{
    MenuRow{256, 128, 32, 4, 2, 2, 2},   MenuRow{128, 256, 32, 2, 4, 2, 2},
    MenuRow{128, 128, 32, 2, 2, 2, 2},   MenuRow{256, 64, 32, 4, 1, 2, 2},
    MenuRow{64, 256, 32, 1, 4, 2, 2},    MenuRow{128, 64, 32, 2, 2, 2, 2},
    MenuRow{64, 128, 32, 2, 2, 2, 2},    MenuRow{64, 64, 32, 2, 2, 2, 2},
    MenuRow{64, 128, 64, 1, 2, 2, 2, 2},  // not on Volta
};

// INT8 with scaled 16-bit results: the kernels of TensorRT-LLM's SmoothQuant plugin for sm_80,
// three to six stages (int8_gemm_template.h, cutlass_heuristic.cpp; what it calls 128x64 is
// 128x128). k in units of 16-bit elements.
constexpr std::array kScaledInt8Menu{
    MenuRow{256, 128, 32, 4, 2, 3, 6}, MenuRow{128, 256, 32, 2, 4, 3, 6},
    MenuRow{128, 128, 32, 2, 4, 3, 6}, MenuRow{64, 128, 32, 1, 4, 3, 6},
    MenuRow{32, 128, 32, 1, 4, 3, 6},  MenuRow{64, 64, 64, 2, 1, 3, 6, 2},
};

// FP64 (DMMA.884); warps of 128x64 as in the counted kernel, of the others by the same rule.
constexpr std::array kDoubleMenu{
    MenuRow{128, 128, 16, 4, 2, 3, 3}, MenuRow{256, 64, 16, 4, 2, 3, 3},
    MenuRow{64, 256, 16, 2, 4, 3, 3},  MenuRow{128, 64, 16, 4, 2, 3, 3},
    MenuRow{64, 128, 16, 2, 4, 3, 3},  MenuRow{64, 64, 16, 2, 2, 4, 4},
    MenuRow{64, 32, 16, 2, 2, 4, 4},   MenuRow{32, 64, 16, 2, 2, 4, 4},
    MenuRow{32, 32, 16, 2, 2, 5, 5},
};

// FP32; two stages where tiles go through registers, five with LDGSTS.
constexpr std::array kSimtMenu{
    MenuRow{256, 128, 8, 8, 2, 2, 5}, MenuRow{128, 256, 8, 4, 4, 2, 5},
    MenuRow{128, 128, 8, 4, 2, 2, 5}, MenuRow{128, 64, 8, 4, 1, 2, 5},
    MenuRow{64, 128, 8, 2, 2, 2, 5},  MenuRow{32, 128, 8, 1, 2, 2, 5},
    MenuRow{64, 64, 8, 2, 1, 2, 5},
};

std::span<const MenuRow> menu(const Recipe& recipe) {
  if (recipe.math == MathKind::kSimt) return kSimtMenu;
  if (recipe.math == MathKind::kDouble) return kDoubleMenu;
  if (recipe.mover == Mover::kCopy) return kCopyingTensorMenu;
  return kStagedTensorMenu;
}

std::vector<GemmTile> tiles_of(std::span<const MenuRow> rows, const Recipe& recipe, Element input,
                               const std::function<bool(const GemmTile&)>& can_generate) {
  std::vector<GemmTile> tiles;
  const bool is_simt = recipe.math == MathKind::kSimt;
  const bool counts_elements = is_simt || recipe.math == MathKind::kDouble;
  const bool copies = recipe.mover == Mover::kCopy;
  const int depth = recipe.math == MathKind::kSparse ? 2 : 1;
  for (const MenuRow& row : rows) {
    if (row.sliced_k > 1 && recipe.math == MathKind::kQuadPair) continue;
    const int most = is_simt && !copies ? row.least_stages : row.most_stages;
    const int least = is_simt ? most : depth == 2 ? 3 : row.least_stages;
    for (int stages = most; stages >= least; --stages) {
      const GemmTile tile{.m = row.m,
                          .n = row.n,
                          .k = counts_elements ? row.k : row.k * 2 / element_bytes(input) * depth,
                          .stages = stages,
                          .warps_m = row.warps_m,
                          .warps_n = row.warps_n,
                          .sliced_k = row.sliced_k};
      if (can_generate(tile)) tiles.push_back(tile);
    }
  }
  return tiles;
}

}  // namespace

std::vector<GemmTile> menu_tiles(const Recipe& recipe, Element input,
                                 const std::function<bool(const GemmTile&)>& can_generate) {
  return tiles_of(menu(recipe), recipe, input, can_generate);
}

bool is_scaled_int8(const GemmProblem& problem, const Recipe& recipe) {
  return problem.input == Element::kInt8 && element_bytes(problem.output) == 2 &&
         recipe.math == MathKind::kLdsm && recipe.mover == Mover::kCopy;
}

std::vector<GemmTile> gemm_tiles(const GemmProblem& problem, const Target& target) {
  std::string reason;
  const std::optional<Recipe> recipe = find_recipe(problem, target, reason);
  if (!recipe) return {};
  const std::span<const MenuRow> rows =
      is_scaled_int8(problem, *recipe) ? std::span<const MenuRow>(kScaledInt8Menu) : menu(*recipe);
  return tiles_of(rows, *recipe, problem.input, [&](const GemmTile& tile) {
    return why_not(problem, tile, *recipe, target).empty();
  });
}

std::string why_no_kernel(const GemmProblem& problem, const Target& target) {
  std::string reason;
  const std::optional<Recipe> recipe = find_recipe(problem, target, reason);
  if (!recipe) return reason;
  if (!gemm_tiles(problem, target).empty()) return {};
  return "no tile of the menu fits into an SM of the machine";
}

}  // namespace tcsim::kernels
