#include "workloads/kernels/conv/tma_method.hpp"

#include <algorithm>
#include <utility>

#include "models/isa/cycle.hpp"
#include "workloads/kernels/conv/conv_buffers.hpp"
#include "workloads/kernels/cost_model.hpp"
#include "workloads/kernels/tile_menu.hpp"
#include "workloads/kernels/warp_specialised.hpp"

namespace tcsim::kernels {
namespace {

constexpr int kTileBytes = 128;  // of a k-tile: the widest swizzle

GemmProblem product_of(const ConvProblem& c) {
  const std::int64_t depth = kTileBytes / element_bytes(c.input);
  GemmProblem product{.m = c.n * c.p() * c.q(),
                      .n = c.k,
                      .k = c.r * c.s * ceil_div(c.c, depth) * depth,
                      .input = c.input,
                      .accumulate = c.accumulate,
                      .output = c.output,
                      .unit = c.unit};
  product.epilogue = {.scale = c.post.scale,
                      .bias = c.post.bias,
                      .residual = c.post.residual,
                      .activation = c.post.relu ? Activation::kRelu : Activation::kNone};
  product.images = TapImages{.images = c.n,
                             .h = c.h,
                             .w = c.w,
                             .channels = c.c,
                             .positions_h = c.p(),
                             .positions_w = c.q(),
                             .taps_h = c.r,
                             .taps_w = c.s,
                             .pad_h = c.pad_h,
                             .pad_w = c.pad_w,
                             .stride_h = c.stride_h,
                             .stride_w = c.stride_w,
                             .dil_h = c.dil_h,
                             .dil_w = c.dil_w};
  return product;
}

/// True if both corners of the places of a filter, relative to those of the image, fit the signed
/// bytes of cuTensorMapEncodeIm2col for four dimensions.
bool has_corners(std::int64_t pad, std::int64_t window) {
  const std::int64_t upper = pad - (window - 1);
  return pad <= 128 && upper >= -128 && upper <= 127;
}

/// Limits of cuTensorMapEncodeIm2col and of the offsets of a tap, for four dimensions.
std::string why_no_im2col(const ConvProblem& c) {
  constexpr std::int64_t kMostStride = 8;
  constexpr std::int64_t kMostOffset = 255;
  if (c.pass != ConvPass::kForward || c.groups > 1)
    return "TMA's im2col mode is for forward passes of one group";
  if (std::max(c.stride_h, c.stride_w) > kMostStride || !has_corners(c.pad_h, c.window_h()) ||
      !has_corners(c.pad_w, c.window_w()) || std::max(c.window_h(), c.window_w()) - 1 > kMostOffset)
    return "TMA's im2col mode allows strides up to 8, pads up to 128 and windows of pad - 126 to "
           "pad + 129 pixels, at most 256";
  return {};
}

}  // namespace

TmaMethod::TmaMethod(const ConvProblem& problem, Target target)
    : ConvMethod(problem, std::move(target)),
      product_(product_of(problem)),
      reason_(why_no_im2col(problem)) {
  if (reason_.empty() && !target_.features.warpgroups)
    reason_ = "convolutions by TMA and wgmma need Hopper";
  if (!reason_.empty()) return;
  if (const auto recipe = find_warp_specialised(product_, target_, reason_))
    family_ = recipe->family;
}

std::string TmaMethod::why_not() const {
  if (!family_) return reason_;
  const std::vector<GemmTile> all =
      menu_tiles(*family_, problem_.input, [](auto&) { return true; });
  return !tiles().empty() ? ""
         : all.empty()    ? "no tile of the menu has these operands"
                          : why_no_tile(all.front());
}

std::string TmaMethod::why_no_tile(const GemmTile& tile) const {
  if (tile.roles == WarpRoles::kUniform) return "warpgroups need roles: _coop or _pingpong";
  return why_not_warp_specialised(product_, tile, target_);
}

std::vector<GemmTile> TmaMethod::tiles() const {
  return menu_tiles(*family_, problem_.input,
                    [&](const GemmTile& tile) { return why_no_tile(tile).empty(); });
}

TileMenu TmaMethod::menu() const {
  return {.tiles = tiles(),
          .why_not = [this](const GemmTile& tile) { return why_no_tile(tile); },
          .is_preferred =
              [this](const GemmTile& a, const GemmTile& b) {
                return kernels::is_preferred(a, b, product_, target_);
              },
          .has_any_roles = true,
          .libraries = {family_->library}};
}

std::vector<Candidate> TmaMethod::candidates() const {
  return warpgroup_candidates(tiles(), family_, product_, target_);
}

double TmaMethod::estimate(const GemmTile& tile) const {
  return estimate_cycles(product_, tile, target_);
}

std::vector<isa::KernelLaunch> TmaMethod::stream(const GemmTile& tile) const {
  ConvBuffers places(problem_);
  std::vector<isa::Buffer> buffers{places.a(), places.b(), places.result()};
  std::ranges::move(post_operands(problem_, places.row()), std::back_inserter(buffers));
  isa::KernelLaunch launch = make_warp_specialised(product_, tile, target_, buffers);
  launch.name = "conv_fprop_tma_" + tile.text();
  return {std::move(launch)};
}

}  // namespace tcsim::kernels
