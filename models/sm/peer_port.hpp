#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/isa/cycle.hpp"
#include "models/memory/cluster_table.hpp"
#include "models/sm/params.hpp"
#include "models/sm/peer_message.hpp"

namespace tcsim::sm {

/// Where messages to other SMs of the GPC leave an SM. The SMs of a CPC share fewer lanes than
/// there are SMs, and an SM cannot use what its neighbours leave free (DSM, measured): each SM
/// sends a packet every `port_sms` / `port_lanes` cycles, whatever the others do. Answers queue
/// after what is leaving; accesses of the own CTAs take turns with them (assumption).
class PeerPort {
 public:
  PeerPort(const ClusterParams& params, int sm)
      : params_(params), sm_(static_cast<std::uint16_t>(sm)) {}

  /// From now on `clusters`, which must outlive the port, tells where the CTAs of clusters are.
  void use(const memory::ClusterTable& clusters) { clusters_ = &clusters; }
  /// Number of CTAs of cluster number `cluster`.
  [[nodiscard]] int size(std::uint16_t cluster) const { return clusters_->size(cluster); }

  /// When the next access may leave; a packet of the previous one may still be on its way out.
  [[nodiscard]] Cycle turn_at() const { return turn_ / params_.port_lanes; }

  /// Sends `message`, which takes `packets` packets, from `now` on to the CTA given by its cluster
  /// and rank.
  void send(PeerMessage message, int packets, Cycle now) {
    message.to = clusters_->sm(message.cluster, message.rank);
    leave(message, packets, now);
  }
  /// The same for an access. The next access gets its turn when this one has left, or after twice
  /// its time counted from `now`.
  void send_access(const PeerMessage& message, int packets, Cycle now) {
    const Cycle begin = std::max(turn_, now * params_.port_lanes);
    send(message, packets, now);
    turn_ = std::min(free_, begin + Cycle{2} * packets * params_.port_sms);
  }
  /// Sends the answer to `access`, which came from another SM.
  void answer(const PeerMessage& access, PeerMessage::Kind kind, int packets, Cycle now) {
    PeerMessage message = access;
    message.kind = kind;
    message.to = access.from;
    leave(message, packets, now);
  }
  /// `message` arrives at `at`, regardless of what else leaves.
  void send_at(PeerMessage message, Cycle at) {
    message.at = at;
    message.from = sm_;
    message.to = clusters_->sm(message.cluster, message.rank);
    outgoing_.push_back(message);
  }

  /// Sent messages; the owner takes all of them.
  std::vector<PeerMessage>& outgoing() { return outgoing_; }

 private:
  /// The message arrives when its last packet does.
  void leave(PeerMessage message, int packets, Cycle now) {
    free_ = std::max(free_, now * params_.port_lanes) + Cycle{packets} * params_.port_sms;
    message.from = sm_;
    message.at = ceil_div<Cycle>(free_, params_.port_lanes) - 1 + params_.hop_cycles;
    outgoing_.push_back(message);
  }

  const ClusterParams params_;
  const std::uint16_t sm_;
  const memory::ClusterTable* clusters_ = nullptr;
  // In fractions of a cycle; a cycle has `port_lanes` of them.
  Cycle free_ = 0;  ///< when everything sent so far has left
  Cycle turn_ = 0;  ///< when the next access may leave
  std::vector<PeerMessage> outgoing_;
};

}  // namespace tcsim::sm
