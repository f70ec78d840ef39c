#pragma once

#include <string>

#include "sim/config/machine.hpp"

namespace tcsim::networks {

/// Operations that GPUs carry out together.
enum class CollectiveKind { kAllReduce, kAllGather };

/// The time of one collective operation, and how it is carried out.
struct CollectiveTime {
  double time_us = 0;
  std::string algorithm;  ///< "ring", "switch"
  std::string protocol;   ///< "low latency", "lines", "bulk"
};

/// The time that `gpus` GPUs of one node, joined by NVLink, take for `bytes` of each result. A
/// model, not a simulation: the one by which NCCL itself chooses between its algorithms
/// (ncclTopoTuneModel of its src/graph/tuning.cc), least of
/// - rings: start + steps x hop + bytes / bandwidth, with 2 (n - 1) steps for all_reduce and n - 1
///   for all_gather, each with a part of bytes / n; in bulk, in lines of 128 B with a flag each
///   (LL128, 0.92 of the bandwidth), or in words with a flag each (LL, a quarter);
/// - the switch, which makes the sums and the copies of more than two GPUs (NVLS, 5/6 of the
///   bandwidth).
/// NCCL's trees are never the least within a node. Requires 2 <= gpus and nvlink.links > 0.
CollectiveTime collective_time(CollectiveKind kind, const config::LinkParams& link, int gpus,
                               double bytes);

}  // namespace tcsim::networks
