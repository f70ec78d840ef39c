#include "workloads/kernels/conv/implicit_stream.hpp"

#include <stdexcept>

#include "workloads/kernels/conv/conv_buffers.hpp"
#include "workloads/kernels/cost_model.hpp"
#include "workloads/kernels/split_k_reduction.hpp"

namespace tcsim::kernels {
namespace {

Recipe required_recipe(const ImplicitGemm& gemm, const Target& target) {
  std::string reason;
  const std::optional<Recipe> recipe = gemm.recipe(target, reason);
  if (!recipe) throw std::invalid_argument("conv: " + reason);
  return *recipe;
}

std::string kernel_name(const ConvProblem& problem, const GemmTile& tile) {
  constexpr const char* kPasses[] = {"fprop", "dgrad", "wgrad"};
  return std::string("conv_") + kPasses[static_cast<int>(problem.pass)] + "_" + tile.text();
}

}  // namespace

std::string why_not_implicit(const ImplicitGemm& gemm, const GemmTile& tile, const Recipe& recipe,
                             const Target& target) {
  if (tile.split_k > 1 && !gemm.may_split())
    return "groups and strided data gradients are not split along k";
  return why_not(gemm.product(tile.k), tile, recipe, target);
}

std::vector<GemmTile> implicit_tiles(const ImplicitGemm& gemm, const Target& target) {
  std::string reason;
  const std::optional<Recipe> recipe = gemm.recipe(target, reason);
  if (!recipe) return {};
  return menu_tiles(*recipe, gemm.product(1).input, [&](const GemmTile& tile) {
    return why_not_implicit(gemm, tile, *recipe, target).empty();
  });
}

GemmTile choose_implicit_tile(const ImplicitGemm& gemm, const Target& target) {
  const Recipe recipe = required_recipe(gemm, target);
  const auto planner = [&](const GemmTile& tile) { return gemm.plan(tile, recipe); };
  return choose_from(implicit_tiles(gemm, target), planner, gemm.may_split(), target);
}

double estimate_implicit(const ImplicitGemm& gemm, const GemmTile& tile, const Target& target) {
  return estimate_cycles(gemm.plan(tile, required_recipe(gemm, target)), target);
}

std::vector<isa::KernelLaunch> implicit_stream(const ConvProblem& problem, const ImplicitGemm& gemm,
                                               const GemmTile& tile, const Target& target) {
  const KernelPlan plan = gemm.plan(tile, required_recipe(gemm, target));
  ConvBuffers buffers(problem);
  std::vector<isa::KernelLaunch> stream{make_launch(plan)};
  stream.front().name = kernel_name(problem, tile);
  stream.front().buffers = {buffers.a(), buffers.b(), buffers.result()};
  if (tile.split_k == 1) return stream;
  const isa::Buffer workspace = buffers.workspace(
      "workspace", plan.problem.m * plan.problem.n * tile.split_k, problem.accumulate);
  stream.front().buffers.back() = workspace;
  isa::KernelLaunch reduction = make_reduction(plan);
  reduction.name = "conv_splitk_reduce_" + std::to_string(tile.split_k);
  reduction.buffers = {as_input(workspace), buffers.result()};
  stream.push_back(std::move(reduction));
  return stream;
}

}  // namespace tcsim::kernels
