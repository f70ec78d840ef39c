#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/memory/calendar.hpp"
#include "models/memory/l2_slice.hpp"
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
/// (responses to a TPC have one only if the machine does), each a reserved link. Requests reach the
/// shared ports in the order of time, so the backlog of one SM delays only that SM. All times are
/// L2 clocks. Requests must be passed in the order in which they leave the SMs, responses in the
/// order in which they leave the slices.
class Network {
 public:
  Network(const NocParams& params, const Topology& topology, int slices, int sector_bytes);

  /// Takes `request`, which leaves its SM at `leave`, passes the last port no sooner than
  /// `translated` and needs `crossing` cycles besides those of the network. Calls arrive(request,
  /// cycle) for each request whose arrival at its slice is then known, which are those that have
  /// reached the last port by `leave`.
  template <typename Arrive>
  void send(const SliceRequest& request, Cycle leave, Cycle translated, Cycle crossing,
            Arrive&& arrive) {
    pass_until(leave + 1, arrive);
    const Passage passage{request, translated, crossing, bytes_of(request.line)};
    // The latency includes one cycle at each port; longer requests go on with their last byte.
    const Cycle at = sm_request_[request.line.sm].reserve(leave, passage.bytes) - 1;
    if (at > leave)
      under_way_.push(at, passage);
    else
      enter_tpc(passage, at, arrive);
  }
  /// Calls arrive(request, cycle) for the requests that reach the last port before `until`. Every
  /// request that leaves its SM before that has been sent.
  template <typename Arrive>
  void pass_until(Cycle until, Arrive&& arrive) {
    for (; passed_until_ < until && !under_way_.empty(); ++passed_until_) {
      under_way_.take(passed_until_, due_);
      for (const Passage& passage : due_)
        passage.has_passed_tpc ? enter_gpc(passage, passed_until_, arrive)
                               : enter_tpc(passage, passed_until_, arrive);
    }
    if (passed_until_ >= until) return;
    passed_until_ = until;
    under_way_.skip_to(until);
  }
  /// True if no request waits for a port.
  bool is_empty() const { return under_way_.empty(); }

  /// The cycle at which `bytes` that leave a slice at `leave` have arrived at `sm`. An answer that
  /// has already reached its GPC or TPC for another SM does not use those ports again.
  Cycle deliver_response(int sm, int bytes, Cycle leave, Shared shared = Shared::kNot);

 private:
  /// A request on its way from its SM to a slice.
  struct Passage {
    SliceRequest request;
    Cycle translated = 0;
    Cycle crossing = 0;
    int bytes = 0;
    bool has_passed_tpc = false;
  };

  int bytes_of(const LineRequest& request) const;
  std::size_t gpc_of(const Passage& passage) const {
    return static_cast<std::size_t>(topology_.gpc_of_sm[passage.request.line.sm]);
  }
  template <typename Arrive>
  void enter_tpc(const Passage& passage, Cycle now, Arrive&& arrive) {
    const int tpc = topology_.tpc_of_sm[passage.request.line.sm];
    const Cycle at = tpc_request_[static_cast<std::size_t>(tpc)].reserve(now, passage.bytes) - 1;
    if (at == now) return enter_gpc(passage, now, arrive);
    Passage further = passage;
    further.has_passed_tpc = true;
    under_way_.push(at, further);
  }
  template <typename Arrive>
  void enter_gpc(const Passage& passage, Cycle now, Arrive&& arrive) {
    const std::size_t gpc = gpc_of(passage);
    const Cycle at = gpc_request_[gpc].reserve(now, passage.bytes) - 1;
    arrive(passage.request, std::max(at, passage.translated) + params_.request_latency_cycles +
                                distance(gpc, passage.request.slice) + passage.crossing);
  }
  int distance(std::size_t gpc, std::size_t slice) const {
    return distance_[gpc * static_cast<std::size_t>(slices_) + slice];
  }

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
  std::vector<int> distance_;    ///< [gpc][slice], extra cycles for distance
  Calendar<Passage> under_way_;  ///< by the cycle in which they reach their next port
  Cycle passed_until_ = 0;
  std::vector<Passage> due_;  // scratch, kept for its capacity
};

}  // namespace tcsim::memory
