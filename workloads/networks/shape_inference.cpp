#include "workloads/networks/shape_inference.hpp"

#include <initializer_list>
#include <numeric>
#include <utility>

#include "workloads/kernels/conv/pool.hpp"

namespace tcsim::networks {
namespace {

using kernels::kLargestTensor;

constexpr std::int64_t kMostWeights = std::int64_t{1} << 50;  // of experts: counts stay exact

InferredShape refused(std::string reason) { return {std::nullopt, std::move(reason)}; }
InferredShape given(const Shape& shape) { return {shape, {}}; }

std::size_t fewest_inputs(LayerKind kind) {
  const bool takes_two = kind == LayerKind::kAdd || kind == LayerKind::kMultiply ||
                         kind == LayerKind::kConcatenate || kind == LayerKind::kMatmul ||
                         kind == LayerKind::kLatentAttention;
  return takes_two ? 2 : 1;
}

std::size_t most_inputs(LayerKind kind) {
  if (kind == LayerKind::kConcatenate) return SIZE_MAX;
  return kind == LayerKind::kAttention ? 3 : fewest_inputs(kind);
}

/// From the first tap to the last.
std::int64_t window_h(const Layer& layer) { return layer.dil_h * (layer.r - 1) + 1; }
std::int64_t window_w(const Layer& layer) { return layer.dil_w * (layer.s - 1) + 1; }

InferredShape windows(const Layer& layer, const Shape& input, std::int64_t channels) {
  const std::int64_t h = window_h(layer);
  const std::int64_t w = window_w(layer);
  const auto positions = [&](std::int64_t extent, std::int64_t size, std::int64_t stride,
                             std::int64_t pad) {
    return kernels::window_positions(extent, size, stride, pad, layer.has_ceiling);
  };
  const Shape shape{positions(input.h, h, layer.stride_h, layer.pad_h),
                    positions(input.w, w, layer.stride_w, layer.pad_w), channels};
  if (shape.h <= 0 || shape.w <= 0)
    return refused("a window of " + std::to_string(h) + "x" + std::to_string(w) +
                   " is larger than its padded input of " + text(input));
  return given(shape);
}

InferredShape pool(const Layer& layer, const Shape& input) {
  if (2 * layer.pad_h > layer.r || 2 * layer.pad_w > layer.s)
    return refused("its padding is wider than half of the window");
  return windows(layer, input, input.c);
}

/// Why a convolution cannot have its filters of `channels` channels; empty if it can.
std::string filter_mistake(const Layer& layer, std::int64_t channels) {
  if (layer.r * layer.s <= kLargestTensor / layer.features / channels) return {};
  return "its filters have more than 2147483648 elements";
}

InferredShape conv(const Layer& layer, const Shape& input) {
  const std::int64_t groups = groups_of(layer, input.c);
  if (input.c % groups != 0 || layer.features % groups != 0)
    return refused(std::to_string(groups) + " groups do not divide " + std::to_string(input.c) +
                   " channels and " + std::to_string(layer.features) + " filters");
  if (std::string mistake = filter_mistake(layer, input.c / groups); !mistake.empty())
    return refused(std::move(mistake));
  return windows(layer, input, layer.features);
}

InferredShape conv_transpose(const Layer& layer, const Shape& input) {
  if (std::string mistake = filter_mistake(layer, input.c); !mistake.empty())
    return refused(std::move(mistake));
  if (layer.more_h >= layer.stride_h || layer.more_w >= layer.stride_w)
    return refused("more rows or columns after the last window than its stride leaves");
  const Shape shape{
      (input.h - 1) * layer.stride_h + window_h(layer) - 2 * layer.pad_h + layer.more_h,
      (input.w - 1) * layer.stride_w + window_w(layer) - 2 * layer.pad_w + layer.more_w,
      layer.features};
  if (shape.h <= 0 || shape.w <= 0) return refused("its padding leaves an empty result");
  return given(shape);
}

InferredShape group_norm(const Layer& layer, const Shape& input) {
  if (input.c % groups_of(layer, input.c) != 0)
    return refused(std::to_string(layer.groups) + " groups do not divide " +
                   std::to_string(input.c) + " channels");
  return given(input);
}

InferredShape latent_attention(const Layer& layer, const Shape& query, const Shape& latent) {
  if (query.c != layer.heads * (layer.dim + layer.rope))
    return refused("its queries need " + std::to_string(layer.heads * (layer.dim + layer.rope)) +
                   " columns, not " + std::to_string(query.c));
  if (latent.c <= layer.rope)
    return refused("beside " + std::to_string(layer.rope) + " rotated columns, " +
                   std::to_string(latent.c) + " columns leave none for keys and values");
  return given({query.h, query.w, layer.heads * layer.dim});
}

InferredShape attention(const Layer& layer, const std::vector<Shape>& inputs) {
  if (layer.heads % layer.kv_heads != 0)
    return refused("kv_heads=" + std::to_string(layer.kv_heads) +
                   " does not divide heads=" + std::to_string(layer.heads));
  const bool is_joined = inputs.size() == 1;
  const std::int64_t parts = is_joined ? layer.heads + 2 * layer.kv_heads : layer.heads;
  if (inputs.size() == 2) return refused("takes one input [Q K V] or three");
  if (inputs[0].c % parts != 0)
    return refused(std::to_string(inputs[0].c) + " columns are not a multiple of " +
                   std::to_string(parts) + " heads" + (is_joined ? " of [Q K V]" : ""));
  const std::int64_t dim = inputs[0].c / parts;
  for (std::size_t i = 1; i < inputs.size(); ++i)
    if (inputs[i].c != layer.kv_heads * dim)
      return refused("K and V need " + std::to_string(layer.kv_heads * dim) + " columns, not " +
                     std::to_string(inputs[i].c));
  if (!is_joined && !layer.has_cache) {
    if (inputs[1].rows() != inputs[2].rows())
      return refused("K has " + std::to_string(inputs[1].rows()) + " rows, V has " +
                     std::to_string(inputs[2].rows()));
    if (layer.keys > 0 && layer.keys < inputs[1].rows())
      return refused("keys=" + std::to_string(layer.keys) + ", but K has " +
                     std::to_string(inputs[1].rows()) + " rows");
  }
  return given({inputs[0].h, inputs[0].w, layer.heads * dim});
}

InferredShape same_shapes(const std::vector<Shape>& inputs) {
  if (inputs[0] != inputs[1])
    return refused("its inputs differ: " + text(inputs[0]) + " and " + text(inputs[1]));
  return given(inputs[0]);
}

/// The second input is as large as the first, or one row that is added to all.
InferredShape sum(const std::vector<Shape>& inputs) {
  if (inputs[1] == Shape{1, 1, inputs[0].c}) return given(inputs[0]);
  return same_shapes(inputs);
}

InferredShape concatenated(const std::vector<Shape>& inputs) {
  Shape shape = inputs.front();
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    if (inputs[i].h != shape.h || inputs[i].w != shape.w)
      return refused("its inputs differ in pixels: " + text(inputs.front()) + " and " +
                     text(inputs[i]));
    shape.c += inputs[i].c;
  }
  return given(shape);
}

InferredShape halved(const Shape& input) {
  if (input.c % 2 != 0) return refused("an odd number of columns has no halves");
  return given({input.h, input.w, input.c / 2});
}

/// Whether two products are equal; sizes in files may overflow integers.
bool are_equal(std::initializer_list<std::int64_t> a, std::initializer_list<std::int64_t> b) {
  const auto product = [](const std::initializer_list<std::int64_t>& factors) {
    return std::accumulate(
        factors.begin(), factors.end(), 1.0,
        [](double so_far, std::int64_t factor) { return so_far * static_cast<double>(factor); });
  };
  return product(a) == product(b);
}

InferredShape reshaped(const Layer& layer, const Shape& input) {
  const Shape& shape = layer.new_shape;
  if (!layer.resizes && !are_equal({shape.h, shape.w, shape.c}, {input.h, input.w, input.c}))
    return refused(text(shape) + " does not have the elements of its input of " + text(input) +
                   "; with resizes: true it has its own memory");
  return given(shape);
}

/// Why `input` cannot be an operand of `count` times `rows` x `cols`; empty if it can.
std::string operand_mistake(const char* which, std::int64_t count, std::int64_t rows,
                            std::int64_t cols, const Shape& input) {
  if (are_equal({count, rows, cols}, {input.h, input.w, input.c})) return {};
  return "its " + std::string(which) + " input has " + text(input) + " elements, not " +
         std::to_string(count) + " x " + std::to_string(rows) + " x " + std::to_string(cols);
}

InferredShape matmul(const Layer& layer, const std::vector<Shape>& inputs) {
  std::string mistake = operand_mistake("first", layer.count, layer.m, layer.k, inputs[0]);
  if (mistake.empty())
    mistake = operand_mistake("second", layer.count, layer.k, layer.n, inputs[1]);
  if (!mistake.empty()) return refused(mistake);
  return given({layer.m, 1, layer.n * layer.count});
}

InferredShape embedding(const Layer& layer, const Shape& input) {
  if (input.c != 1)
    return refused("takes one number of a row for each token, not the " + std::to_string(input.c) +
                   " columns of " + text(input));
  return given({input.h, input.w, layer.features});
}

InferredShape experts(const Layer& layer, const Shape& input) {
  if (layer.experts > kMostWeights / (kProductsOfExpert * layer.features) / input.c)
    return refused("its weights have more than 2^50 elements");
  return given(input);
}

InferredShape infer_any(const Layer& layer, const std::vector<Shape>& inputs) {
  const Shape& x = inputs.front();
  switch (layer.kind) {
    case LayerKind::kConv:
      return conv(layer, x);
    case LayerKind::kLinear:
      return given({x.h, x.w, layer.features});
    case LayerKind::kEmbedding:
      return embedding(layer, x);
    case LayerKind::kMatmul:
      return matmul(layer, inputs);
    case LayerKind::kAttention:
      return attention(layer, inputs);
    case LayerKind::kMaxPool:
    case LayerKind::kAveragePool:
      return pool(layer, x);
    case LayerKind::kGlobalAveragePool:
      return given({1, 1, x.c});
    case LayerKind::kConvTranspose:
      return conv_transpose(layer, x);
    case LayerKind::kGroupNorm:
      return group_norm(layer, x);
    case LayerKind::kUpsample:
      return given({x.h * layer.r, x.w * layer.s, x.c});
    case LayerKind::kLatentAttention:
      return latent_attention(layer, x, inputs[1]);
    case LayerKind::kExperts:
      return experts(layer, x);
    case LayerKind::kAdd:
      return sum(inputs);
    case LayerKind::kMultiply:
      return same_shapes(inputs);
    case LayerKind::kSiluAndMultiply:
      return halved(x);
    case LayerKind::kConcatenate:
      return concatenated(inputs);
    case LayerKind::kFlatten:
      return given({1, 1, x.elements()});
    case LayerKind::kAllGather:
      return given({x.h, x.w, layer.features});
    case LayerKind::kReshape:
      return reshaped(layer, x);
    case LayerKind::kFirstToken:
    case LayerKind::kLastToken:
      return given({1, x.w, x.c});
    default:
      return given(x);
  }
}

}  // namespace

std::int64_t groups_of(const Layer& layer, std::int64_t channels) {
  return layer.groups == 0 ? channels : layer.groups;
}

InferredShape infer_shape(const Layer& layer, const std::vector<Shape>& inputs) {
  if (inputs.size() < fewest_inputs(layer.kind) || inputs.size() > most_inputs(layer.kind))
    return refused(std::string(word(layer.kind)) + " takes " +
                   std::to_string(fewest_inputs(layer.kind)) +
                   (most_inputs(layer.kind) > fewest_inputs(layer.kind) ? " or more inputs, not "
                                                                        : " inputs, not ") +
                   std::to_string(inputs.size()));
  InferredShape inferred = infer_any(layer, inputs);
  if (!inferred.shape) return inferred;
  const Shape& shape = *inferred.shape;
  if (shape.h > kLargestTensor || shape.w > kLargestTensor || shape.c > kLargestTensor ||
      shape.rows() > kLargestTensor || shape.rows() > kLargestTensor / shape.c)
    return refused("its result has more than 2147483648 elements");
  return inferred;
}

}  // namespace tcsim::networks
