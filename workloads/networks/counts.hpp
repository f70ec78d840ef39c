#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "workloads/networks/network.hpp"

namespace tcsim::networks {

// Counts are exact up to 2^53 and at most 2^62.

/// Trained numbers: weights, biases, scales and shifts. Running statistics do not count.
std::int64_t parameters(const Network& network, const Layer& layer);
std::int64_t parameters(const Network& network);

/// Multiply-adds of one sample: of convolutions, products and attention (both products, including
/// the masked half of a causal one, as papers count). Other operators have none.
std::int64_t macs(const Network& network, const Layer& layer);
std::int64_t macs(const Network& network);

/// Shares in the multiply-adds of a sample, simulated and skipped ones together: of all layers, and
/// of a skipped operator. Nothing if those of a skipped operator are not known.
std::optional<double> mac_share(const Network& network);
std::optional<double> mac_share(const Network& network, const Skipped& skipped);

/// The layer that gives a score for every word of the vocabulary that the network embeds: the last
/// one but for collectives. Null if there is none: the network is no language model.
const Layer* scores_of(const Network& network);

/// The embedding before `layer`, one of the network's, whose table is its tied weights; nothing if
/// they are not tied or no table has their size.
std::optional<std::size_t> tied_embedding(const Network& network, const Layer& layer);

/// Columns of one head. Requires an attention layer.
std::int64_t head_dim(const Network& network, const Layer& layer);
/// Columns of the vector from which a token's keys and values are computed. Requires a latent
/// attention layer.
std::int64_t latent_columns(const Network& network, const Layer& layer);
/// Columns that are kept of a token for later ones. Requires an attention layer of either kind.
std::int64_t cache_columns(const Network& network, const Layer& layer);
/// Keys of a head. Requires an attention layer of either kind.
std::int64_t keys_of(const Network& network, const Layer& layer);

}  // namespace tcsim::networks
