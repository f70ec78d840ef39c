#include "workloads/kernels/conv/implicit_method.hpp"

#include "workloads/kernels/conv/conv_buffers.hpp"
#include "workloads/kernels/cost_model.hpp"
#include "workloads/kernels/cta_room.hpp"
#include "workloads/kernels/split_k_reduction.hpp"

namespace tcsim::kernels {
namespace {

std::string kernel_name(ConvPass pass, const GemmTile& tile) {
  constexpr std::array kPasses{"fprop", "dgrad", "wgrad"};
  return std::string("conv_") + kPasses[static_cast<std::size_t>(pass)] + "_" + tile.text();
}

/// The recipe's family does not depend on packing.
bool packs_taps(const ConvProblem& problem, bool is_analytic, const Target& target,
                ImplicitGemm::Order order) {
  std::string reason;
  const ImplicitGemm packing(problem, is_analytic, order, /*packs_taps=*/true);
  const std::optional<Recipe> recipe = packing.recipe(target, reason);
  return !recipe || recipe->family->packs_taps;
}

}  // namespace

ImplicitMethod::ImplicitMethod(const ConvProblem& problem, bool is_analytic, Target target,
                               ImplicitGemm::Order order)
    : ConvMethod(problem, std::move(target)),
      order_(order),
      gemm_(problem, is_analytic, order, packs_taps(problem, is_analytic, target_, order)),
      recipe_(gemm_.recipe(target_, reason_)) {}

std::string ImplicitMethod::why_not() const {
  if (!recipe_) return reason_;
  return tiles().empty() ? "no tile of the menu fits into an SM of the machine" : "";
}

std::string ImplicitMethod::why_no_tile(const GemmTile& tile) const {
  if (tile.split_k > 1 && gemm_.has_post())
    return "products with a fused scale, bias, residual or activation are not split along k "
           "(fused=0)";
  if (tile.split_k > 1 && !gemm_.may_split())
    return "groups and strided data gradients are not split along k";
  if (tile.serial_k || tile.stream_k) return "CTAs take turns at a tile only in products";
  if (std::string reason = kernels::why_not(gemm_.product(tile.k), tile, *recipe_, target_);
      !reason.empty() || !gemm_.has_post())
    return reason;
  const KernelPlan plan = gemm_.plan(tile, *recipe_);
  if (!plan.epilogue().keeps_columns()) return "the tile has more columns than threads";
  return why_no_room(plan.needs(), target_);
}

std::vector<GemmTile> ImplicitMethod::tiles() const {
  return menu_tiles(*recipe_->family, problem_.input,
                    [&](const GemmTile& tile) { return why_no_tile(tile).empty(); });
}

TileMenu ImplicitMethod::menu() const {
  return {tiles(),
          [this](const GemmTile& tile) { return why_no_tile(tile); },
          [this](const GemmTile& a, const GemmTile& b) { return estimate(a) < estimate(b); },
          /*has_any_roles=*/false,
          {recipe_->family->library}};
}

std::vector<Candidate> ImplicitMethod::candidates() const {
  const auto planner = [&](const GemmTile& tile) { return gemm_.plan(tile, *recipe_); };
  const KernelFamily& family = *recipe_->family;
  // Slices that take turns are those of products: why_no_tile.
  const bool may_split =
      gemm_.may_split() && family.may_cut(problem_.input) && !family.slices.serial;
  return candidates_from(tiles(), planner, may_split, target_);
}

double ImplicitMethod::estimate(const GemmTile& tile) const {
  return estimate_cycles(gemm_.plan(tile, *recipe_), target_);
}

std::vector<isa::KernelLaunch> ImplicitMethod::stream(const GemmTile& tile) const {
  const KernelPlan plan = gemm_.plan(tile, *recipe_);
  ConvBuffers buffers(problem_);
  std::vector<isa::KernelLaunch> stream{make_launch(plan)};
  constexpr std::array kOrders{"", "_nhwc2nchw", "_nchw"};
  stream.front().name =
      kernel_name(problem_.pass, tile) + kOrders.at(static_cast<std::size_t>(order_));
  stream.front().buffers = {buffers.a(), buffers.b(), buffers.result()};
  if (order_ != ImplicitGemm::Order::kNhwc && problem_.pass != ConvPass::kWeightGradient)
    std::swap(stream.front().buffers[0], stream.front().buffers[1]);
  if (gemm_.has_post())
    for (const isa::Buffer& operand : post_operands(problem_, buffers.row()))
      stream.front().buffers.push_back(operand);
  if (tile.split_k == 1) return stream;
  const isa::Buffer workspace = buffers.workspace(
      "workspace", plan.problem.m * plan.problem.n * tile.split_k, problem_.accumulate);
  stream.front().buffers.back() = workspace;
  isa::KernelLaunch reduction = make_reduction(plan);
  reduction.name = "conv_splitk_reduce_" + std::to_string(tile.split_k);
  reduction.buffers = {as_input(workspace), buffers.result()};
  stream.push_back(std::move(reduction));
  return stream;
}

}  // namespace tcsim::kernels
