#include <algorithm>
#include <iterator>

#include "workloads/kernels/kernel_plan.hpp"
#include "workloads/kernels/swapped_product.hpp"
#include "workloads/kernels/warp_specialised.hpp"
#include "workloads/kernels/warpgroup_plan.hpp"

namespace tcsim::kernels {

std::vector<GemmTile> menu_tiles(const KernelFamily& family, Element input,
                                 const std::function<bool(const GemmTile&)>& can_generate) {
  std::vector<GemmTile> tiles;
  for (const GemmTile& tile : family.menu(input))
    if (can_generate(tile)) tiles.push_back(tile);
  return tiles;
}

namespace {

/// The menu of `family` for `problem`. If B has to be the first operand of warpgroups, the tiles of
/// a family with A first are exchanged, as CUTLASS does.
std::vector<GemmTile> menu_for(const KernelFamily& family, const GemmProblem& problem) {
  std::vector<GemmTile> menu = family.menu(problem.input);
  if (family.math != MathKind::kGroup || family.has_both_orders ||
      !warpgroups::takes_b_first(problem))
    return menu;
  for (GemmTile& tile : menu) {
    tile = swapped(tile);
    tile.swapped = true;
  }
  return menu;
}

}  // namespace

std::vector<GemmTile> recipe_tiles(const Recipe& recipe, const GemmProblem& problem,
                                   const Target& target) {
  std::vector<GemmTile> tiles = menu_for(*recipe.family, problem);
  std::erase_if(
      tiles, [&](const GemmTile& tile) { return !why_not(problem, tile, recipe, target).empty(); });
  return tiles;
}

namespace {

/// Position of `family`'s library among the libraries of `target`.
std::size_t place_of(const KernelFamily& family, const Target& target) {
  const auto found = std::ranges::find(target.libraries, family.library,
                                       [](const auto& library) { return library->name; });
  return static_cast<std::size_t>(found - target.libraries.begin());
}

/// The tile of `menu`, none of which can be built, that tells best why: for contiguous groups, one
/// with the fewest rows among those that lack only rows that are multiples of theirs.
GemmTile telling_tile(const std::vector<GemmTile>& menu, GemmProblem problem, const Recipe& recipe,
                      const Target& target) {
  const auto rows = [](const GemmTile& tile) { return tile.m * tile.cluster_m; };
  std::vector<GemmTile> fitting;
  if (problem.is_grouped() && !problem.groups.is_masked()) {
    problem.groups.layout = GroupLayout::kMasked;  // which takes any number of rows
    std::ranges::copy_if(menu, std::back_inserter(fitting), [&](const GemmTile& tile) {
      return why_not(problem, tile, recipe, target).empty();
    });
  }
  return fitting.empty() ? menu.back() : *std::ranges::min_element(fitting, {}, rows);
}

/// True if a kernel of `recipe` with a tile of `menu` can be built.
bool can_build(const Recipe& recipe, const std::vector<GemmTile>& menu, const GemmProblem& problem,
               const Target& target) {
  return std::ranges::any_of(
      menu, [&](const GemmTile& tile) { return why_not(problem, tile, recipe, target).empty(); });
}

/// The warpgroup recipe, if one of its tiles can be built; otherwise why not.
std::optional<Recipe> buildable_warpgroups(const GemmProblem& problem, const Target& target,
                                           std::string& reason) {
  std::optional<Recipe> recipe = find_warp_specialised(problem, target, reason);
  if (!recipe) return recipe;
  const std::vector<GemmTile> menu = menu_for(*recipe->family, problem);
  if (can_build(*recipe, menu, problem, target)) return recipe;
  reason = why_not(problem, telling_tile(menu, problem, *recipe, target), *recipe, target);
  return std::nullopt;
}

}  // namespace

std::vector<Recipe> recipes_for(const GemmProblem& problem, const Target& target,
                                std::string& reason) {
  std::vector<Recipe> recipes;
  if (auto alike = find_recipe(problem, target, reason)) recipes.push_back(*alike);
  if (!target.features.warpgroups) return recipes;
  std::string why_no_warpgroups;
  const std::optional<Recipe> warpgroups = buildable_warpgroups(problem, target, why_no_warpgroups);
  if (!warpgroups) {
    const bool is_theirs = recipes.empty() && warpgroups::formats_of(problem).has_value();
    if (is_theirs) reason = why_no_warpgroups;
    return recipes;
  }
  if (!recipes.empty()) {
    const std::size_t mine = place_of(*recipes.front().family, target);
    const std::size_t theirs = place_of(*warpgroups->family, target);
    if (theirs > mine) return recipes;
    if (theirs < mine) recipes.clear();
  }
  recipes.push_back(*warpgroups);
  return recipes;
}

std::vector<GemmTile> gemm_tiles(const GemmProblem& problem, const Target& target) {
  std::string reason;
  std::vector<GemmTile> tiles;
  for (const Recipe& recipe : recipes_for(problem, target, reason))
    std::ranges::copy(recipe_tiles(recipe, problem, target), std::back_inserter(tiles));
  return tiles;
}

std::string why_no_kernel(const GemmProblem& problem, const Target& target) {
  std::string reason;
  const std::vector<Recipe> recipes = recipes_for(problem, target, reason);
  if (recipes.empty()) return reason;
  if (std::ranges::any_of(recipes, [&](const Recipe& recipe) {
        return can_build(recipe, menu_for(*recipe.family, problem), problem, target);
      }))
    return {};
  return "no tile of the menu fits into an SM of the machine";
}

}  // namespace tcsim::kernels
