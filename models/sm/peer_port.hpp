#pragma once

#include <algorithm>

#include "models/isa/cycle.hpp"
#include "models/sm/params.hpp"
#include "models/sm/peer_message.hpp"

namespace tcsim::sm {

/// Where messages to other SMs of the GPC leave an SM. The SMs of a CPC share fewer lanes than they
/// are, and what a neighbour does not use goes to nobody (DSM, measured): each SM sends a message
/// every `port_sms` / `port_lanes` cycles, whatever the others do.
class PeerPort {
 public:
  explicit PeerPort(const ClusterParams& params) : params_(params) {}

  /// When a message sent at `now` comes to another SM.
  Cycle send(Cycle now) {
    free_ = std::max(free_, now * params_.port_lanes) + params_.port_sms;
    return ceil_div<Cycle>(free_, params_.port_lanes) - 1 + params_.hop_cycles;
  }

 private:
  const ClusterParams params_;
  Cycle free_ = 0;  ///< in parts of a cycle, `port_lanes` of them
};

}  // namespace tcsim::sm
