#pragma once

#include <cstdint>

#include "workloads/networks/network.hpp"

namespace tcsim::networks {

/// `network` on samples of `tokens` tokens, its shapes inferred anew. Throws std::invalid_argument
/// with a sentence if its input is no sequence or a layer has sizes for another length.
Network with_tokens(Network network, std::int64_t tokens);

/// One step of writing: a token of each sample goes through the network, and every causal attention
/// reads `tokens` keys and values, those of the token included, from a cache. Throws as
/// with_tokens, and if there is no causal attention.
Network decode_step(Network network, std::int64_t tokens);

/// `network` as it learns to write: what follows a `last_token` sees every token of a sample.
/// Throws as with_tokens, unless there is none.
Network with_every_token(Network network);

}  // namespace tcsim::networks
