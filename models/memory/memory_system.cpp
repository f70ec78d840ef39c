#include "models/memory/memory_system.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

namespace tcsim::memory {
namespace {

int sets_per_slice(const L2Params& params) {
  return static_cast<int>(params.bytes / params.slices / params.line_bytes / params.ways);
}

}  // namespace

MemorySystem::MemorySystem(const NocParams& noc, const L2Params& l2, const TlbParams& tlb,
                           const dram::DramParams& dram, const MemoryClocks& clocks,
                           const Topology& topology, stats::Group& parent)
    : l2_(l2),
      request_latency_(noc.request_latency_cycles),
      round_trip_(noc.request_latency_cycles + l2.hit_latency_cycles + noc.response_latency_cycles),
      crossing_(crossing_cycles(l2)),  // of l2.crossing_latency_cycles and l2.hit_latency_cycles
      sm_to_l2_(clocks.sm_mhz, clocks.l2_mhz),
      l2_to_sm_(clocks.l2_mhz, clocks.sm_mhz),
      map_(l2),
      line_bytes_(static_cast<std::uint64_t>(l2.line_bytes)),
      topology_(topology),
      answer_bytes_(noc.request_header_bytes),
      burst_bytes_(static_cast<std::uint64_t>(dram.channel_width_bits / 8) *
                   static_cast<std::uint64_t>(dram.burst_length_beats)),
      slices_per_partition_(l2.slices / l2.partitions),
      multicast_latency_(noc.multicast_latency_cycles),
      network_(noc, topology, l2.slices, l2.sector_bytes),
      group_("memory", parent),
      tlb_(tlb, topology, group_),
      crossing_ports_(static_cast<std::size_t>(l2.partitions), Port(l2.crossing_bytes_per_cycle)),
      held_(static_cast<std::size_t>(topology.sms()), static_cast<std::size_t>(l2.slices)),
      dram_(dram, clocks.l2_mhz, clocks.memory_mhz, l2.slices, l2.interleave_bytes, group_) {
  if (noc.coalescer_entries > 0)
    coalescer_.emplace(noc.coalescer_entries, noc.coalescer_merges, noc.coalescer_window_cycles,
                       l2.slices, group_);
  for (int slice = 0; slice < l2.slices; ++slice) {
    slices_.push_back(std::make_unique<L2Slice>(l2, sets_per_slice(l2), slice, group_));
  }
}

Cycle MemorySystem::largest_quantum() const {
  return std::max<Cycle>(1, l2_to_sm_.down(round_trip_));
}

Cycle MemorySystem::largest_lagging_quantum() const {
  const Cycle two_windows = dram_.slack() > 0 ? l2_to_sm_.down(dram_.slack() - 1) : 0;
  return std::min(largest_quantum(), two_windows / 2);
}

void MemorySystem::let_channels_lag(bool lag) {
  channels_lag_ = lag;
  end_channels();
  if (!lag) advance_channels(served_until_);
}

void MemorySystem::inject(const LineRequest& virtual_request) {
  LineRequest request = virtual_request;
  request.address = physical(request.address);
  const HomeAddress home = map_.home(request.address);
  const bool crosses = is_far(home.slice, request.sm);
  // Reads first look up the copy on their side of the die; writes and atomics go to the home slice.
  // Flags are read at their home, where they are raised.
  const bool is_read = only_reads(request.access) && !request.flag.is_flag;
  const int slice = crosses && is_read ? copy_of(home.slice, partition_of(request.sm)) : home.slice;
  const Cycle leave = sm_to_l2_.up(request.cycle);
  const Cycle crossing = crosses && !is_read ? crossing_ : 0;
  // Code and constants have a separate TLB, which always hits (assumption).
  const Cycle translated = request.address < kCodeMemory
                               ? leave + tlb_.delay(request.sm, request.address, leave)
                               : leave;
  network_.send({.line = request,
                 .local = home.local,
                 .set = set_of(slice, home),
                 .slice = static_cast<std::uint16_t>(slice),
                 .home = static_cast<std::uint16_t>(home.slice)},
                leave, translated, crossing,
                [this](const SliceRequest& sent, Cycle at) { reach_slice(sent, at); });
}

void MemorySystem::reach_slice(const SliceRequest& request, Cycle at) {
  const LineRequest& line = request.line;
  if (observer_ != nullptr && returns_data(line.access)) [[unlikely]]
    observer_->sent(line.sm, line.tag, line.cycle, l2_to_sm_.up(at));
  arrivals_.push(at, request);
}

void MemorySystem::advance(Cycle until, std::vector<std::vector<LineResponse>>& inbox) {
  const Cycle left_until = sm_to_l2_.up(until);
  network_.pass_until(left_until,
                      [this](const SliceRequest& sent, Cycle at) { reach_slice(sent, at); });
  const Cycle horizon = left_until + request_latency_;
  for (Cycle now = served_until_; now < horizon; ++now) {
    if (has_no_work()) {
      arrivals_.skip_to(horizon);
      dram_fills_.skip_to(horizon);
      crossing_requests_.skip_to(horizon);
      crossing_fills_.skip_to(horizon);
      break;
    }
    step(now);
  }
  if (!channels_lag_) advance_channels(horizon);
  served_until_ = horizon;
  const Cycle reply_horizon = horizon + l2_.hit_latency_cycles;
  for (Cycle now = replied_until_; now < reply_horizon && !replies_.empty(); ++now) {
    replies_.take(now, due_replies_);
    for (const Reply& reply : due_replies_) {
      const Cycle arrival = network_.deliver_response(reply.sm, reply.bytes, now, reply.shared);
      inbox[reply.sm].push_back({l2_to_sm_.up(arrival), reply.tag, reply.flag});
    }
  }
  if (replies_.empty()) replies_.skip_to(reply_horizon);
  replied_until_ = reply_horizon;
}

void MemorySystem::step(Cycle now) {
  if (now >= dram_.due()) {
    assert(!channels_lag_);
    advance_channels(now + 1);
  }
  dram_fills_.take(now, due_fills_);
  fill_all(now);
  crossing_fills_.take(now, due_fills_);
  fill_all(now);
  crossing_requests_.take(now, due_arrivals_);
  prefetch_due_sets();
  for (const SliceRequest& request : due_arrivals_) serve(request, now);
  arrivals_.take(now, due_arrivals_);
  prefetch_due_sets();
  for (SliceRequest& request : due_arrivals_) arrive(request, now);
}

void MemorySystem::fill_all(Cycle now) {
  for (const Fill& due : due_fills_) slices_[due.slice]->tags.prefetch_line(due.place);
  for (const Fill& due : due_fills_) fill(due, now);
}

void MemorySystem::prefetch_due_sets() {
  for (const SliceRequest& request : due_arrivals_)
    slices_[request.slice]->tags.prefetch_set(request.set);
}

/// Reads of tiles join another read if they can; all other requests go on to their slice.
void MemorySystem::arrive(SliceRequest& request, Cycle now) {
  LineRequest& line = request.line;
  if (coalescer_ && line.of_tile && line.access == LineAccess::kRead) {
    Cycle leaves = Coalescer::kUnknown;
    if (coalescer_->join(line, line_number(line.address), request.slice, now, leaves)) {
      if (leaves != Coalescer::kUnknown) reply_to(Coalescer::member_of(line, now), leaves);
      return;
    }
  }
  admit(request, now);
}

/// A read that has joined another one, whose answer leaves at `leaves`, is answered no sooner than
/// a hit of its own.
void MemorySystem::reply_to(const Coalescer::Member& member, Cycle leaves) {
  answer(member, std::max(leaves, member.at + l2_.hit_latency_cycles), Shared::kNot);
}

/// One answer for several CTAs crosses the network once, as they are all in one GPC, and is
/// delivered once per TPC (OWN: 120 SMs in clusters of four get 80 bytes a cycle each, 70 of what
/// each asks for).
void MemorySystem::answer(const Coalescer::Member& read, Cycle leaves, Shared shared) {
  const auto bytes = static_cast<std::uint16_t>(std::popcount(read.sectors) * l2_.sector_bytes);
  if (read.ranks == 0) return replies_.push(leaves, {read.tag, read.sm, bytes, 0, shared});
  int tpc = -1;  // TPC of the last delivery
  for (int rank = 0; rank < clusters_->size(read.cluster); ++rank) {
    const std::uint16_t sm = clusters_->sm(read.cluster, rank);
    const bool lands = (read.ranks >> rank & 1) != 0;
    const bool asked = sm == read.sm;
    if (!lands && !asked) continue;
    replies_.push(leaves + multicast_latency_,
                  {read.tag, sm, lands ? bytes : std::uint16_t{0},
                   ClusterFlag(read.cluster, rank, lands, asked).value(),
                   topology_.tpc_of_sm[sm] == tpc ? Shared::kToTpc : shared});
    if (!lands) continue;
    tpc = topology_.tpc_of_sm[sm];
    shared = Shared::kToGpc;
  }
}

/// Lets a request of an SM into the queue of its slice, or holds it if the queue is full.
void MemorySystem::admit(const SliceRequest& request, Cycle now) {
  const auto sm = static_cast<std::size_t>(request.line.sm);
  if (held_.holds(sm)) return held_.hold(sm, request);
  if (!is_full(request.slice)) return serve(request, now);
  held_.hold(sm, request);
  held_.wait_for(sm, request.slice);
}

/// The queue of `slice` has advanced: SMs whose requests it now has room for continue, in turns.
void MemorySystem::admit_held(std::size_t slice, Cycle now) {
  while (held_.is_wanted(slice) && !is_full(slice)) {
    const std::size_t sm = held_.next_sm(slice);
    while (held_.holds(sm)) {
      const std::size_t wanted = held_.oldest(sm).slice;
      if (is_full(wanted)) {
        held_.wait_for(sm, wanted);
        break;
      }
      serve(held_.take(sm), now);
    }
  }
}

void MemorySystem::serve(const SliceRequest& request, Cycle now) {
  L2Slice& state = *slices_[request.slice];
  const Cycle start = std::max(now, state.tag_free);
  state.tag_free = start + 1;
  clean(request.slice, start);
  auto& blocked = request.near_slice < 0 ? state.blocked : state.blocked_crossing;
  if (blocked.empty() && try_serve(request, start)) return;
  state.counters.blocked.add();
  blocked.push_back(request);
}

bool MemorySystem::try_serve(const SliceRequest& request, Cycle start) {
  return request.line.access == LineAccess::kWrite ? try_write(request, start)
                                                   : try_read(request, start);
}

void MemorySystem::serve_blocked(std::deque<SliceRequest>& blocked, Cycle now) {
  while (!blocked.empty()) {
    const SliceRequest request = blocked.front();
    if (!try_serve(request, now)) return;
    blocked.pop_front();
  }
}

/// Continues the requests that waited for an entry of `slice`, one of which is now free.
void MemorySystem::go_on(int slice, Cycle now) {
  L2Slice& state = *slices_[static_cast<std::size_t>(slice)];
  serve_blocked(state.blocked_crossing, now);
  serve_blocked(state.blocked, now);
  admit_held(static_cast<std::size_t>(slice), now);
  clean(slice, now);
}

}  // namespace tcsim::memory
