// How the CTAs of a cluster interact: arrivals at mbarriers of other CTAs, boxes for several CTAs,
// the cluster barrier, accesses of shared memory by other CTAs. Each CTA knows the others by their
// rank; the ClusterTable knows their SMs. A CTA outside any cluster forms a cluster of its own,
// with rank 0.

#include "models/sm/sm.hpp"

namespace tcsim::sm {

void Sm::arrive_remotely(const Warp& warp, const BarrierValues& named, Cycle now) {
  PeerMessage message{.kind = PeerMessage::Kind::kArrive};
  message.cluster = residency_.cta_of(warp).cluster;
  const std::int64_t rank = named.value;
  if (rank < 0 || rank >= peer_port_.size(message.cluster)) return;  // no such CTA
  message.rank = static_cast<std::uint8_t>(rank);
  message.address = named.address;
  peer_port_.send(message, 1, now);
}

/// The bytes of a box that lie outside its tensor carry no data, but the mbarriers expect them. A
/// box for no CTA sends nothing.
void Sm::copy_box_to_many(const Warp& warp, IssuedBox& box, Cycle now) {
  if (box.ranks == 0) return;
  Cta& cta = residency_.cta_of(warp);
  box.cluster = cta.cluster;
  const BoxLines inside = pipeline_.start(box, now);
  cta.boxes_under_way += inside.lines;
  const int missing = box.bytes - inside.bytes;
  if (missing == 0) return;
  for (int rank = 0; rank < peer_port_.size(cta.cluster); ++rank) {
    if ((box.ranks >> rank & 1) == 0) continue;
    PeerMessage message{.kind = PeerMessage::Kind::kBytes};
    message.cluster = cta.cluster;
    message.rank = static_cast<std::uint8_t>(rank);
    message.address = box.barrier;
    message.bytes = missing;
    peer_port_.send(message, 1, now + params_.tile_copy.start_cycles);
  }
}

/// Nothing is sent to a rank that does not exist in the cluster.
void Sm::put_box(const Warp& warp, IssuedBox& box, Cycle now) {
  box.cluster = residency_.cta_of(warp).cluster;
  if (*box.put_rank < 0 || *box.put_rank >= peer_port_.size(box.cluster)) return;
  pipeline_.start(box, now);
}

void Sm::receive_for_cluster(const LineForCta& line, Cycle now) {
  const int slot = residency_.find(line.cluster, line.rank);
  const bool is_there = slot != Residency::kNoSlot;
  CompletionToken done;
  if (is_there && line.lands) {
    Cta& cta = residency_.cta(slot);
    done = {CompletionToken::Kind::kBytes, static_cast<std::uint8_t>(slot),
            static_cast<std::uint16_t>(barrier_at(cta, line.barrier)), line.bytes};
  }
  pipeline_.receive(line, done, now);
  if (is_there && line.asked) box_is_done(slot, now);
}

/// A message for a CTA that has ended is lost. If the message is an access to its memory, the
/// sender is told.
void Sm::receive(const PeerMessage& message, Cycle now) {
  if (message.kind == PeerMessage::Kind::kAnswer || message.kind == PeerMessage::Kind::kGone)
    return pipeline_.receive(message, now);
  if (message.kind == PeerMessage::Kind::kPutDone)
    return pipeline_.put_is_done(message.access.operation, now);
  const int slot = residency_.find(message.cluster, message.rank);
  const bool is_access = message.kind == PeerMessage::Kind::kAccess;
  const bool is_put = message.kind == PeerMessage::Kind::kPut;
  if (is_put) peer_port_.answer(message, PeerMessage::Kind::kPutDone, 1, now);
  if (slot == Residency::kNoSlot) {
    if (is_access) peer_port_.answer(message, PeerMessage::Kind::kGone, 1, now);
    return;
  }
  if (is_access) return pipeline_.accept(message);
  CompletionToken token{CompletionToken::Kind::kCluster, static_cast<std::uint8_t>(slot)};
  if (message.kind == PeerMessage::Kind::kClusterArrive)
    return cta_came_to_cluster(slot, CycleReason::kBarrier, now);
  if (message.kind == PeerMessage::Kind::kClusterLeave)
    return cta_left_cluster(slot, message.bytes, now);
  token.index = static_cast<std::uint16_t>(barrier_at(residency_.cta(slot), message.address));
  const bool is_arrival = message.kind == PeerMessage::Kind::kArrive;
  token.kind = is_arrival ? CompletionToken::Kind::kArrival : CompletionToken::Kind::kBytes;
  token.value = message.bytes;
  if (is_put) {
    const LineForCta piece{.lands = true, .bytes = message.bytes};
    return pipeline_.receive(piece, token, now);
  }
  completions_.push(mbarrier_turn(now), token, CycleReason::kBarrier);
}

/// When the CTAs of a cluster of `size` learn of an arrival at their barrier.
Cycle Sm::seen_in_cluster(int size, Cycle now) const {
  return now + params_.cluster.barrier_cycles + Cycle{size} * params_.cluster.barrier_cta_cycles;
}

void Sm::arrive_at_cluster(Warp& warp, Cycle now) {
  ++warp.cluster_arrivals;
  residency_.cta_of(warp).cluster_barrier.arrive();
  tell_cluster_if_complete(warp, now);
}

/// Once all warps of the CTA of `warp` that have not exited have arrived, the CTA notifies all CTAs
/// of the cluster. They continue when all CTAs that have not ended have arrived.
void Sm::tell_cluster_if_complete(const Warp& warp, Cycle now) {
  Cta& cta = residency_.cta_of(warp);
  if (!cta.cluster_barrier.complete_arrival(cta.warps_left)) return;
  const int size = peer_port_.size(cta.cluster);
  const Cycle seen = seen_in_cluster(size, now);
  for (int rank = 0; rank < size; ++rank) {
    if (rank == cta.rank) {
      completions_.push(seen,
                        {CompletionToken::Kind::kCluster, static_cast<std::uint8_t>(warp.cta_slot)},
                        CycleReason::kBarrier);
      continue;
    }
    PeerMessage message{.kind = PeerMessage::Kind::kClusterArrive};
    message.cluster = cta.cluster;
    message.rank = static_cast<std::uint8_t>(rank);
    peer_port_.send_at(message, seen);
  }
}

/// Called for `warp`, the last of its CTA to exit: the CTA notifies the others.
void Sm::leave_cluster(const Warp& warp, Cycle now) {
  const Cta& cta = residency_.cta_of(warp);
  const int size = peer_port_.size(cta.cluster);
  PeerMessage message{.kind = PeerMessage::Kind::kClusterLeave};
  message.cluster = cta.cluster;
  message.bytes = cta.cluster_barrier.arrivals();
  for (int rank = 0; rank < size; ++rank) {
    if (rank == cta.rank) continue;
    message.rank = static_cast<std::uint8_t>(rank);
    peer_port_.send_at(message, seen_in_cluster(size, now));
  }
}

void Sm::wait_for_cluster(Warp& warp, Cycle now) {
  if (residency_.cta_of(warp).cluster_barrier.phase() < warp.cluster_arrivals)
    warp.hold = Hold::kCluster;
  move_on(warp, now);
}

void Sm::cta_came_to_cluster(int cta_slot, CycleReason reason, Cycle now) {
  residency_.cta(cta_slot).cluster_barrier.cta_came();
  open_cluster_if_complete(cta_slot, reason, now);
}

void Sm::cta_left_cluster(int cta_slot, int arrivals, Cycle now) {
  residency_.cta(cta_slot).cluster_barrier.cta_left(arrivals);
  open_cluster_if_complete(cta_slot, CycleReason::kBarrier, now);
}

void Sm::open_cluster_if_complete(int cta_slot, CycleReason reason, Cycle now) {
  Cta& cta = residency_.cta(cta_slot);
  if (!cta.cluster_barrier.open_if_complete(peer_port_.size(cta.cluster))) return;
  for (const int slot : cta.warps) {
    Warp& warp = residency_.warp(slot);
    // The slot of an exited warp may already belong to another CTA.
    if (warp.hold != Hold::kCluster || warp.cta_slot != cta_slot) continue;
    release(warp, now);
    settle(warp, now, reason);
  }
}

}  // namespace tcsim::sm
