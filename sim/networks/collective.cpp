#include "sim/networks/collective.hpp"

#include <algorithm>
#include <vector>

namespace tcsim::networks {
namespace {

// NCCL 2.20.3, src/graph/tuning.cc: what is left of the bandwidth of a link.
constexpr double kLowLatencyOfReduce = 1.0 / 4;  // flags, and data that are read back
constexpr double kLowLatencyOfGather = 1.0 / 3;
constexpr double kLines = 0.92;  // 120 of 128 bytes are data
constexpr double kSwitch = 5.0 / 6;

}  // namespace

CollectiveTime collective_time(CollectiveKind kind, const config::LinkParams& link, int gpus,
                               double bytes) {
  constexpr double kBytesPerMicrosecond = 1e3;  // in a GB/s
  constexpr int kFewestOfSwitch = 3;            // NCCL: ncclNvlsInit
  const double bandwidth = link.links * link.link_gb_per_s * kBytesPerMicrosecond;
  const bool reduces = kind == CollectiveKind::kAllReduce;
  const int steps = reduces ? 2 * (gpus - 1) : gpus - 1;
  const auto ring = [&](const char* protocol, double start_us, double hop_us, double share) {
    const double us = start_us + steps * hop_us + bytes * steps / gpus / (bandwidth * share);
    return CollectiveTime{us, "ring", protocol};
  };
  std::vector<CollectiveTime> ways{ring("low latency", link.start_us, link.hop_us,
                                        reduces ? kLowLatencyOfReduce : kLowLatencyOfGather),
                                   ring("bulk", link.bulk_start_us, link.bulk_hop_us, 1)};
  if (link.line_start_us > 0)
    ways.push_back(ring("lines", link.line_start_us, link.line_hop_us, kLines));
  if (link.switch_us > 0 && gpus >= kFewestOfSwitch)
    ways.push_back({link.switch_us + bytes / (bandwidth * kSwitch), "switch", "bulk"});
  return *std::ranges::min_element(ways, {}, &CollectiveTime::time_us);
}

}  // namespace tcsim::networks
