#include "workloads/networks/forward.hpp"

#include <algorithm>

#include "workloads/networks/counts.hpp"
#include "workloads/networks/shape_inference.hpp"

namespace tcsim::networks {
namespace {

using kernels::AttentionProblem;
using kernels::ConvProblem;
using kernels::Element;
using kernels::GemmProblem;
using kernels::VectorOperation;

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

/// True for integers, whose sums are scaled per channel.
bool stands_for_reals(const Value& value) { return value.element == Element::kInt8; }

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

HeadOperands head_operands(const Layer& layer, std::int64_t dim, const std::vector<Value>& inputs) {
  if (inputs.size() == 3) return {inputs[0], inputs[1], inputs[2]};
  constexpr std::int64_t kAlignment = 256;  // of buffers
  const auto behind = [](const Value& value, std::int64_t cols) {
    Value next = value;
    next.offset += (bytes_of(value) + kAlignment - 1) / kAlignment * kAlignment;
    next.cols = cols;
    return next;
  };
  Value q = inputs[0];
  q.cols = layer.heads * dim;
  const Value k = behind(q, layer.kv_heads * dim);
  return {q, k, behind(k, layer.kv_heads * dim)};
}

Forward::Forward(const Network& network, StepBuilder& builder)
    : network_(network),
      builder_(builder),
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
      return attention(layer, state);
    case LayerKind::kExperts:
      return experts(layer, x);
    case LayerKind::kConvTranspose:
      return conv_transpose(layer, x);
    case LayerKind::kLatentAttention:
      return latent_attention(layer, state.inputs);
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
      if (network_.shape_of(layer.inputs[1]) != layer.shape)
        return builder_.bias(x, state.inputs[1]);
      return builder_.vector(tail.activation == kernels::Activation::kRelu
                                 ? VectorOperation::kAddRelu
                                 : VectorOperation::kAdd,
                             x, state.inputs[1]);
    case LayerKind::kMultiply:
      return builder_.vector(VectorOperation::kMultiply, x, state.inputs[1]);
    case LayerKind::kEmbedding: {
      const Value result = builder_.activation(x.rows, layer.features, builder_.wide_element());
      Value table = builder_.weights(layer.vocabulary, layer.features);
      table.rows = x.rows;  // what one batch reads
      table.element = result.element;
      builder_.copy(table, result);
      return result;
    }
    case LayerKind::kAllReduce:
      return builder_.all_reduce(x);
    case LayerKind::kAllGather:
      return builder_.all_gather(x, layer.features);
    case LayerKind::kConcatenate:
      return concatenate(layer, state.inputs);
    case LayerKind::kFlatten:
      return {x.tensor, x.offset, x.element, builder_.options().batch, layer.shape.c};
    case LayerKind::kFirstToken:
      return {x.tensor, x.offset, x.element, builder_.options().batch, x.cols};
    case LayerKind::kLastToken: {
      const std::int64_t batch = builder_.options().batch;
      return {x.tensor, x.offset + (x.rows - batch) * x.cols * kernels::element_bytes(x.element),
              x.element, batch, x.cols};
    }
    case LayerKind::kReshape:
      return {x.tensor, x.offset, x.element, builder_.options().batch * layer.shape.rows(),
              layer.shape.c};
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
  problem.post = {.scale = tail.has_scale || stands_for_reals(x),
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

Value Forward::linear(const Layer& layer, LayerState& state, const FusedTail& tail) {
  const Value& x = state.inputs.front();
  const bool is_head = &layer == &network_.layers.back() && is_language_model(network_);
  const bool may_quantize = builder_.may_quantize(layer.features, x.cols);
  state.weights =
      builder_.product_weights(layer.features, x.cols, /*may_pack=*/!is_head, may_quantize);
  state.operands = {builder_.operand(x, may_quantize)};
  GemmProblem problem;
  problem.m = x.rows;
  problem.n = layer.features;
  problem.k = x.cols;
  const bool has_residual = tail.residual != FusedTail::kNoResidual;
  problem.epilogue = {.scale = stands_for_reals(state.operands.front()),
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

/// Rows are copied to their experts, which have equal numbers of them (assumption: a router that is
/// trained to balance them); the products of all experts are one kernel, of groups of rows where
/// the machine has one (DeepGEMM: contiguous for prompts, masked for few tokens); what comes back
/// for a row is added up.
constexpr std::int64_t kContiguousRows = 128;  // DeepGEMM, get_m_alignment_for_contiguous_layout
Value Forward::experts(const Layer& layer, const Value& x) {
  const std::int64_t pairs = x.rows * layer.active;
  const std::int64_t used = std::min(layer.experts, pairs);
  const std::int64_t rows = (pairs + used - 1) / used;  // of each expert
  const Value routed = builder_.activation(used * rows, x.cols, x.element);
  Value source = x;
  source.rows = pairs;  // each is read as often
  builder_.copy(source, routed);
  const auto product = [&](const Value& in, std::int64_t columns) {
    const Value weights = builder_.product_weights(layer.experts * columns, in.cols);
    const Value operand = builder_.operand(in, true);
    GemmProblem problem;
    problem.groups.rows.assign(static_cast<std::size_t>(used), rows);
    const bool is_contiguous = rows % kContiguousRows == 0;
    problem.groups.layout =
        is_contiguous ? kernels::GroupLayout::kContiguous : kernels::GroupLayout::kMasked;
    problem.batch = is_contiguous ? 1 : used;
    problem.m = is_contiguous ? used * rows : rows;
    problem.n = columns;
    problem.k = in.cols;
    problem.epilogue.scale = stands_for_reals(operand);
    return builder_.gemm(problem, operand, weights, used * rows, columns);
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

Value Forward::attention(const Layer& layer, LayerState& state) {
  const std::int64_t dim = head_dim(network_, layer);
  for (const Value& input : state.inputs)
    state.operands.push_back(builder_.as(input, builder_.product_element()));
  const auto [q, k, v] = head_operands(layer, dim, state.operands);
  AttentionProblem problem;
  problem.batch = builder_.options().batch;
  problem.heads = layer.heads;
  problem.kv_heads = layer.kv_heads;
  problem.queries = network_.shape_of(layer.inputs.front()).rows();
  problem.keys = keys_of(network_, layer);
  problem.dim = dim;
  problem.causal = layer.is_causal;
  problem.element = builder_.product_element();
  StepBuilder::KeysAndValues read{k, v};
  const bool is_kept = layer.has_cache || layer.is_causal;
  if (is_kept && builder_.options().has_paged_cache) {
    problem.algorithm = kernels::AttentionAlgorithm::kPaged;
    problem.writes_cache = true;
    read.new_k = k;
    read.new_v = v;
  }
  if (layer.has_cache || problem.writes_cache)
    for (Value* operand : {&read.k, &read.v})
      *operand =
          builder_.cache(problem.batch * problem.keys, problem.kv_heads * dim, problem.element);
  if (!fuses_attention()) return unfused_attention(problem, dim, q, read.k, read.v);
  return fused_attention(
      problem, static_cast<double>(macs(network_, layer)) * static_cast<double>(problem.batch), q,
      read);
}

bool Forward::fuses_attention() const {
  const Element element = builder_.product_element();
  const bool is_half = element == Element::kFp16 || element == Element::kBf16;
  return is_half && builder_.options().has_fused_attention;
}

/// Of `macs` for all pairs of queries and keys, a causal kernel carries half of them out.
Value Forward::fused_attention(const AttentionProblem& problem, double macs, const Value& q,
                               const StepBuilder::KeysAndValues& read) {
  if (problem.causal && problem.queries > 1) macs /= 2;
  const Value o = builder_.activation(q.rows, problem.heads * problem.dim, problem.element);
  builder_.attention(problem, macs, q, read, o);
  return o;
}

Value Forward::unfused_attention(const AttentionProblem& problem, std::int64_t value_dim,
                                 const Value& q, const Value& k, const Value& v) {
  GemmProblem product;
  product.batch = problem.batch * problem.heads;
  product.m = problem.queries;
  product.n = problem.keys;
  product.k = problem.dim;
  const Value scores = builder_.gemm(product, q, k, product.batch * problem.queries, problem.keys);
  const Value weights =
      builder_.vector(VectorOperation::kSoftmax, builder_.as(scores, builder_.wide_element()));
  product.n = value_dim;
  product.k = problem.keys;
  product.layout_b = kernels::Layout::kNormal;
  return builder_.gemm(product, builder_.as(weights, builder_.product_element()), v, q.rows,
                       q.cols / problem.dim * value_dim);
}

Value Forward::latent_attention(const Layer& layer, const std::vector<Value>& inputs) {
  const Value query = builder_.as(inputs[0], builder_.product_element());
  if (layer.has_cache) return absorbed_attention(layer, query);
  return expanded_attention(layer, query, builder_.as(inputs[1], builder_.product_element()));
}

/// As the published code of DeepSeek-V3 calls a fused kernel: keys get the rotated columns behind
/// their own, values are padded to the same width (padding and rotated columns cost no bytes here).
Value Forward::expanded_attention(const Layer& layer, const Value& query, const Value& latent) {
  const std::int64_t columns = latent_columns(network_, layer);
  GemmProblem expansion;
  expansion.m = latent.rows;
  expansion.n = 2 * layer.heads * layer.dim;
  expansion.k = columns;
  const Value weights = builder_.product_weights(expansion.n, columns);
  Value compressed = latent;
  compressed.cols = columns;
  compressed = builder_.operand(compressed, true);
  expansion.epilogue.scale = stands_for_reals(compressed);
  Value keys = builder_.as(builder_.gemm(expansion, compressed, weights, latent.rows, expansion.n),
                           query.element);
  keys.cols /= 2;
  Value values = keys;
  values.offset += bytes_of(keys);
  const std::int64_t dim = layer.dim + layer.rope;
  const auto widened = [&](const Value& narrow) {
    const Value wide = builder_.activation(latent.rows, layer.heads * dim, query.element);
    builder_.copy(narrow, wide);
    return wide;
  };
  AttentionProblem problem;
  problem.batch = builder_.options().batch;
  problem.heads = problem.kv_heads = layer.heads;
  problem.queries = layer.shape.rows();
  problem.keys = keys_of(network_, layer);
  problem.dim = dim;
  problem.causal = layer.is_causal;
  problem.element = query.element;
  if (!fuses_attention())
    return unfused_attention(problem, layer.dim, query, widened(keys), values);
  const double multiply_adds = static_cast<double>(query.rows) *
                               static_cast<double>(layer.heads * (dim + layer.dim)) *
                               static_cast<double>(problem.keys);
  Value result = fused_attention(problem, multiply_adds, query, {widened(keys), widened(values)});
  result.cols = layer.heads * layer.dim;  // the padding is cut off
  return result;
}

/// W_k joins the queries and W_v what comes of them, head by head (DeepSeek-V2, section 2.1.2), so
/// that the heads share one key of latent and rotated columns, whose latent columns are the value.
/// Assumption: two products and a softmax; FlashMLA, which fuses them, is not modelled.
Value Forward::absorbed_attention(const Layer& layer, const Value& query) {
  const std::int64_t latent = latent_columns(network_, layer);
  const std::int64_t samples = builder_.options().batch;
  const std::int64_t keys = keys_of(network_, layer);
  const Value cache =
      builder_.cache(samples * keys, latent + layer.rope, builder_.product_element());
  const auto by_head = [&](const Value& x, std::int64_t k, std::int64_t n) {
    GemmProblem problem;
    problem.batch = layer.heads;
    problem.m = query.rows;
    problem.n = n;
    problem.k = k;
    const Value weights = builder_.operand(builder_.weights(layer.heads * n, k), false);
    return builder_.gemm(problem, x, weights, query.rows, layer.heads * n);
  };
  const Value multiplied = by_head(query, layer.dim, latent);
  const Value absorbed =
      builder_.activation(query.rows, layer.heads * (latent + layer.rope), query.element);
  builder_.copy(multiplied, absorbed);
  Value rotated = query;
  rotated.cols = layer.heads * layer.rope;
  Value behind = absorbed;
  behind.offset += bytes_of(multiplied);
  builder_.copy(rotated, behind);
  AttentionProblem problem;
  problem.batch = samples;
  problem.heads = 1;  // of keys: the heads of the queries are rows
  problem.kv_heads = 1;
  problem.queries = layer.shape.rows() * layer.heads;
  problem.keys = keys;
  problem.dim = latent + layer.rope;
  const Value mixed = unfused_attention(problem, latent, absorbed, cache, cache);
  return by_head(mixed, latent, layer.dim);
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

/// A pass that sums the pixels of every channel, and one that scales them: of a group's pixels and
/// channels no CTA holds all (assumption: the sums of squares cost the first nothing more).
Value Forward::group_norm(const Layer& layer, const Value& x) {
  const Value wide = builder_.as(x, builder_.wide_element());
  kernels::PoolProblem sums;
  sums.operation = kernels::PoolOperation::kAverage;
  sums.n = builder_.options().batch;
  sums.h = sums.r = sums.stride_h = layer.shape.h;
  sums.w = sums.s = sums.stride_w = layer.shape.w;
  sums.c = layer.shape.c;
  const Value means = builder_.pool(sums, wide);
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
