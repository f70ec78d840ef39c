#include "models/memory/network.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace tcsim::memory {
namespace {

/// Bytes of data that `request` carries to its slice.
int payload_of(const LineRequest& request, int sector_bytes) {
  switch (request.access) {
    case LineAccess::kRead:
    case LineAccess::kPrefetch:
      return 0;
    case LineAccess::kWrite:
      return std::popcount(request.sectors) * sector_bytes;
    case LineAccess::kAtomic:
    case LineAccess::kReduction:
      return request.atomic.bytes();
  }
  return 0;
}

/// GPCs and slices are placed evenly along the two long sides of the die; the distance grows
/// linearly with their offset. Assumption: only the spread over slices is measured (NOC24, V100
/// 175..248 cycles), not the map.
std::vector<int> distances(int spread, int gpcs, int slices) {
  std::vector<int> table;
  for (int gpc = 0; gpc < gpcs; ++gpc) {
    for (int slice = 0; slice < slices; ++slice) {
      const int gpc_steps = gpcs > 1 ? gpc * (slices - 1) : 0;
      const int slice_steps = gpcs > 1 ? slice * (gpcs - 1) : slice;
      const int all_steps = (gpcs > 1 ? gpcs - 1 : 1) * (slices - 1);
      table.push_back(all_steps > 0 ? spread * std::abs(gpc_steps - slice_steps) / all_steps : 0);
    }
  }
  return table;
}

}  // namespace

Topology make_topology(int sms_per_tpc, const std::vector<int>& sms_per_gpc) {
  Topology topology;
  for (const int sms : sms_per_gpc) {
    for (int sm = 0; sm < sms; ++sm) {
      topology.gpc_of_sm.push_back(topology.gpcs);
      topology.tpc_of_sm.push_back(topology.tpcs + sm / sms_per_tpc);
    }
    ++topology.gpcs;
    topology.tpcs += ceil_div(sms, sms_per_tpc);
  }
  return topology;
}

Network::Network(const NocParams& params, const Topology& topology, int slices, int sector_bytes)
    : params_(params),
      topology_(topology),
      sector_bytes_(sector_bytes),
      slices_(slices),
      sm_request_(topology.gpc_of_sm.size(), Port(params.sm_write_bytes_per_cycle)),
      tpc_request_(static_cast<std::size_t>(topology.tpcs), Port(params.tpc_write_bytes_per_cycle)),
      gpc_request_(static_cast<std::size_t>(topology.gpcs), Port(params.gpc_write_bytes_per_cycle)),
      sm_response_(topology.gpc_of_sm.size(), Port(params.sm_read_bytes_per_cycle)),
      tpc_response_(
          params.tpc_read_bytes_per_cycle > 0 ? static_cast<std::size_t>(topology.tpcs) : 0,
          Port(params.tpc_read_bytes_per_cycle)),
      gpc_response_(static_cast<std::size_t>(topology.gpcs), Port(params.gpc_read_bytes_per_cycle)),
      distance_(distances(params.distance_spread_cycles, topology.gpcs, slices)) {}

int Network::bytes_of(const LineRequest& request) const {
  return params_.request_header_bytes + payload_of(request, sector_bytes_);
}

Cycle Network::deliver_response(int sm, int bytes, Cycle leave, Shared shared) {
  const auto index = static_cast<std::size_t>(sm);
  const auto gpc = static_cast<std::size_t>(topology_.gpc_of_sm[index]);
  const int gpc_bytes = shared == Shared::kNot ? bytes : 0;
  Cycle at = std::max(leave, gpc_response_[gpc].reserve(leave, gpc_bytes) - 1);
  if (!tpc_response_.empty()) {
    Port& tpc = tpc_response_[static_cast<std::size_t>(topology_.tpc_of_sm[index])];
    at = std::max(at, tpc.reserve(at, shared == Shared::kToTpc ? 0 : bytes) - 1);
  }
  return sm_response_[index].reserve(at, bytes) - 1 + params_.response_latency_cycles;
}

}  // namespace tcsim::memory
