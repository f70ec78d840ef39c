#include "workloads/networks/attention_layers.hpp"

#include "workloads/kernels/buffer_row.hpp"
#include "workloads/networks/counts.hpp"

namespace tcsim::networks {
namespace {

using kernels::AttentionProblem;
using kernels::Element;
using kernels::GemmProblem;
using kernels::VectorOperation;

}  // namespace

bool fuses_attention(const StepBuilder& builder) {
  const Element element = builder.product_element();
  const bool is_half = element == Element::kFp16 || element == Element::kBf16;
  return is_half && builder.options().has_fused_attention;
}

HeadOperands head_operands(const Layer& layer, std::int64_t dim, const std::vector<Value>& inputs) {
  if (inputs.size() == 3) return {inputs[0], inputs[1], inputs[2]};
  const auto behind = [](const Value& value, std::int64_t cols) {
    Value next = value;
    next.offset += kernels::BufferRow::aligned(bytes_of(value));
    next.cols = cols;
    return next;
  };
  Value q = inputs[0];
  q.cols = layer.heads * dim;
  const Value k = behind(q, layer.kv_heads * dim);
  return {q, k, behind(k, layer.kv_heads * dim)};
}

Value AttentionLayers::attention(const Layer& layer, const std::vector<Value>& operands) {
  const std::int64_t dim = head_dim(network_, layer);
  const auto [q, k, v] = head_operands(layer, dim, operands);
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
  const std::int64_t key_rows = problem.batch * problem.keys;
  if (layer.has_cache || problem.writes_cache) {
    for (Value* operand : {&read.k, &read.v})
      *operand = builder_.cache(key_rows, problem.kv_heads * dim, problem.element);
  } else {
    // Alignment leaves gaps in [Q K V]; keys and values of earlier tokens follow those of the
    // input.
    for (const Value& operand : {k, v}) builder_.reserve(operand, key_rows);
  }
  if (!fuses_attention(builder_)) return unfused_attention(problem, dim, q, read.k, read.v);
  return fused_attention(
      problem, static_cast<double>(macs(network_, layer)) * static_cast<double>(problem.batch), q,
      read);
}

/// `macs` counts all pairs of queries and keys; a causal mask leaves fewer.
Value AttentionLayers::fused_attention(const AttentionProblem& problem, double macs, const Value& q,
                                       const StepBuilder::KeysAndValues& read) {
  macs = macs / static_cast<double>(problem.queries * problem.keys) *
         kernels::attention_pairs(problem);
  const Value o = builder_.activation(q.rows, problem.heads * problem.dim, problem.element);
  builder_.attention(problem, macs, q, read, o);
  return o;
}

/// Heads with the same keys and values are rows of one product, so that it reads those once.
Value AttentionLayers::unfused_attention(const AttentionProblem& problem, std::int64_t value_dim,
                                         const Value& q, const Value& k, const Value& v) {
  GemmProblem product;
  product.batch = problem.batch * problem.kv_heads;
  product.m = problem.heads / problem.kv_heads * problem.queries;
  product.n = problem.keys;
  product.k = problem.dim;
  const Value scores = builder_.gemm(product, q, k, product.batch * product.m, problem.keys);
  const Value weights =
      builder_.vector(VectorOperation::kSoftmax, builder_.as(scores, builder_.wide_element()));
  product.n = value_dim;
  product.k = problem.keys;
  product.layout_b = kernels::Layout::kNormal;
  return builder_.gemm(product, builder_.as(weights, builder_.product_element()), v, q.rows,
                       q.cols / problem.dim * value_dim);
}

Value AttentionLayers::latent_attention(const Layer& layer, const std::vector<Value>& inputs) {
  const Value query = builder_.as(inputs[0], builder_.product_element());
  if (layer.has_cache) return absorbed_attention(layer, query);
  return expanded_attention(layer, query, builder_.as(inputs[1], builder_.product_element()));
}

/// Calls a fused kernel like the published code of DeepSeek-V3: the rotated columns follow the
/// keys' own, and values are padded to the same width (padding and rotated columns cost no bytes
/// here).
Value AttentionLayers::expanded_attention(const Layer& layer, const Value& query,
                                          const Value& latent) {
  const std::int64_t columns = latent_columns(network_, layer);
  GemmProblem expansion;
  expansion.m = latent.rows;
  expansion.n = 2 * layer.heads * layer.dim;
  expansion.k = columns;
  const bool may_quantize = builder_.may_quantize(expansion.n, columns);
  const Value weights = builder_.product_weights(builder_.weights(expansion.n, columns),
                                                 /*may_pack=*/true, may_quantize);
  Value compressed = latent;
  compressed.cols = columns;
  compressed = builder_.operand(compressed, may_quantize);
  expansion.epilogue.scale = compressed.stands_for_reals();
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
  if (!fuses_attention(builder_))
    return unfused_attention(problem, layer.dim, query, widened(keys), values);
  const double multiply_adds = static_cast<double>(query.rows) *
                               static_cast<double>(layer.heads * (dim + layer.dim)) *
                               static_cast<double>(problem.keys);
  Value result = fused_attention(problem, multiply_adds, query, {widened(keys), widened(values)});
  result.cols = layer.heads * layer.dim;  // the padding is cut off
  return result;
}

/// W_k is absorbed into the queries and W_v into the output, head by head (DeepSeek-V2, section
/// 2.1.2), so that the heads share one key of latent and rotated columns, whose latent columns are
/// the value. Assumption: two products and a softmax; FlashMLA, which fuses them, is not modelled.
Value AttentionLayers::absorbed_attention(const Layer& layer, const Value& query) {
  const std::int64_t latent = latent_columns(network_, layer);
  const std::int64_t samples = builder_.options().batch;
  const std::int64_t keys = keys_of(network_, layer);
  const Value cache =
      builder_.cache(samples * keys, latent + layer.rope, builder_.product_element());
  const auto by_head = [&](Value x, std::int64_t k, std::int64_t n) {
    GemmProblem problem;
    problem.batch = layer.heads;
    problem.m = query.rows;
    problem.n = n;
    problem.k = k;
    const bool may_quantize = builder_.may_quantize(n, k);
    const Value weights = builder_.product_weights(builder_.weights(layer.heads * n, k),
                                                   /*may_pack=*/true, may_quantize);
    x.cols = layer.heads * k;  // without rotated columns
    x = builder_.operand(x, may_quantize);
    problem.epilogue.scale = x.stands_for_reals();
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
  problem.heads = 1;  // heads of keys: the heads of the queries are rows
  problem.kv_heads = 1;
  problem.queries = layer.shape.rows() * layer.heads;
  problem.keys = keys;
  problem.dim = latent + layer.rope;
  const Value mixed = unfused_attention(problem, latent, absorbed, cache, cache);
  return by_head(mixed, latent, layer.dim);
}

}  // namespace tcsim::networks
