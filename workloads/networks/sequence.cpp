#include "workloads/networks/sequence.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

#include "workloads/networks/shape_inference.hpp"

namespace tcsim::networks {
namespace {

/// For every layer, whether its result has a row for each token of the network's input.
std::vector<bool> have_token_rows(const Network& network) {
  constexpr std::array kOtherRows{LayerKind::kFirstToken, LayerKind::kLastToken,
                                  LayerKind::kReshape,    LayerKind::kFlatten,
                                  LayerKind::kMatmul,     LayerKind::kGlobalAveragePool};
  std::vector<bool> found;
  for (const Layer& layer : network.layers) {
    const int input = layer.inputs.front();
    found.push_back(std::ranges::find(kOtherRows, layer.kind) == kOtherRows.end() &&
                    (input == kNetworkInput || found[static_cast<std::size_t>(input)]));
  }
  return found;
}

/// Throws if an attention without a cache reads a key of every token: the step has one token.
void require_known_keys(const Network& network) {
  const std::vector<bool> has_token_rows = have_token_rows(network);
  for (const Layer& layer : network.layers) {
    const bool attends =
        layer.kind == LayerKind::kAttention || layer.kind == LayerKind::kLatentAttention;
    if (!attends || layer.has_cache || layer.keys > 0) continue;
    const int keys = layer.inputs[layer.inputs.size() == 1 ? 0 : 1];
    if (keys == kNetworkInput || has_token_rows[static_cast<std::size_t>(keys)])
      throw std::invalid_argument(
          layer.name +
          ": reads keys of all tokens, but a decode pass has one token of each sample; leave an "
          "encoder out, and state how many keys cross attention reads (keys: 512)");
  }
}

/// `network` on samples of `rows` rows, with its shapes inferred again. Throws
/// std::invalid_argument if a layer cannot have them.
Network with_rows(Network network, std::int64_t rows) {
  const Network before = network;
  network.input.h = rows;
  for (Layer& layer : network.layers) {
    std::vector<Shape> shapes;
    for (const int input : layer.inputs) shapes.push_back(network.shape_of(input));
    if (layer.kind == LayerKind::kReshape && !shapes.empty() &&
        shapes.front() != before.shape_of(layer.inputs.front()))
      throw std::invalid_argument(layer.name + ": sees " + text(layer.new_shape) +
                                  ", which has another number of tokens");
    const InferredShape inferred = infer_shape(layer, shapes);
    if (!inferred.shape) throw std::invalid_argument(layer.name + ": " + inferred.reason);
    layer.shape = *inferred.shape;
  }
  return network;
}

}  // namespace

Network with_tokens(Network network, std::int64_t tokens) {
  if (!network.is_sequence)
    throw std::invalid_argument(network.name + " takes no sequence of tokens");
  return with_rows(std::move(network), tokens);
}

Network decode_step(Network network, std::int64_t tokens) {
  bool writes = false;
  for (Layer& layer : network.layers) {
    if (!is_causal_attention(layer)) continue;
    layer.keys = tokens;
    layer.is_causal = false;  // its one query sees all keys
    layer.has_cache = true;
    writes = true;
  }
  if (!writes)
    throw std::invalid_argument(network.name +
                                " has no causal attention, so it writes no text token by token");
  require_known_keys(network);
  return with_tokens(std::move(network), 1);
}

Network with_every_token(Network network) {
  bool leaves_some_out = false;
  for (Layer& layer : network.layers) {
    if (layer.kind != LayerKind::kLastToken) continue;
    layer.kind = LayerKind::kIdentity;
    leaves_some_out = true;
  }
  const std::int64_t rows = network.input.h;
  return leaves_some_out ? with_rows(std::move(network), rows) : network;
}

}  // namespace tcsim::networks
