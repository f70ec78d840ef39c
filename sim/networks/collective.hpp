#pragma once

#include <string>

#include "sim/config/machine.hpp"

namespace tcsim::networks {

/// Operations that GPUs carry out together.
enum class CollectiveKind { kAllReduce, kAllGather };

/// The time of one collective operation, and how it is carried out.
struct CollectiveTime {
  double time_us = 0;
  std::string algorithm;  ///< "ring", "tree"
  std::string protocol;   ///< "low latency", "bulk"
};

/// The time that `gpus` GPUs of one node, joined by NVLink, take for `bytes` of each result. A
/// model, not a simulation: the one by which NCCL itself chooses between its algorithms
/// (ncclTopoGetAlgoTime of its src/graph/tuning.cc), start + steps x hop + bytes / bandwidth, least
/// of
/// - ring: 2 (n - 1) steps for all_reduce, n - 1 for all_gather, each with a part of bytes / n;
/// - tree, of all_reduce alone: up and down n - 1 GPUs in a chain, as NCCL has it in one node;
/// every
///   byte goes over a link twice, at 0.92 of its bandwidth;
/// each with words that carry their own flags (low latency, a quarter of the bandwidth) or in bulk.
/// Requires 2 <= gpus and nvlink.links > 0.
CollectiveTime collective_time(CollectiveKind kind, const config::LinkParams& link, int gpus,
                               double bytes);

}  // namespace tcsim::networks
