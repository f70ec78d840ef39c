#pragma once

#include <cstdint>
#include <vector>

#include "models/memory/line_request.hpp"
#include "models/memory/params.hpp"
#include "models/memory/port.hpp"

namespace tcsim::memory {

/// The position of each SM in the hierarchy of the network.
struct Topology {
  std::vector<int> tpc_of_sm;
  std::vector<int> gpc_of_sm;
  int gpcs = 0;
  int tpcs = 0;

  int sms() const { return static_cast<int>(gpc_of_sm.size()); }
};

/// SMs are numbered GPC by GPC. Requires sms_per_gpc to be multiples of sms_per_tpc.
Topology make_topology(int sms_per_tpc, const std::vector<int>& sms_per_gpc);

/// How far an answer has already been carried for another SM.
enum class Shared : std::uint8_t { kNot, kToGpc, kToTpc };

/// The hierarchical crossbar SM - TPC - GPC - slices (NOC24): a port per level and direction
/// (responses to a TPC have one only if the machine does), each a reserved link. All times are L2
/// clocks. Requests must be passed in the order in which they leave the SMs, responses in the order
/// in which they leave the slices.
class Network {
 public:
  Network(const NocParams& params, const Topology& topology, int slices, int sector_bytes);

  /// The cycle at which `request`, which leaves its SM at `leave`, arrives at `slice`.
  Cycle deliver_request(const LineRequest& request, Cycle leave, int slice);
  /// The cycle at which `bytes` that leave a slice at `leave` have arrived at `sm`. An answer that
  /// has already reached its GPC or TPC for another SM does not use those ports again.
  Cycle deliver_response(int sm, int bytes, Cycle leave, Shared shared = Shared::kNot);

 private:
  const NocParams params_;
  const Topology topology_;
  int sector_bytes_;
  int slices_;
  std::vector<Port> sm_request_;
  std::vector<Port> tpc_request_;
  std::vector<Port> gpc_request_;
  std::vector<Port> sm_response_;
  std::vector<Port> tpc_response_;  ///< if the SMs of a TPC share one
  std::vector<Port> gpc_response_;
  std::vector<int> distance_;  ///< [gpc][slice], extra cycles for distance
};

}  // namespace tcsim::memory
