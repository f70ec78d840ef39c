#include "workloads/networks/counts.hpp"

#include <algorithm>
#include <initializer_list>

#include "workloads/networks/shape_inference.hpp"

namespace tcsim::networks {
namespace {

/// Counts are exact up to 2^53 and are limited to 2^62: sizes in files may give more.
std::int64_t count_of(double value) {
  constexpr double kMost = 4611686018427387904.0;
  return static_cast<std::int64_t>(std::min(value, kMost));
}

std::int64_t product(std::initializer_list<std::int64_t> factors) {
  double value = 1;
  for (const std::int64_t factor : factors) value *= static_cast<double>(factor);
  return count_of(value);
}

}  // namespace

std::int64_t head_dim(const Network& network, const Layer& layer) {
  const std::int64_t parts =
      layer.inputs.size() == 1 ? layer.heads + 2 * layer.kv_heads : layer.heads;
  return network.shape_of(layer.inputs.front()).c / parts;
}

std::int64_t latent_columns(const Network& network, const Layer& layer) {
  return network.shape_of(layer.inputs[1]).c - layer.rope;
}

std::int64_t cache_columns(const Network& network, const Layer& layer) {
  if (layer.kind == LayerKind::kLatentAttention) return network.shape_of(layer.inputs[1]).c;
  return 2 * layer.kv_heads * head_dim(network, layer);
}

std::int64_t keys_of(const Network& network, const Layer& layer) {
  if (layer.keys > 0) return layer.keys;
  return network.shape_of(layer.inputs[layer.inputs.size() == 1 ? 0 : 1]).rows();
}

std::int64_t parameters(const Network& network, const Layer& layer) {
  const std::int64_t channels = network.shape_of(layer.inputs.front()).c;
  const std::int64_t bias = layer.has_bias ? layer.features : 0;
  switch (layer.kind) {
    case LayerKind::kConvTranspose:
      return product({layer.features, layer.r, layer.s, channels}) + bias;
    case LayerKind::kLatentAttention:
      return product({2, layer.heads, layer.dim, latent_columns(network, layer)});
    case LayerKind::kConv:
      return product({layer.features, layer.r, layer.s, channels / groups_of(layer, channels)}) +
             bias;
    case LayerKind::kLinear:
      return (layer.has_tied_weights ? 0 : layer.features * channels) + bias;
    case LayerKind::kEmbedding:
      return layer.vocabulary * layer.features;
    case LayerKind::kExperts:
      return product({layer.experts, kProductsOfExpert, layer.features, channels});
    case LayerKind::kBatchNorm:
    case LayerKind::kGroupNorm:
    case LayerKind::kLayerNorm:
      return 2 * channels;
    case LayerKind::kRmsNorm:
      return channels;
    default:
      return 0;
  }
}

std::int64_t parameters(const Network& network) {
  double sum = 0;
  for (const Layer& layer : network.layers) sum += static_cast<double>(parameters(network, layer));
  return count_of(sum);
}

namespace {

/// A pass over a whole sequence computes keys and values of all heads. With a cache of latent
/// vectors, queries and outputs pass through the same weights instead.
std::int64_t latent_macs(const Network& network, const Layer& layer) {
  const std::int64_t rows = layer.shape.rows();
  const std::int64_t latent = latent_columns(network, layer);
  const std::int64_t projections = product({2, rows, layer.heads, layer.dim, latent});
  const std::int64_t columns =
      layer.has_cache ? 2 * latent + layer.rope : 2 * layer.dim + layer.rope;
  return projections + product({rows, layer.heads, columns, keys_of(network, layer)});
}

}  // namespace

std::int64_t macs(const Network& network, const Layer& layer) {
  const Shape& input = network.shape_of(layer.inputs.front());
  switch (layer.kind) {
    case LayerKind::kConv:
      return product(
          {layer.shape.elements(), layer.r, layer.s, input.c / groups_of(layer, input.c)});
    case LayerKind::kConvTranspose:
      return product({input.elements(), layer.r, layer.s, layer.features});
    case LayerKind::kLatentAttention:
      return latent_macs(network, layer);
    case LayerKind::kLinear:
      return product({input.elements(), layer.features});
    case LayerKind::kExperts:
      return product({input.elements(), layer.active, kProductsOfExpert, layer.features});
    case LayerKind::kMatmul:
      return product({layer.m, layer.n, layer.k, layer.count});
    case LayerKind::kAttention:
      return product({2, layer.shape.elements(), keys_of(network, layer)});
    default:
      return 0;
  }
}

std::int64_t macs(const Network& network) {
  double sum = 0;
  for (const Layer& layer : network.layers) sum += static_cast<double>(macs(network, layer));
  return count_of(sum);
}

namespace {

/// Nothing if those of a skipped operator are not known.
std::optional<double> all_macs(const Network& network) {
  auto all = static_cast<double>(macs(network));
  for (const Skipped& skipped : network.skipped) {
    if (!skipped.macs) return std::nullopt;
    all += *skipped.macs;
  }
  return all;
}

}  // namespace

std::optional<double> mac_share(const Network& network) {
  const std::optional<double> all = all_macs(network);
  if (!all) return std::nullopt;
  return *all > 0 ? static_cast<double>(macs(network)) / *all : 1;
}

std::optional<double> mac_share(const Network& network, const Skipped& skipped) {
  if (skipped.macs == 0.0) return 0;
  const std::optional<double> all = all_macs(network);
  return all ? std::optional(*skipped.macs / *all) : std::nullopt;
}

const Layer* scores_of(const Network& network) {
  const auto last = std::find_if(network.layers.rbegin(), network.layers.rend(),
                                 [](const Layer& layer) { return !is_collective(layer.kind); });
  if (last == network.layers.rend() || last->kind != LayerKind::kLinear) return nullptr;
  const bool has_words = std::ranges::any_of(network.layers, [&](const Layer& layer) {
    return layer.kind == LayerKind::kEmbedding && layer.vocabulary == last->features;
  });
  return has_words ? &*last : nullptr;
}

std::optional<std::size_t> tied_embedding(const Network& network, const Layer& layer) {
  if (!layer.has_tied_weights) return std::nullopt;
  for (std::size_t i = 0; &network.layers[i] != &layer; ++i) {
    const Layer& other = network.layers[i];
    if (other.kind == LayerKind::kEmbedding && other.vocabulary == layer.features &&
        other.features == network.shape_of(layer.inputs.front()).c)
      return i;
  }
  return std::nullopt;
}

}  // namespace tcsim::networks
