#include "workloads/kernels/kernel_plan.hpp"

namespace tcsim::kernels {

std::vector<GemmTile> menu_tiles(const KernelFamily& family, Element input,
                                 const std::function<bool(const GemmTile&)>& can_generate) {
  std::vector<GemmTile> tiles;
  for (const GemmTile& tile : family.menu(input))
    if (can_generate(tile)) tiles.push_back(tile);
  return tiles;
}

std::vector<GemmTile> gemm_tiles(const GemmProblem& problem, const Target& target) {
  std::string reason;
  const std::optional<Recipe> recipe = find_recipe(problem, target, reason);
  if (!recipe) return {};
  return menu_tiles(*recipe->family, problem.input, [&](const GemmTile& tile) {
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
