#include "workloads/kernels/conv/conv.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>

#include "workloads/kernels/conv/implicit_stream.hpp"
#include "workloads/kernels/tile_menu.hpp"

namespace tcsim::kernels {
namespace {

struct NamedAlgorithm {
  ConvAlgorithm algorithm;
  std::string_view name;
};
constexpr std::array kNames{
    NamedAlgorithm{ConvAlgorithm::kImplicitGemm, "implicit_gemm"},
    NamedAlgorithm{ConvAlgorithm::kImplicitGemmAnalytic, "implicit_gemm_analytic"}};

ImplicitGemm implicit(const ConvProblem& problem, ConvAlgorithm algorithm) {
  return {problem, algorithm == ConvAlgorithm::kImplicitGemmAnalytic};
}

}  // namespace

std::string_view name(ConvAlgorithm algorithm) {
  return std::ranges::find(kNames, algorithm, &NamedAlgorithm::algorithm)->name;
}

std::string ConvPlan::text() const { return std::string(name(algorithm)) + " " + tile.text(); }

std::string why_not_a_convolution(const ConvProblem& problem) {
  if (problem.r > problem.h + 2 * problem.pad_h || problem.s > problem.w + 2 * problem.pad_w)
    return "the filter is larger than the padded image";
  if (problem.pad_h >= problem.r || problem.pad_w >= problem.s)
    return "padding as wide as the filter adds outputs that see no pixel";
  if (problem.c % problem.groups != 0 || problem.k % problem.groups != 0)
    return "the groups do not divide both numbers of channels";
  return {};
}

std::string why_no_conv_kernel(const ConvProblem& problem, ConvAlgorithm algorithm,
                               const Target& target) {
  const ImplicitGemm gemm = implicit(problem, algorithm);
  std::string reason;
  if (!gemm.recipe(target, reason)) return reason;
  if (implicit_tiles(gemm, target).empty())
    return "no tile of the menu fits into an SM of the machine";
  return {};
}

ConvPlan choose_conv_tile(const ConvProblem& problem, ConvAlgorithm algorithm,
                          const Target& target) {
  return {algorithm, choose_implicit_tile(implicit(problem, algorithm), target)};
}

std::optional<ConvPlan> parse_conv_tile(const std::string& text, const ConvProblem& problem,
                                        ConvAlgorithm algorithm, const Target& target,
                                        std::string& reason) {
  const ImplicitGemm gemm = implicit(problem, algorithm);
  const std::optional<Recipe> recipe = gemm.recipe(target, reason);
  if (!recipe) return std::nullopt;
  const auto cycles = [&](const GemmTile& tile) { return estimate_implicit(gemm, tile, target); };
  const TileMenu menu{
      implicit_tiles(gemm, target),
      [&](const GemmTile& tile) { return why_not_implicit(gemm, tile, *recipe, target); },
      [&](const GemmTile& a, const GemmTile& b) { return cycles(a) < cycles(b); }};
  const std::optional<GemmTile> tile = find_tile(text, menu, reason);
  if (!tile) return std::nullopt;
  return ConvPlan{algorithm, *tile};
}

std::vector<isa::KernelLaunch> make_conv_stream(const ConvProblem& problem, const ConvPlan& plan,
                                                const Target& target) {
  return implicit_stream(problem, implicit(problem, plan.algorithm), plan.tile, target);
}

}  // namespace tcsim::kernels
