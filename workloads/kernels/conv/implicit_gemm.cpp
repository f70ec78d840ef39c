#include "workloads/kernels/conv/implicit_gemm.hpp"

#include <utility>

#include "models/isa/cycle.hpp"
#include "workloads/kernels/conv/filter_gather.hpp"
#include "workloads/kernels/conv/image_gather.hpp"
#include "workloads/kernels/conv/residue_classes.hpp"

namespace tcsim::kernels {
namespace {

/// Counts of CUTLASS's sm_80 kernels in kernels.md 5.1, relative to those of its products (2.1).
AddressingCost addressing_cost(ConvPass pass, bool is_analytic) {
  if (is_analytic) return {.registers = 18, .vector_factor = 170.0 / 49, .uniform = 72};
  switch (pass) {
    case ConvPass::kForward:
      return {.registers = 4, .vector_factor = 60.0 / 49, .uniform = 24};
    case ConvPass::kDataGradient:
      return {.registers = 14, .vector_factor = 80.0 / 37, .uniform = 0};
    case ConvPass::kWeightGradient:
      break;
  }
  return {.registers = 11, .vector_factor = 222.0 / 37, .uniform = 0};
}

}  // namespace

bool ImplicitGemm::has_classes() const {
  return conv_.pass == ConvPass::kDataGradient && residues() > 1 && order_ != Order::kNchw;
}

bool ImplicitGemm::may_split() const { return conv_.groups == 1 && !has_classes() && !has_post(); }

TapWalk ImplicitGemm::walk(int tile_k) const {
  if (is_forward())
    return {.taps_h = conv_.r,
            .taps_w = conv_.s,
            .channels = conv_.group_c(),
            .tile_k = tile_k,
            .may_pack = packs_taps_};
  return {.taps_h = ceil_div(conv_.r, conv_.stride_h),
          .taps_w = ceil_div(conv_.s, conv_.stride_w),
          .channels = conv_.group_k(),
          .tile_k = tile_k,
          .classes = has_classes() ? ResidueClasses(conv_).tap_classes() : std::vector<TapClass>{}};
}

GemmProblem ImplicitGemm::product(int tile_k) const {
  GemmProblem product{.batch = conv_.groups,
                      .input = conv_.input,
                      .accumulate = conv_.accumulate,
                      .output = conv_.output,
                      .unit = conv_.unit};
  switch (conv_.pass) {
    case ConvPass::kForward:
      product.m = conv_.n * conv_.p() * conv_.q();
      product.n = conv_.group_k();
      product.k = walk(tile_k).k_tiles() * tile_k;
      if (order_ != Order::kNhwc) std::swap(product.m, product.n);
      if (order_ == Order::kNchw) {
        product.k = conv_.group_c() * conv_.r * conv_.s;
        product.layout_b = Layout::kNormal;
      }
      break;
    case ConvPass::kDataGradient:
      if (order_ == Order::kNchw) {
        product.m = conv_.group_c();
        product.n = conv_.n * conv_.h * conv_.w;
        product.k = conv_.group_k() * conv_.r * conv_.s;
        product.layout_a = Layout::kTransposed;
        product.layout_b = Layout::kNormal;
        break;
      }
      product.m = conv_.n * ceil_div(conv_.h, conv_.stride_h) * ceil_div(conv_.w, conv_.stride_w);
      product.n = conv_.group_c();
      product.k = walk(tile_k).k_tiles() * tile_k;
      product.layout_b = Layout::kNormal;
      product.batch *= residues();
      break;
    case ConvPass::kWeightGradient:
      product.m = conv_.group_k();
      product.n = conv_.r * conv_.s * conv_.group_c();
      product.k = conv_.n * conv_.p() * conv_.q();
      if (order_ == Order::kNchw) break;
      product.layout_a = Layout::kTransposed;
      product.layout_b = Layout::kNormal;
      break;
  }
  return product;
}

std::optional<Recipe> ImplicitGemm::recipe(const Target& target, std::string& reason) const {
  if (order_ == Order::kNchw && conv_.pass == ConvPass::kDataGradient &&
      !has_gradient_images(conv_)) {
    reason = "no data gradient in NCHW with a stride and several taps";
    return std::nullopt;
  }
  if (has_classes() && conv_.groups > 1) {
    reason = "no data gradient with a stride and groups";
    return std::nullopt;
  }
  if (has_classes() && conv_.is_dilated()) {
    reason = "no data gradient with a stride and dilated filters";
    return std::nullopt;
  }
  if (has_classes() && residues() > isa::kLargestGrid[2]) {
    reason = "the strides' classes of pixels exceed the 65535 CTAs of a grid's z";
    return std::nullopt;
  }
  if (has_post() && !is_forward()) {
    reason = "scale, bias, residual and relu need a forward pass";
    return std::nullopt;
  }
  if (has_post() && conv_.output == Element::kInt32) {
    reason = "scale, bias, residual and relu cannot produce INT32 (use out=fp16, fp32 or int8)";
    return std::nullopt;
  }
  if (conv_.input == Element::kFp64) {
    reason = "implicit GEMM has no fp64 kernels (algo=im2col_gemm)";
    return std::nullopt;
  }
  constexpr int kAnyDepth = 32;
  Contiguous contiguous{is_forward() ? conv_.group_c() : conv_.group_k(), conv_.group_c()};
  if (order_ == Order::kNchw) {
    // Neighbouring pixels of y are neighbouring pixels of x if every pixel sees only its own.
    const SampledImages images = forward_images(conv_);
    const bool is_pointwise = images.rows.is_identity() && images.columns.is_identity();
    const std::int64_t pixels = conv_.p() * conv_.q();
    const std::int64_t taps = conv_.r * conv_.s;
    contiguous.b = is_pointwise ? pixels : 1;
    if (is_forward())
      contiguous.a = conv_.group_c() * taps;
    else if (conv_.pass == ConvPass::kDataGradient)
      contiguous.a = taps == 1 ? conv_.group_c() : 1;
    else
      contiguous.a = pixels;
  }
  std::optional<Recipe> recipe =
      find_recipe(product(kAnyDepth), contiguous, KernelUse::kConvolution, target, reason);
  if (recipe && recipe->word_elements > 1) {
    // Gathers count elements of the tensors; these kernels count words of several channels.
    reason = "the CUDA-core kernels of packed elements do not gather pixels (algo=im2col_gemm)";
    return std::nullopt;
  }
  if (recipe) recipe->addressing = addressing_cost(conv_.pass, is_analytic_);
  constexpr int kOpsPerPlaneLoad = 2;  // offset added, predicate (assumption)
  if (recipe && order_ == Order::kNchw) recipe->addressing.per_load = kOpsPerPlaneLoad;
  return recipe;
}

KernelPlan ImplicitGemm::plan(const GemmTile& tile, const Recipe& recipe) const {
  KernelPlan plan = plan_kernel(product(tile.k), tile, recipe);
  if (order_ == Order::kNchw) {
    gather_planes(plan);
    return plan;
  }
  switch (conv_.pass) {
    case ConvPass::kForward:
      gather_forward(plan);
      break;
    case ConvPass::kDataGradient:
      gather_data_gradient(plan);
      break;
    case ConvPass::kWeightGradient:
      gather_weight_gradient(plan);
      break;
  }
  return plan;
}

void ImplicitGemm::gather_forward(KernelPlan& plan) const {
  const TapWalk taps = walk(plan.tile.k);
  auto pixels = std::make_shared<PixelGather>(forward_images(conv_), taps, conv_.group_c());
  auto filters = std::make_shared<FilterGather>(conv_.group_k(), taps);
  if (order_ == Order::kNhwcToNchw) {
    plan.a.gather = std::move(filters);
    plan.b.gather = std::move(pixels);
    return write_planes(plan, conv_.p() * conv_.q(), conv_.k);
  }
  plan.a.gather = std::move(pixels);
  plan.b.gather = std::move(filters);
  plan.output.leading = conv_.k;
  plan.output.batch_stride = conv_.group_k();
  if (!has_post()) return;
  constexpr int kFirstVector = 3;  // after A, B and D
  if (conv_.post.scale) plan.post.scale_buffer = kFirstVector;
  if (conv_.post.bias) plan.post.bias_buffer = kFirstVector + (conv_.post.scale ? 1 : 0);
  if (conv_.post.residual) plan.post.residual_buffer = kFirstVector + plan.post.vectors();
  if (conv_.post.relu) plan.post.activation = Activation::kRelu;
  make_room_for_epilogue(plan);
}

void ImplicitGemm::write_planes(KernelPlan& plan, std::int64_t pixels,
                                std::int64_t channels) const {
  plan.output.leading = plan.output.column_block = pixels;
  plan.output.block_stride = channels * pixels;
  plan.output.batch_stride = channels / conv_.groups * pixels;
}

void ImplicitGemm::gather_data_gradient(KernelPlan& plan) const {
  const TapWalk taps = walk(plan.tile.k);
  const ResidueClasses classes(conv_);
  // Without a stride there is one class and z counts groups.
  plan.a.gather =
      std::make_shared<PixelGather>(classes.images(), taps, has_classes() ? 0 : conv_.group_k());
  plan.b.gather = std::make_shared<TransposedFilterGather>(
      classes.taps_h(), classes.taps_w(), conv_.group_c(), taps,
      has_classes() ? 0 : conv_.group_k() * conv_.r * conv_.s * conv_.group_c());
  plan.output.leading = conv_.c;
  plan.output.batch_stride = has_classes() ? 0 : conv_.group_c();
  if (!taps.classes.empty()) plan.raster.set_k_tiles(taps.k_tiles_by_batch());
  if (has_classes()) plan.output.scatter = std::make_shared<ResidueClasses>(conv_);
}

void ImplicitGemm::gather_weight_gradient(KernelPlan& plan) const {
  const int depth = plan.tile.k;
  plan.a.gather = std::make_shared<ChannelGather>(conv_.n * conv_.p() * conv_.q(), conv_.k, depth,
                                                  conv_.group_k());
  plan.b.gather = std::make_shared<PatchGather>(forward_images(conv_), conv_.group_c(), depth);
}

void ImplicitGemm::gather_planes(KernelPlan& plan) const {
  const int depth = plan.tile.k;
  const std::int64_t pixels = conv_.p() * conv_.q();
  switch (conv_.pass) {
    case ConvPass::kForward:
      plan.b.gather = std::make_shared<PlaneGather>(forward_images(conv_), conv_.group_c(), depth);
      return write_planes(plan, pixels, conv_.k);
    case ConvPass::kDataGradient:
      plan.a.gather = std::make_shared<PlaneFilterGather>(conv_.group_k(), conv_.group_c(),
                                                          conv_.r * conv_.s, depth);
      plan.b.gather = std::make_shared<PlaneGather>(gradient_images(conv_), conv_.group_k(), depth);
      return write_planes(plan, conv_.h * conv_.w, conv_.c);
    case ConvPass::kWeightGradient:
      plan.a.gather = std::make_shared<PlanePixelGather>(conv_.n, pixels, conv_.k, depth,
                                                         conv_.group_k() * pixels);
      plan.b.gather =
          std::make_shared<PlanePatchGather>(forward_images(conv_), conv_.group_c(), depth);
  }
}

}  // namespace tcsim::kernels
