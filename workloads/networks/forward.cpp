#include "workloads/networks/forward.hpp"

#include <algorithm>

#include "workloads/networks/counts.hpp"
#include "workloads/networks/shape_inference.hpp"

namespace tcsim::networks {
namespace {

using kernels::ConvProblem;
using kernels::GemmProblem;
using kernels::VectorOperation;

/// `rows` rows of `count` experts, whose numbers differ by one at most. Contiguous groups fill
/// tiles.
kernels::RowGroups balanced_groups(std::int64_t rows, std::int64_t count) {
  constexpr std::int64_t kContiguousRows = 128;  // DeepGEMM, get_m_alignment_for_contiguous_layout
  kernels::RowGroups groups;
  for (std::int64_t i = 0; i < count; ++i)
    groups.rows.push_back(rows / count + (i < rows % count ? 1 : 0));
  groups.layout = rows % (count * kContiguousRows) == 0 ? kernels::GroupLayout::kContiguous
                                                        : kernels::GroupLayout::kMasked;
  return groups;
}

/// The vector kernel that computes an activation.
VectorOperation operation_of(LayerKind kind) {
  switch (kind) {
    case LayerKind::kRelu:
      return VectorOperation::kRelu;
    case LayerKind::kGelu:
      return VectorOperation::kGelu;
    case LayerKind::kSiluAndMultiply:
      return VectorOperation::kSiluAndMul;
    case LayerKind::kTanh:
      return VectorOperation::kTanh;
    case LayerKind::kSigmoid:
      return VectorOperation::kSigmoid;
    default:
      return VectorOperation::kSilu;
  }
}

}  // namespace

ConvProblem conv_problem(const Layer& layer, const Shape& input, std::int64_t batch) {
  ConvProblem problem;
  problem.n = batch;
  problem.h = input.h;
  problem.w = input.w;
  problem.c = input.c;
  problem.k = layer.features;
  problem.groups = groups_of(layer, input.c);
  problem.r = layer.r;
  problem.s = layer.s;
  problem.stride_h = layer.stride_h;
  problem.stride_w = layer.stride_w;
  problem.pad_h = layer.pad_h;
  problem.pad_w = layer.pad_w;
  problem.dil_h = layer.dil_h;
  problem.dil_w = layer.dil_w;
  return problem;
}

kernels::PoolProblem pixel_sums(const Shape& shape, std::int64_t batch) {
  kernels::PoolProblem sums;
  sums.operation = kernels::PoolOperation::kAverage;
  sums.n = batch;
  sums.h = sums.r = sums.stride_h = shape.h;
  sums.w = sums.s = sums.stride_w = shape.w;
  sums.c = shape.c;
  return sums;
}

Forward::Forward(const Network& network, StepBuilder& builder)
    : network_(network),
      builder_(builder),
      attention_(network, builder),
      tails_(fuse(network, builder.options())),
      states_(network.layers.size()) {}

Value Forward::input_value() const {
  return builder_.activation(builder_.options().batch * network_.input.rows(), network_.input.c,
                             builder_.wide_element());
}

std::vector<LayerState> Forward::run() {
  input_ = input_value();
  std::vector<bool> is_done(states_.size(), false);
  for (int i = 0; i < static_cast<int>(states_.size()); ++i) {
    if (is_done[static_cast<std::size_t>(i)]) continue;
    run_layer(i);
    const LayerState& state = states_[static_cast<std::size_t>(i)];
    for (const int taken : tails_[static_cast<std::size_t>(i)].layers) {
      states_[static_cast<std::size_t>(taken)].result = state.result;
      is_done[static_cast<std::size_t>(taken)] = true;
    }
  }
  return std::move(states_);
}

const Value& Forward::value_of(int input) const {
  return input == kNetworkInput ? input_ : states_[static_cast<std::size_t>(input)].result;
}

void Forward::run_layer(int index) {
  const Layer& layer = network_.layers[static_cast<std::size_t>(index)];
  LayerState& state = states_[static_cast<std::size_t>(index)];
  builder_.start(layer.name, "forward");
  for (const int input : layer.inputs) state.inputs.push_back(value_of(input));
  state.result = result_of(layer, state, tails_[static_cast<std::size_t>(index)]);
}

Value Forward::result_of(const Layer& layer, LayerState& state, const FusedTail& tail) {
  const Value& x = state.inputs.front();
  switch (layer.kind) {
    case LayerKind::kConv:
      return conv(layer, state, tail);
    case LayerKind::kLinear:
      return linear(layer, state, tail);
    case LayerKind::kMatmul:
      return matmul(layer, state);
    case LayerKind::kAttention:
      for (const Value& input : state.inputs)
        state.operands.push_back(builder_.as(input, builder_.product_element()));
      return attention_.attention(layer, state.operands);
    case LayerKind::kExperts:
      return experts(layer, x);
    case LayerKind::kConvTranspose:
      return conv_transpose(layer, x);
    case LayerKind::kLatentAttention:
      return attention_.latent_attention(layer, state.inputs);
    case LayerKind::kUpsample:
    case LayerKind::kMaxPool:
    case LayerKind::kAveragePool:
    case LayerKind::kGlobalAveragePool:
      return pool(layer, x);
    case LayerKind::kBatchNorm:
    case LayerKind::kLayerNorm:
    case LayerKind::kRmsNorm:
      return norm(layer, x);
    case LayerKind::kGroupNorm:
      return group_norm(layer, x);
    case LayerKind::kSoftmax:
      return builder_.vector(VectorOperation::kSoftmax, builder_.as(x, builder_.wide_element()));
    case LayerKind::kAdd:
      if (network_.shape_of(layer.inputs[1]) != layer.shape) {
        const auto [rows, row] = builder_.in_one_type(x, state.inputs[1]);
        return builder_.bias(rows, row);
      }
      return builder_.vector(tail.activation == kernels::Activation::kRelu
                                 ? VectorOperation::kAddRelu
                                 : VectorOperation::kAdd,
                             x, state.inputs[1]);
    case LayerKind::kMultiply:
      return builder_.vector(VectorOperation::kMultiply, x, state.inputs[1]);
    case LayerKind::kEmbedding:
      return embedding(layer, state);
    case LayerKind::kAllReduce:
      return builder_.all_reduce(x);
    case LayerKind::kAllGather:
      return builder_.all_gather(x, layer.features);
    case LayerKind::kConcatenate:
      return concatenate(layer, state.inputs);
    case LayerKind::kFlatten:
      return {x.tensor, x.offset, x.element, builder_.options().batch, layer.shape.c};
    case LayerKind::kFirstToken:
    case LayerKind::kLastToken: {
      Value taken = x;
      taken.rows = builder_.options().batch * layer.shape.rows();
      if (layer.kind == LayerKind::kLastToken) taken.offset += bytes_of(x) - bytes_of(taken);
      return taken;
    }
    case LayerKind::kReshape: {
      const std::int64_t rows = builder_.options().batch * layer.shape.rows();
      if (layer.resizes) return builder_.activation(rows, layer.shape.c, x.element);
      return {x.tensor, x.offset, x.element, rows, layer.shape.c};
    }
    case LayerKind::kIdentity:
      return x;
    default:
      return builder_.vector(operation_of(layer.kind), x);
  }
}

Value Forward::conv(const Layer& layer, LayerState& state, const FusedTail& tail) {
  const Shape& input = network_.shape_of(layer.inputs.front());
  ConvProblem problem = conv_problem(layer, input, builder_.options().batch);
  const bool has_relu = tail.activation == kernels::Activation::kRelu;
  const bool is_depthwise = problem.groups > 1 && problem.groups == problem.c;
  const Value weights =
      builder_.weights(layer.features, layer.r * layer.s * (input.c / problem.groups));
  const bool may_quantize = !is_depthwise && builder_.quantizes_convolutions();
  state.weights = builder_.operand(weights, may_quantize);
  const Value x = builder_.operand(state.inputs.front(), may_quantize);
  state.operands = {x};
  const bool has_residual = tail.residual != FusedTail::kNoResidual;
  problem.post = {.scale = tail.has_scale || x.stands_for_reals(),
                  .bias = tail.has_scale || layer.has_bias,
                  .residual = has_residual,
                  .relu = has_relu,
                  .is_fused = !is_depthwise};
  const std::int64_t rows = builder_.options().batch * layer.shape.rows();
  const Value y = builder_.activation(rows, layer.features, builder_.storage_element());
  builder_.conv(
      problem, static_cast<double>(macs(network_, layer)) * static_cast<double>(problem.n), x,
      state.weights, y, has_residual ? std::optional(value_of(tail.residual)) : std::nullopt);
  return y;
}

/// The data gradient of the convolution whose result would be `x`; its kernels add no bias.
Value Forward::conv_transpose(const Layer& layer, const Value& x) {
  Layer way_back = layer;
  way_back.features = network_.shape_of(layer.inputs.front()).c;
  ConvProblem problem = conv_problem(way_back, layer.shape, builder_.options().batch);
  problem.pass = kernels::ConvPass::kDataGradient;
  const Value weights = builder_.operand(
      builder_.weights(way_back.features, layer.r * layer.s * layer.features), false);
  const Value result = builder_.activation(builder_.options().batch * layer.shape.rows(),
                                           layer.features, builder_.storage_element());
  builder_.conv(problem,
                static_cast<double>(macs(network_, layer)) * static_cast<double>(problem.n), result,
                weights, builder_.operand(x, false));
  if (!layer.has_bias) return result;
  return builder_.bias(result, builder_.weights(1, layer.features));
}

/// Tied weights are the table of an embedding, if one has their size.
Value Forward::weights_of(const Layer& layer, std::int64_t columns) const {
  if (const auto owner = tied_embedding(network_, layer)) return states_[*owner].weights;
  return builder_.weights(layer.features, columns);
}

Value Forward::linear(const Layer& layer, LayerState& state, const FusedTail& tail) {
  const Value& x = state.inputs.front();
  const bool is_head = &layer == scores_of(network_);
  const bool may_quantize = builder_.may_quantize(layer.features, x.cols);
  state.weights =
      builder_.product_weights(weights_of(layer, x.cols), /*may_pack=*/!is_head, may_quantize);
  state.operands = {builder_.operand(x, may_quantize)};
  GemmProblem problem;
  problem.m = x.rows;
  problem.n = layer.features;
  problem.k = x.cols;
  const bool has_residual = tail.residual != FusedTail::kNoResidual;
  problem.epilogue = {.scale = state.operands.front().stands_for_reals(),
                      .bias = layer.has_bias,
                      .residual = has_residual,
                      .activation = tail.activation};
  return builder_.gemm(problem, state.operands.front(), state.weights, x.rows, layer.features,
                       has_residual ? std::optional(value_of(tail.residual)) : std::nullopt);
}

Value Forward::matmul(const Layer& layer, LayerState& state) {
  GemmProblem problem;
  problem.m = layer.m;
  problem.n = layer.n;
  problem.k = layer.k;
  problem.batch = layer.count * builder_.options().batch;
  state.operands = {builder_.operand(state.inputs[0], false),
                    builder_.operand(state.inputs[1], false)};
  return builder_.gemm(problem, state.operands[0], state.operands[1],
                       layer.m * builder_.options().batch, layer.n * layer.count);
}

/// Copies the rows that a batch reads, each row of the table equally often if these are more.
Value Forward::embedding(const Layer& layer, LayerState& state) {
  const std::int64_t rows = state.inputs.front().rows;
  state.weights = builder_.weights(layer.vocabulary, layer.features);
  Value read = state.weights;
  read.element = builder_.wide_element();
  if (rows > read.rows) return builder_.spread(read, rows);
  read.rows = rows;
  const Value result = builder_.activation(rows, layer.features, read.element);
  builder_.copy(read, result);
  return result;
}

/// Rows are copied to their experts, which all have the same number of rows or one more
/// (assumption: the router is trained to balance them). The products of all experts are one kernel,
/// over groups of rows if the machine has such a kernel (DeepGEMM: contiguous for prompts, masked
/// for few tokens). The experts' results for a row are added up.
Value Forward::experts(const Layer& layer, const Value& x) {
  const std::int64_t pairs = x.rows * layer.active;
  const kernels::RowGroups groups = balanced_groups(pairs, std::min(layer.experts, pairs));
  const std::int64_t stored_rows = groups.count() * groups.most();
  const Value routed = builder_.spread(x, pairs);
  const auto product = [&](const Value& in, std::int64_t columns) {
    const bool may_quantize = builder_.may_quantize(columns, in.cols);
    const Value weights = builder_.product_weights(
        builder_.weights(layer.experts * columns, in.cols), /*may_pack=*/true, may_quantize);
    const Value operand = builder_.operand(in, may_quantize);
    builder_.reserve(operand, stored_rows);
    GemmProblem problem;
    problem.groups = groups;
    problem.batch = groups.is_masked() ? groups.count() : 1;
    problem.m = groups.is_masked() ? groups.most() : pairs;
    problem.n = columns;
    problem.k = in.cols;
    problem.epilogue.scale = operand.stands_for_reals();
    Value result = builder_.gemm(problem, operand, weights, stored_rows, columns);
    result.rows = pairs;
    return result;
  };
  const Value gated =
      builder_.vector(VectorOperation::kSiluAndMul, product(routed, 2 * layer.features));
  const Value back = product(gated, x.cols);
  const auto part = [&](std::int64_t index) {
    Value value = back;
    value.rows = x.rows;
    value.offset += index * bytes_of(value);
    return value;
  };
  Value sum = part(0);
  for (std::int64_t i = 1; i < layer.active; ++i)
    sum = builder_.vector(VectorOperation::kAdd, sum, part(i));
  return sum;
}

Value Forward::pool(const Layer& layer, const Value& x) {
  const Shape& input = network_.shape_of(layer.inputs.front());
  const bool is_global = layer.kind == LayerKind::kGlobalAveragePool;
  kernels::PoolProblem problem;
  problem.operation = layer.kind == LayerKind::kMaxPool    ? kernels::PoolOperation::kMax
                      : layer.kind == LayerKind::kUpsample ? kernels::PoolOperation::kUpsample
                                                           : kernels::PoolOperation::kAverage;
  problem.n = builder_.options().batch;
  problem.h = input.h;
  problem.w = input.w;
  problem.c = input.c;
  problem.r = is_global ? input.h : layer.r;
  problem.s = is_global ? input.w : layer.s;
  problem.stride_h = is_global ? input.h : layer.stride_h;
  problem.stride_w = is_global ? input.w : layer.stride_w;
  problem.pad_h = layer.pad_h;
  problem.pad_w = layer.pad_w;
  problem.has_ceiling = layer.has_ceiling;
  problem.counts_padding = layer.counts_padding;
  return builder_.pool(problem, x);
}

Value Forward::norm(const Layer& layer, const Value& x) {
  if (layer.kind == LayerKind::kBatchNorm && !builder_.options().is_training)
    return builder_.scale_bias(x, builder_.weights(1, x.cols), builder_.weights(1, x.cols));
  if (layer.kind == LayerKind::kBatchNorm) return builder_.vector(VectorOperation::kLayerNorm, x);
  const Value wide = builder_.as(x, builder_.wide_element());
  return builder_.vector(
      layer.kind == LayerKind::kRmsNorm ? VectorOperation::kRmsNorm : VectorOperation::kLayerNorm,
      wide);
}

/// Two passes: one sums the pixels of every channel, one scales them, because no CTA holds all of a
/// group's pixels and channels (assumption: the sums of squares add no cost to the first pass).
Value Forward::group_norm(const Layer& layer, const Value& x) {
  const Value wide = builder_.as(x, builder_.wide_element());
  const Value means = builder_.pool(pixel_sums(layer.shape, builder_.options().batch), wide);
  return builder_.scale_bias(wide, means, builder_.weights(1, layer.shape.c));
}

Value Forward::concatenate(const Layer& layer, const std::vector<Value>& inputs) {
  Value result = builder_.activation(inputs.front().rows, layer.shape.c, inputs.front().element);
  Value part = result;
  for (const Value& input : inputs) {
    const Value converted = builder_.as(input, result.element);
    builder_.copy(converted, part);
    part.offset += bytes_of(converted);
  }
  return result;
}

}  // namespace tcsim::networks
