#include "sim/networks/collective.hpp"

#include <algorithm>
#include <array>

namespace tcsim::networks {
namespace {

// NCCL 2.27, src/graph/tuning.cc: what is left of the bandwidth of a link.
constexpr double kLowLatencyOfReduce = 1.0 / 4;  // flags, and data that are read back
constexpr double kLowLatencyOfGather = 1.0 / 3;
constexpr double kTree = 0.92;
constexpr double kLowLatencyOfTree = 1.0 / 3.8;

}  // namespace

CollectiveTime collective_time(CollectiveKind kind, const config::LinkParams& link, int gpus,
                               double bytes) {
  constexpr double kBytesPerMicrosecond = 1e3;  // in a GB/s
  const double bandwidth = link.links * link.link_gb_per_s * kBytesPerMicrosecond;
  const bool reduces = kind == CollectiveKind::kAllReduce;
  const int steps = reduces ? 2 * (gpus - 1) : gpus - 1;
  const double ring_bytes = bytes * steps / gpus;
  const auto time = [&](bool is_bulk, double moved, double share) {
    const double start_us = is_bulk ? link.bulk_start_us : link.start_us;
    const double hop_us = is_bulk ? link.bulk_hop_us : link.hop_us;
    return start_us + steps * hop_us + moved / (bandwidth * share);
  };
  std::array<CollectiveTime, 4> ways{
      CollectiveTime{time(false, ring_bytes, reduces ? kLowLatencyOfReduce : kLowLatencyOfGather),
                     "ring", "low latency"},
      {time(true, ring_bytes, 1), "ring", "bulk"},
      {time(false, 2 * bytes, kTree * kLowLatencyOfTree), "tree", "low latency"},
      {time(true, 2 * bytes, kTree), "tree", "bulk"}};
  const auto end = reduces ? ways.end() : ways.begin() + 2;
  return *std::min_element(ways.begin(), end, [](const CollectiveTime& a, const CollectiveTime& b) {
    return a.time_us < b.time_us;
  });
}

}  // namespace tcsim::networks
