#include "models/memory/memory_system.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

namespace tcsim::memory {
namespace {

// A burst's tag says what it fills: place of the line in its slice, slice (14 bits), sector (3
// bits), and whether it is the sector's last.
constexpr int kSectorBits = 3;
constexpr int kSliceBits = 14;
constexpr int kTagBits = 1 + kSectorBits + kSliceBits;

unsigned all_sectors(const L2Params& params) {
  return (1U << static_cast<unsigned>(params.line_bytes / params.sector_bytes)) - 1;
}

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
      crossing_(std::max(1, (l2.crossing_latency_cycles - l2.hit_latency_cycles) / 2)),
      sm_to_l2_(clocks.sm_mhz, clocks.l2_mhz),
      l2_to_sm_(clocks.l2_mhz, clocks.sm_mhz),
      map_(l2),
      topology_(topology),
      answer_bytes_(noc.request_header_bytes),
      burst_bytes_(static_cast<std::uint64_t>(dram.channel_width_bits / 8) *
                   static_cast<std::uint64_t>(dram.burst_length_beats)),
      slices_per_partition_(l2.slices / l2.partitions),
      network_(noc, topology, l2.slices, l2.sector_bytes),
      group_("memory", parent),
      tlb_(tlb, topology, group_),
      crossing_ports_(static_cast<std::size_t>(l2.partitions), Port(l2.crossing_bytes_per_cycle)),
      held_(static_cast<std::size_t>(topology.sms()), static_cast<std::size_t>(l2.slices)),
      dram_(dram, clocks.l2_mhz, clocks.memory_mhz, l2.slices, l2.interleave_bytes, group_) {
  for (int slice = 0; slice < l2.slices; ++slice) {
    slices_.push_back(std::make_unique<L2Slice>(l2, sets_per_slice(l2), slice, group_));
  }
}

Cycle MemorySystem::largest_quantum() const {
  return std::max<Cycle>(1, l2_to_sm_.down(round_trip_));
}

void MemorySystem::inject(const LineRequest& virtual_request) {
  LineRequest request = virtual_request;
  request.address &= (std::uint64_t{1} << kPhysicalBits) - 1;
  const HomeAddress home = map_.home(request.address);
  const bool crosses = is_far(home.slice, request.sm);
  // Reads look into the copy on their side of the die first; writes and atomics go to the home
  // slice.
  // Flags are read where they are raised.
  const bool is_read = request.access == LineAccess::kRead && !request.flag.is_flag;
  const int slice = crosses && is_read ? copy_of(home.slice, partition_of(request.sm)) : home.slice;
  const Cycle leave = sm_to_l2_.up(request.cycle);
  Cycle at = network_.deliver_request(request, leave, slice);
  if (crosses && !is_read) at += crossing_;
  // Code and constants have a TLB of their own, which always hits (assumption).
  if (request.address < kCodeMemory) at += tlb_.delay(request.sm, request.address, leave);
  ++answers_due_;
  arrivals_.push(at, {{request, home, -1, 0, set_of(slice, home)}, slice});
}

void MemorySystem::advance(Cycle until, std::vector<std::vector<LineResponse>>& inbox) {
  const Cycle horizon = sm_to_l2_.up(until) + request_latency_;
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
  served_until_ = horizon;
  const Cycle reply_horizon = horizon + l2_.hit_latency_cycles;
  for (Cycle now = replied_until_; now < reply_horizon && !replies_.empty(); ++now) {
    replies_.take(now, due_replies_);
    for (const Reply& reply : due_replies_) {
      const Cycle arrival = network_.deliver_response(reply.sm, reply.bytes, now);
      inbox[reply.sm].push_back({l2_to_sm_.up(arrival), reply.tag, reply.flag});
      --answers_due_;
    }
  }
  if (replies_.empty()) replies_.skip_to(reply_horizon);
  replied_until_ = reply_horizon;
}

void MemorySystem::step(Cycle now) {
  if (now % DramPorts::kStep == 0 && dram_.is_busy()) advance_dram(now);
  dram_fills_.take(now, due_fills_);
  fill_all(now);
  crossing_fills_.take(now, due_fills_);
  fill_all(now);
  crossing_requests_.take(now, due_arrivals_);
  prefetch_due_sets();
  for (const Arrival& arrival : due_arrivals_) serve(arrival.slice, arrival.request, now);
  arrivals_.take(now, due_arrivals_);
  prefetch_due_sets();
  for (const Arrival& arrival : due_arrivals_) admit(arrival, now);
}

void MemorySystem::fill_all(Cycle now) {
  for (const Fill& due : due_fills_) slices_[due.slice]->tags.prefetch_line(due.place);
  for (const Fill& due : due_fills_) fill(due, now);
}

void MemorySystem::prefetch_due_sets() {
  for (const Arrival& arrival : due_arrivals_)
    slices_[static_cast<std::size_t>(arrival.slice)]->tags.prefetch_set(arrival.request.set);
}

void MemorySystem::advance_dram(Cycle now) {
  dram_done_.clear();
  dram_.advance(now, dram_done_);
  for (const DramFill& done : dram_done_) {
    const bool is_last = (done.tag & 1) != 0;
    if (!is_last) continue;
    const auto sector = static_cast<int>((done.tag >> 1) & ((1U << kSectorBits) - 1));
    const auto slice =
        static_cast<std::uint16_t>((done.tag >> (1 + kSectorBits)) & ((1U << kSliceBits) - 1));
    const auto place = static_cast<std::uint32_t>(done.tag >> kTagBits);
    const auto sectors = static_cast<std::uint8_t>(done.write ? 0 : 1U << sector);
    dram_fills_.push(done.at_slice, {place, slice, sectors, false});
  }
}

/// Lets a request of an SM into the queue of its slice, or holds it where that is full.
void MemorySystem::admit(const Arrival& arrival, Cycle now) {
  const auto sm = static_cast<std::size_t>(arrival.request.line.sm);
  const auto slice = static_cast<std::size_t>(arrival.slice);
  if (held_.holds(sm)) return held_.hold(sm, arrival);
  if (!is_full(slice)) return serve(arrival.slice, arrival.request, now);
  held_.hold(sm, arrival);
  held_.wait_for(sm, slice);
}

/// The queue of `slice` has moved: SMs whose requests it has room for now go on, in turns.
void MemorySystem::admit_held(std::size_t slice, Cycle now) {
  while (held_.is_wanted(slice) && !is_full(slice)) {
    const std::size_t sm = held_.next_sm(slice);
    while (held_.holds(sm)) {
      const auto wanted = static_cast<std::size_t>(held_.oldest(sm).slice);
      if (is_full(wanted)) {
        held_.wait_for(sm, wanted);
        break;
      }
      const Arrival arrival = held_.take(sm);
      serve(arrival.slice, arrival.request, now);
    }
  }
}

void MemorySystem::serve(int slice, const SliceRequest& request, Cycle now) {
  L2Slice& state = *slices_[static_cast<std::size_t>(slice)];
  const Cycle start = std::max(now, state.tag_free);
  state.tag_free = start + 1;
  clean(slice, start);
  auto& blocked = request.near_slice < 0 ? state.blocked : state.blocked_crossing;
  if (blocked.empty() && try_serve(slice, request, start)) return;
  state.counters.blocked.add();
  blocked.push_back(request);
}

bool MemorySystem::try_serve(int slice, const SliceRequest& request, Cycle start) {
  return request.line.access == LineAccess::kWrite ? try_write(slice, request, start)
                                                   : try_read(slice, request, start);
}

void MemorySystem::serve_blocked(int slice, std::deque<SliceRequest>& blocked, Cycle now) {
  while (!blocked.empty()) {
    const SliceRequest request = blocked.front();
    if (!try_serve(slice, request, now)) return;
    blocked.pop_front();
  }
}

/// Answers or starts to fetch; false if the slice has no miss entry or line for it. Atomics read
/// their sectors first.
bool MemorySystem::try_read(int slice, const SliceRequest& request, Cycle start) {
  L2Slice& state = *slices_[static_cast<std::size_t>(slice)];
  const LineRequest& read = request.line;
  const std::uint32_t set = request.set;
  const std::uint32_t number = line_number(read.address);
  const bool is_copy = request.home.slice != slice;
  int& fetches = is_copy ? state.copy_fetches : state.own_fetches;
  int place = state.tags.find(number, set);
  const bool is_held = place != SliceTags::kNone;
  if (!is_held) {
    if (fetches >= l2_.miss_entries) return false;
    place = allocate(slice, number, set, is_copy, start);
    if (place == SliceTags::kNone) return false;
  }
  SliceLine& line = state.tags.line(place);
  const auto missing = static_cast<std::uint8_t>(read.sectors & ~line.valid);
  auto to_fetch = static_cast<std::uint8_t>(missing & ~line.pending);
  // A copy of a far line asks for what it needs; its home fetches the rest (assumption).
  std::uint8_t ahead = 0;
  if (read.prefetches_line && to_fetch != 0 && !is_copy)
    ahead = static_cast<std::uint8_t>(all_sectors(l2_) & ~(line.valid | line.pending | to_fetch));
  to_fetch |= ahead;
  if (to_fetch != 0 && line.pending == 0 && fetches >= l2_.miss_entries) return false;
  if (is_held) state.tags.use(place);
  state.counters.prefetches.add(static_cast<std::uint64_t>(std::popcount(ahead)));
  if (request.near_slice < 0) {
    const int missed = std::popcount(missing);
    const int asked = std::popcount(read.sectors);
    state.counters.misses.add(static_cast<std::uint64_t>(missed));
    state.counters.hits.add(static_cast<std::uint64_t>(asked - missed));
    if (read.access == LineAccess::kRead)
      state.counters.read_bytes.add(static_cast<std::uint64_t>(asked) *
                                    static_cast<std::uint64_t>(l2_.sector_bytes));
  }
  const Waiter waiter{
      read.tag,           read.sm,      read.sectors, missing,     request.near_slice,
      request.near_place, line.waiters, read.access,  read.atomic, read.flag};
  if (missing == 0) {
    reply(slice, place, waiter, start);
    return true;
  }
  line.waiters = new_waiter(waiter);
  if (to_fetch != 0) {
    if (line.pending == 0) ++fetches;
    line.pending |= to_fetch;
    fetch(slice, place, request, to_fetch, start);
  }
  return true;
}

std::int32_t MemorySystem::new_waiter(const Waiter& waiter) {
  const std::int32_t index = free_waiter_;
  if (index < 0) {
    waiters_.push_back(waiter);
    return static_cast<std::int32_t>(waiters_.size()) - 1;
  }
  free_waiter_ = waiters_[static_cast<std::size_t>(index)].next;
  waiters_[static_cast<std::size_t>(index)] = waiter;
  return index;
}

/// Sectors written whole become valid; partly written ones keep a byte mask and are completed when
/// they are read.
bool MemorySystem::try_write(int slice, const SliceRequest& request, Cycle start) {
  L2Slice& state = *slices_[static_cast<std::size_t>(slice)];
  const LineRequest& write = request.line;
  const std::uint32_t set = request.set;
  const std::uint32_t number = line_number(write.address);
  int place = state.tags.find(number, set);
  if (place != SliceTags::kNone)
    state.tags.use(place);
  else
    place = allocate(slice, number, set, /*is_copy=*/false, start);
  if (place == SliceTags::kNone) return false;
  SliceLine& line = state.tags.line(place);
  const auto whole = static_cast<std::uint8_t>(write.sectors & ~write.partial);
  line.valid |= whole;
  line.partial = static_cast<std::uint8_t>((line.partial | (write.partial & ~line.valid)) & ~whole);
  make_dirty(slice, place, write.sectors, start);
  const int bytes = std::popcount(write.sectors) * l2_.sector_bytes;
  state.counters.write_bytes.add(static_cast<std::uint64_t>(bytes));
  state.tag_free =
      std::max<Cycle>(state.tag_free, start + ceil_div(bytes, l2_.bytes_per_cycle_per_slice));
  if (l2_.partitions > 1) drop_copies(slice, number, set, write.sectors);
  const Cycle back = is_far(slice, write.sm) ? crossing_ : 0;
  replies_.push(start + l2_.hit_latency_cycles + back,
                {kWriteDone | write.tag, write.sm, static_cast<std::uint16_t>(answer_bytes_), 0});
  return true;
}

/// A place for line `number`, the replaced one's dirty sectors on their way to DRAM; kNone if all
/// are being fetched.
int MemorySystem::allocate(int slice, std::uint32_t number, std::uint32_t set, bool is_copy,
                           Cycle start) {
  L2Slice& state = *slices_[static_cast<std::size_t>(slice)];
  // Copies under way leave half of a set to own lines, which always get their data: no deadlock
  // between slices.
  if (is_copy && state.tags.pending_lines(set) >= l2_.ways / 2) return SliceTags::kNone;
  const int place = state.tags.victim(set);
  if (place == SliceTags::kNone) return place;
  if (state.tags.line(place).dirty != 0) {
    if (state.writebacks >= l2_.miss_entries) return SliceTags::kNone;
    write_back(slice, place, start);
    state.last_eviction = start;
  }
  state.tags.assign(place, number);
  return place;
}

void MemorySystem::fetch(int slice, int place, const SliceRequest& request, std::uint8_t sectors,
                         Cycle start) {
  if (request.home.slice == slice) {
    send_bursts(slice, request.home.local, place, sectors, /*write=*/false, start);
    return;
  }
  slices_[static_cast<std::size_t>(slice)]->counters.crossings.add(
      static_cast<std::uint64_t>(std::popcount(sectors)));
  SliceRequest onward = request;
  onward.line.sectors = sectors;
  onward.near_slice = slice;
  onward.near_place = static_cast<std::uint32_t>(place);
  crossing_requests_.push(start + crossing_, {onward, request.home.slice});
}

void MemorySystem::send_bursts(int slice, std::uint64_t local, int place, std::uint8_t sectors,
                               bool write, Cycle at) {
  const std::uint64_t line_tag =
      ((static_cast<std::uint64_t>(place) << kSliceBits) | static_cast<std::uint64_t>(slice))
      << kSectorBits;
  const auto sector_bytes = static_cast<std::uint64_t>(l2_.sector_bytes);
  for (unsigned sector = 0; sectors >> sector != 0; ++sector) {
    if (((sectors >> sector) & 1) == 0) continue;
    const std::uint64_t tag = (line_tag | sector) << 1;
    for (std::uint64_t byte = 0; byte < sector_bytes; byte += burst_bytes_) {
      const bool is_last = byte + burst_bytes_ == sector_bytes;
      dram_.send(slice, local + sector * sector_bytes + byte, tag | (is_last ? 1U : 0U), write, at);
    }
  }
}

void MemorySystem::fill(const Fill& fill, Cycle now) {
  L2Slice& state = *slices_[fill.slice];
  if (fill.sectors == 0) {
    --state.writebacks;
    return go_on(fill.slice, now);
  }
  SliceLine& line =
      state.tags.line(static_cast<int>(fill.place));  // a line under way is never replaced
  line.valid |= fill.sectors;
  line.partial = static_cast<std::uint8_t>(line.partial & ~fill.sectors);
  line.pending = static_cast<std::uint8_t>(line.pending & ~fill.sectors);
  answer_waiters(fill, line, now);
  if (line.pending != 0) return;
  --(fill.is_copy ? state.copy_fetches : state.own_fetches);
  go_on(fill.slice, now);
}

/// What waited for an entry of `slice`, which is free now.
void MemorySystem::go_on(int slice, Cycle now) {
  L2Slice& state = *slices_[static_cast<std::size_t>(slice)];
  serve_blocked(slice, state.blocked_crossing, now);
  serve_blocked(slice, state.blocked, now);
  admit_held(static_cast<std::size_t>(slice), now);
  clean(slice, now);
}

/// Answers the reads of `line` that have all their sectors now, in the order in which they came.
void MemorySystem::answer_waiters(const Fill& fill, SliceLine& line, Cycle now) {
  std::int32_t oldest = -1;
  for (std::int32_t index = std::exchange(line.waiters, -1);
       index >= 0;) {  // the list starts with the latest
    Waiter& waiter = waiters_[static_cast<std::size_t>(index)];
    index = std::exchange(waiter.next, std::exchange(oldest, index));
  }
  for (std::int32_t index = oldest; index >= 0;) {
    Waiter& waiter = waiters_[static_cast<std::size_t>(index)];
    waiter.remaining = static_cast<std::uint8_t>(waiter.remaining & ~fill.sectors);
    const bool is_complete = waiter.remaining == 0;
    if (is_complete) reply(fill.slice, static_cast<int>(fill.place), waiter, now);
    index =
        std::exchange(waiter.next, std::exchange(is_complete ? free_waiter_ : line.waiters, index));
  }
}

void MemorySystem::reply(int slice, int place, const Waiter& waiter, Cycle start) {
  if (waiter.access != LineAccess::kRead) return carry_out_atomic(slice, place, waiter, start);
  L2Slice& state = *slices_[static_cast<std::size_t>(slice)];
  const int bytes = std::popcount(waiter.sectors) * l2_.sector_bytes;
  // Cut-through as in the network: one cycle at each port is in the latencies.
  const Cycle leave = state.data.reserve(start + l2_.hit_latency_cycles, bytes) - 1;
  if (waiter.flag.is_flag) {
    const auto found = flags_.find(flag_address(slice, place, waiter));
    replies_.push(leave + (is_far(slice, waiter.sm) ? crossing_ : 0),
                  {waiter.tag, waiter.sm, static_cast<std::uint16_t>(bytes),
                   found == flags_.end() ? 0 : found->second});
    return;
  }
  if (waiter.near_slice < 0) {
    replies_.push(leave, {waiter.tag, waiter.sm, static_cast<std::uint16_t>(bytes), 0});
    return;
  }
  const auto side = static_cast<std::size_t>(waiter.near_slice / slices_per_partition_);
  const Cycle sent = crossing_ports_[side].reserve(leave, bytes) - 1;
  crossing_fills_.push(
      sent + crossing_,
      {waiter.near_place, static_cast<std::uint16_t>(waiter.near_slice), waiter.sectors, true});
}

/// The atomic unit takes the data after a hit's latency, of which one pass is a part, and answers
/// when it is through with all lanes.
void MemorySystem::carry_out_atomic(int slice, int place, const Waiter& waiter, Cycle start) {
  L2Slice& state = *slices_[static_cast<std::size_t>(slice)];
  make_dirty(slice, place, waiter.sectors, start);
  const AtomicLanes& atomic = waiter.atomic;
  const bool is_float = atomic.type == AtomicClass::kFloat;
  const int width = is_float ? l2_.atomic_float_lanes_per_cycle : l2_.atomic_lanes_per_cycle;
  const int words = atomic.type == AtomicClass::kInteger64 ? 2 * atomic.lanes : atomic.lanes;
  const Cycle cycles = std::max<Cycle>(atomic.passes, ceil_div(words, width));
  state.atomic_free = std::max(state.atomic_free, start + l2_.hit_latency_cycles - 1) + cycles;
  state.counters.atomic_lanes.add(atomic.lanes);
  state.counters.atomic_cycles.add(static_cast<std::uint64_t>(cycles));
  if (l2_.partitions > 1) {
    const auto set = static_cast<std::uint32_t>(place / l2_.ways);
    drop_copies(slice, state.tags.number(place), set, waiter.sectors);
  }
  if (waiter.flag.is_flag) {
    const std::uint64_t address = flag_address(slice, place, waiter);
    if ((flags_[address] += static_cast<std::uint32_t>(waiter.flag.added)) == 0)
      flags_.erase(address);
    if (waiter.flag.added < 0) flag_fell_at_ = start;
  }
  const Cycle leave = state.atomic_free + (is_far(slice, waiter.sm) ? crossing_ : 0);
  const bool returns = waiter.access == LineAccess::kAtomic;
  const int bytes = returns ? std::max(answer_bytes_, atomic.bytes()) : answer_bytes_;
  replies_.push(leave, {returns ? waiter.tag : kWriteDone | waiter.tag, waiter.sm,
                        static_cast<std::uint16_t>(bytes), 0});
}

std::uint64_t MemorySystem::flag_address(int slice, int place, const Waiter& waiter) const {
  const std::uint64_t number = slices_[static_cast<std::size_t>(slice)]->tags.number(place);
  return number * static_cast<std::uint64_t>(l2_.line_bytes) + std::uint64_t{4} * waiter.flag.word;
}

std::uint32_t MemorySystem::flag(std::uint64_t address) const {
  const auto found = flags_.find(address & ((std::uint64_t{1} << kPhysicalBits) - 1));
  return found == flags_.end() ? 0 : found->second;
}

/// A write makes the copies in the other partition stale.
void MemorySystem::drop_copies(int home, std::uint32_t number, std::uint32_t set,
                               std::uint8_t sectors) {
  for (int partition = 0; partition < l2_.partitions; ++partition) {
    const int copy = copy_of(home, partition);
    if (copy == home) continue;
    SliceTags& tags = slices_[static_cast<std::size_t>(copy)]->tags;
    const int place = tags.find(number, set);
    if (place != SliceTags::kNone) {
      tags.line(place).valid = static_cast<std::uint8_t>(tags.line(place).valid & ~sectors);
    }
  }
}

void MemorySystem::install(std::uint64_t virtual_address, bool dirty) {
  const std::uint64_t address = virtual_address & ((std::uint64_t{1} << kPhysicalBits) - 1);
  const HomeAddress home = map_.home(address);
  install_in(home.slice, home, line_number(address), dirty);
}

void MemorySystem::renew(std::uint64_t virtual_address) {
  install(virtual_address);
  if (l2_.partitions == 1) return;
  const std::uint64_t address = virtual_address & ((std::uint64_t{1} << kPhysicalBits) - 1);
  const HomeAddress home = map_.home(address);
  drop_copies(home.slice, line_number(address), set_of(home.slice, home),
              static_cast<std::uint8_t>(all_sectors(l2_)));
}

void MemorySystem::install_copy(std::uint64_t virtual_address) {
  const std::uint64_t address = virtual_address & ((std::uint64_t{1} << kPhysicalBits) - 1);
  const HomeAddress home = map_.home(address);
  const int far = 1 - home.slice / slices_per_partition_;
  install_in(copy_of(home.slice, far), home, line_number(address), false);
}

void MemorySystem::install_in(int slice, const HomeAddress& home, std::uint32_t number,
                              bool dirty) {
  L2Slice& state = *slices_[static_cast<std::size_t>(slice)];
  SliceTags& tags = state.tags;
  const std::uint32_t set = set_of(slice, home);
  int place = tags.find(number, set);
  if (place == SliceTags::kNone) {
    place = tags.victim(set);
    if (place == SliceTags::kNone) return;  // no room: it comes from DRAM when it is read
    tags.assign(place, number);
  } else {
    tags.use(place);
  }
  SliceLine& line = tags.line(place);
  line.valid = static_cast<std::uint8_t>((1U << (l2_.line_bytes / l2_.sector_bytes)) - 1);
  line.dirty = dirty ? line.valid : std::uint8_t{0};
  if (tags.dirty_lines(set) > l2_.dirty_ways) tags.line(tags.stalest_dirty(set)).dirty = 0;
}

void MemorySystem::install_pages(std::uint64_t address, std::uint64_t bytes) {
  tlb_.install(address, bytes);
}

void MemorySystem::invalidate() {
  for (const auto& slice : slices_) slice->tags.clear();
}

}  // namespace tcsim::memory
