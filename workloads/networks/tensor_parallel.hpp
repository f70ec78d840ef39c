#pragma once

#include "workloads/networks/network.hpp"

namespace tcsim::networks {

/// The part of `network` that one of `gpus` equal GPUs computes under tensor parallelism, as
/// Megatron-LM divides transformers (Shoeybi et al., arXiv 1909.08053). A linear layer whose result
/// goes through attention and element-wise layers only into linear layers is cut by columns. The
/// linear layers after it are cut by rows, and an all_reduce adds up their partial sums. Each
/// expert is divided in the same way. Heads of attention are divided; if there are fewer heads of
/// keys and values than GPUs, several GPUs have the same. The words of a language model are
/// divided: an all_reduce follows their embedding, an all_gather the scores. All other layers run
/// on every GPU. Requires inferred shapes. Throws std::invalid_argument with a sentence if
/// something does not divide, or nothing can be divided.
Network tensor_parallel(const Network& network, int gpus);

}  // namespace tcsim::networks
