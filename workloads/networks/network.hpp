#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tcsim::networks {

/// One sample of an activation: an image of h x w pixels with c channels; a sequence is h tokens
/// with w = 1; a vector has h = w = 1. The batch is not included.
struct Shape {
  std::int64_t h = 1;
  std::int64_t w = 1;
  std::int64_t c = 1;

  [[nodiscard]] std::int64_t rows() const { return h * w; }
  [[nodiscard]] std::int64_t elements() const { return h * w * c; }
  bool operator==(const Shape&) const = default;
};

/// "56x56x64".
std::string text(const Shape& shape);

enum class LayerKind : std::uint8_t {
  kConv,       ///< k filters of r x s, groups; w of c / groups channels
  kLinear,     ///< features of every row
  kMatmul,     ///< product of two activations, `count` times per sample: m x k by k x n
  kAttention,  ///< softmax(Q K^T / sqrt(d)) V; one input [Q K V] by columns, or three
  kMaxPool,    ///< over windows r x s
  kAveragePool,
  kGlobalAveragePool,  ///< over all pixels
  kBatchNorm,
  kLayerNorm,
  kRmsNorm,
  kRelu,
  kGelu,
  kSilu,
  kTanh,
  kSigmoid,
  kSoftmax,
  kAdd,
  kMultiply,
  kSiluAndMultiply,  ///< halves of the columns: silu(first) * second
  kEmbedding,        ///< a row of `features` for every token
  kConcatenate,      ///< channels of all inputs, one after another
  kFlatten,          ///< rows and columns become one row; no kernel
  kFirstToken,       ///< row 0 of a sequence; no kernel
  kLastToken,        ///< its last row, from which generation continues; no kernel
  kReshape,          ///< the same memory seen as h x w x c; no kernel
  kIdentity,         ///< dropout and the like at inference; no kernel
  kExperts,          ///< gated perceptrons; every row goes through `active` of `experts`
  kConvTranspose,    ///< the data gradient of a convolution whose image has `features` channels
  kGroupNorm,        ///< over the pixels and the channels of each of `groups`
  kUpsample,         ///< every pixel fills r x s pixels
  /// Keys and values of all heads are computed from one vector per token (DeepSeek-V2).
  kLatentAttention,
  kAllReduce,  ///< sums over GPUs (tensor_parallel); not in network files
  kAllGather,  ///< `features` columns of all GPUs together; not in network files
};

inline bool is_collective(LayerKind kind) {
  return kind == LayerKind::kAllReduce || kind == LayerKind::kAllGather;
}

/// The layer's word in network files, such as "conv".
std::string_view word(LayerKind kind);
/// The words of network files, in the order of LayerKind, without the collective kinds.
const std::vector<std::string_view>& layer_words();

/// The input of the network in Layer::inputs.
inline constexpr int kNetworkInput = -1;

/// One operator. Members that its kind does not use keep their defaults.
struct Layer {
  std::string name;
  LayerKind kind = LayerKind::kIdentity;
  std::vector<int> inputs;  ///< earlier layers by index, or kNetworkInput

  std::int64_t features = 0;  ///< conv: filters; linear, embedding: columns of the result;
                              ///< experts: columns between their products
  std::int64_t r = 1;
  std::int64_t s = 1;
  std::int64_t stride_h = 1;
  std::int64_t stride_w = 1;
  std::int64_t pad_h = 0;
  std::int64_t pad_w = 0;
  std::int64_t dil_h = 1;
  std::int64_t dil_w = 1;
  std::int64_t more_h = 0;  ///< conv_transpose: rows added after the last window
  std::int64_t more_w = 0;
  std::int64_t groups = 1;        ///< 0: one per channel of the input
  bool has_bias = true;           ///< conv, linear
  bool has_tied_weights = false;  ///< linear: the weights belong to another layer
  bool has_ceiling = false;       ///< pools: a last window that is only partly filled counts
  bool counts_padding = true;     ///< avg_pool: padding counts as zeros
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t dim = 0;   ///< latent_attention: columns of a head without the rotated ones
  std::int64_t rope = 0;  ///< latent_attention: rotated columns, one key for all heads
  std::int64_t keys = 0;  ///< attention: keys of a head; 0: as many as queries
  bool is_causal = false;
  /// Attention: keys and values are stored in memory that outlasts the pass.
  bool has_cache = false;
  std::int64_t vocabulary = 0;  ///< embedding: rows of its table
  std::int64_t experts = 0;     ///< experts: how many there are
  std::int64_t active = 0;      ///< experts: number of experts that each row goes through
  std::int64_t m = 0;           ///< matmul
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t count = 1;

  Shape new_shape;       ///< reshape
  bool resizes = false;  ///< reshape: of other elements, which no simulated layer makes

  Shape shape;  ///< shape of the result, from infer_shape
};

/// True if a decode pass reads its keys and values from a cache.
inline bool is_causal_attention(const Layer& layer) {
  return layer.is_causal &&
         (layer.kind == LayerKind::kAttention || layer.kind == LayerKind::kLatentAttention);
}

/// A part of an imported file that the simulation leaves out.
struct Skipped {
  std::string name;
  std::string operation;
  std::optional<double> macs;  ///< per sample, if known
};

struct Network {
  std::string name;
  std::string source;  ///< paper or program that it follows
  Shape input;
  bool takes_tokens = false;  ///< the input is one number per token
  bool is_sequence = false;   ///< rows of the input are tokens, of one number or more
  std::vector<Layer> layers;  ///< in an order in which they can run
  std::vector<Skipped> skipped;

  /// Shape of an input of a layer. Requires an index of Layer::inputs.
  [[nodiscard]] const Shape& shape_of(int index) const {
    return index == kNetworkInput ? input : layers[static_cast<std::size_t>(index)].shape;
  }
};

/// For every layer the layers that read its result, ascending; one that reads it twice, twice.
std::vector<std::vector<int>> readers(const Network& network);

}  // namespace tcsim::networks
