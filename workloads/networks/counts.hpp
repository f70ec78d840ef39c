#pragma once

#include <cstdint>

#include "workloads/networks/network.hpp"

namespace tcsim::networks {

// Counts are exact up to 2^53 and at most 2^62.

/// Trained numbers: weights, biases, scales and shifts. Running statistics do not count.
std::int64_t parameters(const Network& network, const Layer& layer);
std::int64_t parameters(const Network& network);

/// Multiply-adds of one sample: of convolutions, products and attention (both products, the masked
/// half of a causal one included, as papers count). Other operators have none.
std::int64_t macs(const Network& network, const Layer& layer);
std::int64_t macs(const Network& network);

/// True if the network ends in a score for every word of the vocabulary that it embeds.
bool is_language_model(const Network& network);

/// Columns of one head. Requires an attention.
std::int64_t head_dim(const Network& network, const Layer& layer);
/// Columns of the vector that keys and values of a token come from. Requires a latent attention.
std::int64_t latent_columns(const Network& network, const Layer& layer);
/// Columns of what stays of a token for later ones. Requires an attention of either kind.
std::int64_t cache_columns(const Network& network, const Layer& layer);
/// Keys of a head of an attention of either kind.
std::int64_t keys_of(const Network& network, const Layer& layer);

}  // namespace tcsim::networks
