#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/isa/cycle.hpp"
#include "models/memory/cluster_table.hpp"
#include "models/sm/params.hpp"
#include "models/sm/peer_message.hpp"

namespace tcsim::sm {

/// Where messages to other SMs of the GPC leave an SM. The SMs of a CPC share fewer lanes than they
/// are, and what a neighbour does not use goes to nobody (DSM, measured): each SM sends a packet
/// every `port_sms` / `port_lanes` cycles, whatever the others do. Answers lie in wait behind what
/// leaves; accesses of the own CTAs take turns with them (assumption).
class PeerPort {
 public:
  PeerPort(const ClusterParams& params, int sm)
      : params_(params), sm_(static_cast<std::uint16_t>(sm)) {}

  /// From now on `clusters`, which must outlive the port, tells where the CTAs of clusters are.
  void use(const memory::ClusterTable& clusters) { clusters_ = &clusters; }
  /// CTAs of the cluster of that number.
  [[nodiscard]] int size(std::uint16_t cluster) const { return clusters_->size(cluster); }

  /// When the next access may leave, of which a packet may still be on its way.
  [[nodiscard]] Cycle turn_at() const { return turn_ / params_.port_lanes; }

  /// `message` leaves for the CTA of its cluster and rank, `packets` of it, from `now` on.
  void send(PeerMessage message, int packets, Cycle now) {
    message.to = clusters_->sm(message.cluster, message.rank);
    leave(message, packets, now);
  }
  /// The same of an access: the next one has its turn when this one has left, or twice its time
  /// from now on.
  void send_access(const PeerMessage& message, int packets, Cycle now) {
    const Cycle begin = std::max(turn_, now * params_.port_lanes);
    send(message, packets, now);
    turn_ = std::min(free_, begin + Cycle{2} * packets * params_.port_sms);
  }
  /// The same of an answer to `access`, which has come from another SM.
  void answer(const PeerMessage& access, PeerMessage::Kind kind, int packets, Cycle now) {
    PeerMessage message = access;
    message.kind = kind;
    message.to = access.from;
    leave(message, packets, now);
  }
  /// `message` comes at `at`, whatever else leaves.
  void send_at(PeerMessage message, Cycle at) {
    message.at = at;
    message.from = sm_;
    message.to = clusters_->sm(message.cluster, message.rank);
    outgoing_.push_back(message);
  }

  /// What has been sent; the owner takes all of it.
  std::vector<PeerMessage>& outgoing() { return outgoing_; }

 private:
  /// It has come when its last packet has.
  void leave(PeerMessage message, int packets, Cycle now) {
    free_ = std::max(free_, now * params_.port_lanes) + Cycle{packets} * params_.port_sms;
    message.from = sm_;
    message.at = ceil_div<Cycle>(free_, params_.port_lanes) - 1 + params_.hop_cycles;
    outgoing_.push_back(message);
  }

  const ClusterParams params_;
  const std::uint16_t sm_;
  const memory::ClusterTable* clusters_ = nullptr;
  // In parts of a cycle, `port_lanes` of them.
  Cycle free_ = 0;  ///< when all that was sent has left
  Cycle turn_ = 0;  ///< when the next access may
  std::vector<PeerMessage> outgoing_;
};

}  // namespace tcsim::sm
