#include "sim/networks/layer_reader.hpp"

namespace tcsim::networks {
namespace {

using config::StrictMap;

/// A number, or "channels".
std::int64_t channel_count(StrictMap& map, std::string_view key, std::int64_t channels,
                           std::optional<std::int64_t> absent) {
  const config::TreeNode* node = map.find(key);
  if (node != nullptr && node->text == "channels") return channels;
  return map.integer(key, 1, kMostFeatures, absent);
}

/// The keys of a size in both directions together and in each.
struct PairKeys {
  std::string_view both;
  std::string_view first;
  std::string_view second;
};

/// `a` and `b` have the values for keys that are absent: 0, below `least`, where one is needed.
void read_pair(StrictMap& map, const PairKeys& keys, std::int64_t least, std::int64_t& a,
               std::int64_t& b) {
  if (map.find(keys.both) != nullptr) a = b = map.integer(keys.both, least, kMostPixels);
  const auto read = [&](std::string_view key, std::int64_t& value) {
    value =
        map.integer(key, least, kMostPixels, value < least ? std::nullopt : std::optional(value));
  };
  read(keys.first, a);
  read(keys.second, b);
}

void read_window(StrictMap& map, Layer& layer, bool strides_by_size) {
  const bool has_sides = map.find("r") != nullptr || map.find("s") != nullptr;
  if (has_sides || map.find("rs", /*required=*/true) != nullptr) layer.r = layer.s = 0;
  read_pair(map, {"rs", "r", "s"}, 1, layer.r, layer.s);
  layer.stride_h = strides_by_size ? layer.r : 1;
  layer.stride_w = strides_by_size ? layer.s : 1;
  read_pair(map, {"stride", "stride_h", "stride_w"}, 1, layer.stride_h, layer.stride_w);
  read_pair(map, {"pad", "pad_h", "pad_w"}, 0, layer.pad_h, layer.pad_w);
}

void read_dilation(StrictMap& map, Layer& layer) {
  read_pair(map, {"dil", "dil_h", "dil_w"}, 1, layer.dil_h, layer.dil_w);
}

void read_conv_transpose(StrictMap& map, std::int64_t channels, Layer& layer) {
  layer.features = channel_count(map, "k", channels, std::nullopt);
  read_window(map, layer, false);
  read_dilation(map, layer);
  read_pair(map, {"more", "more_h", "more_w"}, 0, layer.more_h, layer.more_w);
  layer.has_bias = map.flag("bias", true);
}

void read_latent_attention(StrictMap& map, Layer& layer) {
  layer.heads = map.integer("heads", 1, kMostPixels);
  layer.dim = map.integer("dim", 1, kMostPixels);
  layer.rope = map.integer("rope", 0, kMostPixels, 0);
  layer.is_causal = map.flag("causal", false);
}

void read_attention(StrictMap& map, Layer& layer) {
  layer.heads = map.integer("heads", 1, kMostPixels);
  layer.kv_heads = map.integer("kv_heads", 1, kMostPixels, layer.heads);
  layer.keys = map.integer("keys", 0, kMostFeatures, 0);
  layer.is_causal = map.flag("causal", false);
}

void read_matmul(StrictMap& map, Layer& layer) {
  layer.m = map.integer("m", 1, kMostFeatures);
  layer.n = map.integer("n", 1, kMostFeatures);
  layer.k = map.integer("k", 1, kMostFeatures);
  layer.count = map.integer("count", 1, kMostPixels, 1);
}

}  // namespace

std::optional<LayerKind> read_kind(StrictMap& map) {
  const std::size_t mistakes_before = map.mistakes().count();
  const std::size_t kind = map.word("op", layer_words());
  if (map.mistakes().count() > mistakes_before) return std::nullopt;
  return static_cast<LayerKind>(kind);
}

void read_parameters(StrictMap& map, std::int64_t channels, Layer& layer) {
  switch (layer.kind) {
    case LayerKind::kConv:
      layer.features = channel_count(map, "k", channels, std::nullopt);
      read_window(map, layer, false);
      read_dilation(map, layer);
      layer.groups = channel_count(map, "groups", channels, 1);
      layer.has_bias = map.flag("bias", true);
      return;
    case LayerKind::kLinear:
      layer.features = channel_count(map, "out", channels, std::nullopt);
      layer.has_bias = map.flag("bias", true);
      layer.has_tied_weights = map.flag("tied", false);
      return;
    case LayerKind::kConvTranspose:
      return read_conv_transpose(map, channels, layer);
    case LayerKind::kLatentAttention:
      return read_latent_attention(map, layer);
    case LayerKind::kGroupNorm:
      layer.groups = channel_count(map, "groups", channels, std::nullopt);
      return;
    case LayerKind::kUpsample:
      layer.r = layer.s = 2;
      return read_pair(map, {"rs", "r", "s"}, 1, layer.r, layer.s);
    case LayerKind::kMatmul:
      return read_matmul(map, layer);
    case LayerKind::kAttention:
      return read_attention(map, layer);
    case LayerKind::kMaxPool:
    case LayerKind::kAveragePool:
      read_window(map, layer, true);
      layer.has_ceiling = map.flag("ceil", false);
      if (layer.kind == LayerKind::kAveragePool) layer.counts_padding = map.flag("count_pad", true);
      return;
    case LayerKind::kEmbedding:
      layer.vocabulary = map.integer("vocabulary", 1, kMostFeatures);
      layer.features = map.integer("out", 1, kMostFeatures);
      return;
    case LayerKind::kExperts:
      layer.features = map.integer("out", 1, kMostFeatures);
      layer.experts = map.integer("experts", 1, kMostPixels);
      layer.active = map.integer("active", 1, layer.experts > 0 ? layer.experts : 1);
      return;
    case LayerKind::kReshape:
      layer.new_shape.h = map.integer("h", 1, kMostFeatures, 1);
      layer.new_shape.w = map.integer("w", 1, kMostFeatures, 1);
      layer.new_shape.c = map.integer("c", 1, kMostFeatures);
      layer.resizes = map.flag("resizes", false);
      return;
    default:
      return;
  }
}

}  // namespace tcsim::networks
