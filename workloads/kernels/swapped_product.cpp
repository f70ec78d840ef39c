#include "workloads/kernels/swapped_product.hpp"

#include <utility>

namespace tcsim::kernels {
namespace {

Layout opposite(Layout layout) {
  return layout == Layout::kNormal ? Layout::kTransposed : Layout::kNormal;
}

}  // namespace

GemmProblem swapped(GemmProblem problem) {
  std::swap(problem.m, problem.n);
  const Layout first = opposite(problem.layout_b);
  problem.layout_b = opposite(problem.layout_a);
  problem.layout_a = first;
  return problem;
}

GemmTile swapped(GemmTile tile) {
  std::swap(tile.m, tile.n);
  std::swap(tile.warps_m, tile.warps_n);
  std::swap(tile.cluster_m, tile.cluster_n);
  return tile;
}

}  // namespace tcsim::kernels
