#pragma once

#include "workloads/networks/network.hpp"

namespace tcsim::networks {

/// What one of `gpus` equal GPUs does of `network` under tensor parallelism, as Megatron-LM divides
/// transformers (Shoeybi et al., arXiv 1909.08053): a linear layer whose result goes through
/// attention and element-wise layers into linear layers alone is cut by columns, those behind it by
/// rows, and an all_reduce adds their partial sums up. Each expert is divided so in itself. Heads
/// of attention are divided; where there are fewer of keys and values than GPUs, several GPUs have
/// the same. Of a language model the words are divided: an all_reduce behind their embedding, an
/// all_gather behind the scores. All other layers run on every GPU. Requires inferred shapes.
/// Throws std::invalid_argument with a sentence where something does not divide, or nothing can be
/// divided.
Network tensor_parallel(const Network& network, int gpus);

}  // namespace tcsim::networks
