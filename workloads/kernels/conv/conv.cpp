#include "workloads/kernels/conv/conv.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "workloads/kernels/conv/conv_method.hpp"
#include "workloads/kernels/conv/depthwise.hpp"
#include "workloads/kernels/conv/direct.hpp"
#include "workloads/kernels/conv/fft_method.hpp"
#include "workloads/kernels/conv/im2col_method.hpp"
#include "workloads/kernels/conv/implicit_method.hpp"
#include "workloads/kernels/conv/nchw_method.hpp"
#include "workloads/kernels/conv/post_method.hpp"
#include "workloads/kernels/conv/seen_pixels.hpp"
#include "workloads/kernels/conv/tma_method.hpp"
#include "workloads/kernels/conv/winograd_fused_method.hpp"
#include "workloads/kernels/conv/winograd_method.hpp"
#include "workloads/kernels/cta_room.hpp"
#include "workloads/kernels/library.hpp"

namespace tcsim::kernels {

namespace {

/// True if nothing is left to do after the algorithm's own kernels.
bool is_post_inside(const ConvProblem& problem, ConvAlgorithm algorithm) {
  const bool fuses =
      problem.post.is_fused && fuses_post(algorithm) && problem.order == TensorOrder::kNhwc;
  return !problem.post.pool && (fuses || !problem.post.changes_values());
}

/// True if the first library with convolutions has warpgroup kernels.
bool leads_with_tma(const Target& target) {
  const auto computes = [](const KernelFamily& family) {
    return std::ranges::find(family.uses, KernelUse::kConvolution) != family.uses.end();
  };
  for (const auto& library : target.libraries) {
    if (std::ranges::none_of(library->families, computes)) continue;
    return std::ranges::any_of(library->families, [&](const KernelFamily& family) {
      return computes(family) && family.math == MathKind::kGroup;
    });
  }
  return false;
}

/// A plan, and how it is computed.
struct TimedPlan {
  ConvPlan plan;
  std::unique_ptr<ConvMethod> method;
  double cycles;

