#pragma once

#include <cstdint>

#include "workloads/networks/network.hpp"

namespace tcsim::networks {

/// `network` on samples of `tokens` tokens, with its shapes inferred again. Throws
/// std::invalid_argument with a sentence if its input is not a sequence or a layer has sizes for
/// another length.
Network with_tokens(Network network, std::int64_t tokens);

/// One decoding step: one token of each sample goes through the network, and every causal attention
/// reads `tokens` keys and values from a cache, including those of the token. Throws like
/// with_tokens, if there is no causal attention, and if another attention would need the keys of
/// all tokens.
Network decode_step(Network network, std::int64_t tokens);

/// `network` in training for generation: the layers after a `last_token` see every token of a
/// sample. Throws std::invalid_argument if a layer has sizes for the last token alone.
Network with_every_token(Network network);

}  // namespace tcsim::networks
