#include "workloads/networks/sequence.hpp"

#include <stdexcept>

#include "workloads/networks/shape_inference.hpp"

namespace tcsim::networks {

Network with_tokens(Network network, std::int64_t tokens) {
  if (!network.is_sequence)
    throw std::invalid_argument(network.name + " takes no sequence of tokens");
  const Network before = network;
  network.input.h = tokens;
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
  return with_tokens(std::move(network), 1);
}

Network with_every_token(Network network) {
  bool leaves_some_out = false;
  for (Layer& layer : network.layers) {
    if (layer.kind != LayerKind::kLastToken) continue;
    layer.kind = LayerKind::kIdentity;
    leaves_some_out = true;
  }
  if (!leaves_some_out) return network;
  const std::int64_t tokens = network.input.h;
  return with_tokens(std::move(network), tokens);
}

}  // namespace tcsim::networks
