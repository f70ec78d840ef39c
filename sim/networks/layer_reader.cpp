#include "sim/networks/layer_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sim/config/nearest.hpp"

namespace tcsim::networks {
namespace {

constexpr std::int64_t kMostFeatures = std::int64_t{1} << 24;

/// A number, or "channels".
std::int64_t channel_count(MapReader& map, std::string_view key, std::int64_t channels,
                           std::optional<std::int64_t> absent) {
  const config::TreeNode* node = map.find(key);
  if (node != nullptr && node->text == "channels") return channels;
  return map.number(key, absent, 1, kMostFeatures);
}

/// `both` sets the two directions, each of which may also stand alone.
void read_pair(MapReader& map, std::string_view both, std::string_view first,
               std::string_view second, std::int64_t least, std::int64_t absent, std::int64_t& a,
               std::int64_t& b) {
  const std::int64_t shared = map.number(both, absent, least, kMostPixels);
  a = map.number(first, shared, least, kMostPixels);
  b = map.number(second, shared, least, kMostPixels);
}

void read_window(MapReader& map, Layer& layer, bool strides_by_size) {
  if (map.find("rs") == nullptr && map.find("r") == nullptr)
    map.mistake(map.place(), word(layer.kind), "'rs' is missing");
  read_pair(map, "rs", "r", "s", 1, 1, layer.r, layer.s);
  read_pair(map, "stride", "stride_h", "stride_w", 1, strides_by_size ? layer.r : 1, layer.stride_h,
            layer.stride_w);
  read_pair(map, "pad", "pad_h", "pad_w", 0, 0, layer.pad_h, layer.pad_w);
}

void read_attention(MapReader& map, Layer& layer) {
  layer.heads = map.number("heads", std::nullopt, 1, kMostPixels);
  layer.kv_heads = map.number("kv_heads", layer.heads, 1, kMostPixels);
  layer.keys = map.number("keys", 0, 0, kMostFeatures);
  layer.is_causal = map.flag("causal", false);
}

void read_matmul(MapReader& map, Layer& layer) {
  layer.m = map.number("m", std::nullopt, 1, kMostFeatures);
  layer.n = map.number("n", std::nullopt, 1, kMostFeatures);
  layer.k = map.number("k", std::nullopt, 1, kMostFeatures);
  layer.count = map.number("count", 1, 1, kMostPixels);
}

}  // namespace

std::optional<LayerKind> read_kind(MapReader& map) {
  const std::optional<std::string> name = map.text("op", /*required=*/true);
  if (!name) return std::nullopt;
  const auto& words = layer_words();
  const auto found = std::ranges::find(words, *name);
  if (found != words.end()) return static_cast<LayerKind>(found - words.begin());
  const std::string meant = config::did_you_mean(*name, words);
  map.mistake(
      map.place_of("op"), "op",
      fmt::format("unknown operator '{}'{}", *name,
                  meant.empty() ? fmt::format("; known: {}", fmt::join(words, ", ")) : meant));
  return std::nullopt;
}

void read_parameters(MapReader& map, std::int64_t channels, Layer& layer) {
  switch (layer.kind) {
    case LayerKind::kConv:
      layer.features = channel_count(map, "k", channels, std::nullopt);
      read_window(map, layer, false);
      layer.groups = channel_count(map, "groups", channels, 1);
      layer.has_bias = map.flag("bias", true);
      return;
    case LayerKind::kLinear:
      layer.features = channel_count(map, "out", channels, std::nullopt);
      layer.has_bias = map.flag("bias", true);
      layer.has_tied_weights = map.flag("tied", false);
      return;
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
      layer.vocabulary = map.number("vocabulary", std::nullopt, 1, kMostFeatures);
      layer.features = map.number("out", std::nullopt, 1, kMostFeatures);
      return;
    case LayerKind::kReshape:
      layer.new_shape.h = map.number("h", 1, 1, kMostFeatures);
      layer.new_shape.w = map.number("w", 1, 1, kMostFeatures);
      layer.new_shape.c = map.number("c", std::nullopt, 1, kMostFeatures);
      return;
    default:
      return;
  }
}

}  // namespace tcsim::networks