  [[nodiscard]] bool has_room(const Target& target) const {
    return std::ranges::all_of(method->stream(plan.tile), [&](const isa::KernelLaunch& launch) {
      return kernels::has_room(launch, target);
    });
  }
};

/// The algorithm with the smallest estimated time for the tile that `tile_of` gives it, among those
/// whose kernels an SM holds, if there are any; nothing if no algorithm has a tile.
template <typename TileOf>
std::optional<ConvPlan> fastest(const ConvProblem& problem, const Target& target,
                                const TileOf& tile_of) {
  std::vector<TimedPlan> plans;
  for (std::size_t i = 0; i < kConvAlgorithmNames.size(); ++i) {
    const auto algorithm = static_cast<ConvAlgorithm>(i);
    auto method = make_conv_method(problem, algorithm, target);
    if (algorithm == ConvAlgorithm::kImplicitGemmAnalytic || !method->why_not().empty()) continue;
    if (algorithm == ConvAlgorithm::kImplicitGemmTma && !leads_with_tma(target)) continue;
    const std::optional<GemmTile> tile = tile_of(algorithm, *method);
    if (!tile) continue;
    const double cycles = method->estimate(*tile);
    plans.push_back({{algorithm, *tile}, std::move(method), cycles});
  }
  if (plans.empty()) return std::nullopt;
  std::ranges::stable_sort(plans, {}, &TimedPlan::cycles);
  const auto first =
      std::ranges::find_if(plans, [&](const TimedPlan& one) { return one.has_room(target); });
  return (first == plans.end() ? plans.begin() : first)->plan;
}

}  // namespace

std::unique_ptr<ConvMethod> make_conv_method(const ConvProblem& problem, ConvAlgorithm algorithm,
                                             const Target& target) {
  if (!is_post_inside(problem, algorithm))
    return std::make_unique<PostMethod>(problem, algorithm, target);
  if (problem.order == TensorOrder::kNchw) return make_nchw_method(problem, algorithm, target);
  switch (algorithm) {
    case ConvAlgorithm::kImplicitGemm:
    case ConvAlgorithm::kImplicitGemmAnalytic:
      break;
    case ConvAlgorithm::kIm2colGemm:
      return std::make_unique<Im2colMethod>(problem, target);
    case ConvAlgorithm::kDepthwise:
      return std::make_unique<DepthwiseMethod>(problem, target);
    case ConvAlgorithm::kDirect:
      return std::make_unique<DirectMethod>(problem, target);
    case ConvAlgorithm::kWinograd2x2Fused:
      return std::make_unique<WinogradFusedMethod>(problem, target);
    case ConvAlgorithm::kImplicitGemmTma:
      return std::make_unique<TmaMethod>(problem, target);
    case ConvAlgorithm::kFft:
      return std::make_unique<FftMethod>(problem, target);
    case ConvAlgorithm::kWinograd2x2:
      return std::make_unique<WinogradMethod>(problem, 2, target);
    case ConvAlgorithm::kWinograd4x4:
      return std::make_unique<WinogradMethod>(problem, 4, target);
  }
  const bool is_analytic = algorithm == ConvAlgorithm::kImplicitGemmAnalytic;
  return std::make_unique<ImplicitMethod>(problem, is_analytic, target);
}

std::string_view name(ConvAlgorithm algorithm) {
  return kConvAlgorithmNames[static_cast<std::size_t>(algorithm)];
}

std::string ConvPlan::text() const {
  const std::string algorithm_name(name(algorithm));
  return tile.m == 0 ? algorithm_name : algorithm_name + " " + tile.text();
}

std::int64_t ConvProblem::seen_x_elements() const {
  return n * seen_pixels(h, p(), stride_h, r, dil_h, pad_h) *
         seen_pixels(w, q(), stride_w, s, dil_w, pad_w) * c;
}

std::int64_t ConvProblem::seeing_w_elements() const {
  return k * seeing_places(h, r, dil_h, p(), stride_h, pad_h) *
         seeing_places(w, s, dil_w, q(), stride_w, pad_w) * group_c();
}

std::int64_t ConvProblem::seeing_y_elements() const {
  return n * seeing_places(h, p(), stride_h, r, dil_h, pad_h) *
         seeing_places(w, q(), stride_w, s, dil_w, pad_w) * k;
}

std::string why_not_a_convolution(const ConvProblem& problem) {
  if (problem.window_h() > problem.h + 2 * problem.pad_h ||
      problem.window_w() > problem.w + 2 * problem.pad_w)
    return "the filter is larger than the padded image";
  if (problem.c % problem.groups != 0 || problem.k % problem.groups != 0)
    return "the groups do not divide both numbers of channels";
  return {};
}

std::string why_no_conv_kernel(const ConvProblem& problem, ConvAlgorithm algorithm,
                               const Target& target) {
  return make_conv_method(problem, algorithm, target)->why_not();
}

ConvPlan choose_conv_tile(const ConvProblem& problem, ConvAlgorithm algorithm,
                          const Target& target) {
  return {algorithm, make_conv_method(problem, algorithm, target)->choose()};
}

std::vector<GemmTile> leading_conv_tiles(const ConvProblem& problem, ConvAlgorithm algorithm,
                                         const Target& target, std::size_t count) {
  return first_tiles(make_conv_method(problem, algorithm, target)->candidates(), count);
}

std::optional<ConvAlgorithm> take_algorithm(std::string& text) {
  const auto* const named =
      std::ranges::find(kConvAlgorithmNames, std::string_view(text).substr(0, text.find(' ')));
  if (named == kConvAlgorithmNames.end()) return std::nullopt;
  text.erase(0, std::min(named->size() + 1, text.size()));
  return static_cast<ConvAlgorithm>(named - kConvAlgorithmNames.begin());
}

std::optional<ConvPlan> choose_conv(const ConvProblem& problem, const Target& target) {
  return fastest(problem, target, [](ConvAlgorithm, const ConvMethod& method) {
    return std::optional(method.choose());
  });
}

std::optional<ConvPlan> parse_conv_tile(const std::string& text, const ConvProblem& problem,
                                        std::optional<ConvAlgorithm> algorithm,
                                        const Target& target, std::string& reason) {
  reason.clear();
  if (!algorithm) {
    const auto plan = fastest(problem, target, [&](ConvAlgorithm one, const ConvMethod& method) {
      std::string obstacle;
      const auto tile = find_tile(text, method.menu(), obstacle);
      if (!tile && reason.empty() && !method.menu().tiles.empty())
        reason = std::string(name(one)) + ": " + obstacle;
      return tile;
    });
    if (plan)
      reason.clear();  // of algorithms that do not have it
    else if (reason.empty())
      reason = "no algorithm that computes this convolution has tiles";
    return plan;
  }
  const auto method = make_conv_method(problem, *algorithm, target);
  reason = method->why_not();
  if (!reason.empty()) return std::nullopt;
  const TileMenu menu = method->menu();
  const std::optional<GemmTile> tile = find_tile(text, menu, reason);
  if (tile) return ConvPlan{*algorithm, *tile};
  if (menu.tiles.empty()) reason = std::string(name(*algorithm)) + " has no tiles to choose";
  return std::nullopt;
}

std::vector<isa::KernelLaunch> make_conv_stream(const ConvProblem& problem, const ConvPlan& plan,
                                                const Target& target) {
  const auto method = make_conv_method(problem, plan.algorithm, target);
  if (const std::string reason = method->why_not(); !reason.empty())
    throw std::invalid_argument("conv: " + reason);
  return method->stream(plan.tile);
}

}  // namespace tcsim::kernels
