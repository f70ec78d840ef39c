// How a slice handles reads: hits, misses and the reads that wait for them, answers.

#include <bit>
#include <utility>

#include "models/memory/memory_system.hpp"

namespace tcsim::memory {

/// Answers or starts a fetch; false if the slice has no miss entry or line for it. Atomics first
/// read their sectors.
bool MemorySystem::try_read(const SliceRequest& request, Cycle start) {
  const int slice = request.slice;
  L2Slice& state = *slices_[request.slice];
  const LineRequest& read = request.line;
  const std::uint32_t set = request.set;
  const std::uint32_t number = line_number(read.address);
  const bool is_copy = request.home != request.slice;
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
  // A copy of a far line requests only what it needs; its home fetches the rest (assumption).
  std::uint8_t ahead = 0;
  if (read.prefetches_line && to_fetch != 0 && !is_copy)
    ahead = static_cast<std::uint8_t>(all_sectors() & ~(line.valid | line.pending | to_fetch));
  to_fetch |= ahead;
  if (to_fetch != 0 && line.pending == 0 && fetches >= l2_.miss_entries) return false;
  if (is_held) state.tags.use(place);
  state.counters.prefetches.add(static_cast<std::uint64_t>(std::popcount(ahead)));
  if (request.near_slice < 0) {
    if (observer_ != nullptr && returns_data(read.access)) [[unlikely]]
      observer_->looked_up(read.sm, read.tag, l2_to_sm_.up(start));
    const int missed = std::popcount(missing);
    const int asked = std::popcount(read.sectors);
    state.counters.misses.add(static_cast<std::uint64_t>(missed));
    state.counters.hits.add(static_cast<std::uint64_t>(asked - missed));
    if (read.access == LineAccess::kRead)
      state.counters.read_bytes.add(static_cast<std::uint64_t>(asked) *
                                    static_cast<std::uint64_t>(l2_.sector_bytes));
  }
  const Waiter waiter{
      read.tag,           read.sm,      read.sectors, missing,    request.near_slice,
      request.near_place, line.waiters, read.entry,   read.ranks, read.cluster,
      read.access,        read.atomic,  read.flag};
  if (missing == 0) {
    reply(slice, place, waiter, start);
    return true;
  }
  line.waiters = new_waiter(waiter);
  if (to_fetch != 0) {
    if (line.pending == 0) ++fetches;
    line.pending |= to_fetch;
    fetch(place, request, to_fetch, start);
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

/// A place for line `number`; dirty sectors of the line that it replaces are sent to DRAM. kNone if
/// all lines of the set are being fetched.
int MemorySystem::allocate(int slice, std::uint32_t number, std::uint32_t set, bool is_copy,
                           Cycle start) {
  L2Slice& state = *slices_[static_cast<std::size_t>(slice)];
  // Copies in flight leave half of a set to own lines, which always receive their data: no deadlock
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

void MemorySystem::fetch(int place, const SliceRequest& request, std::uint8_t sectors,
                         Cycle start) {
  if (request.home == request.slice) {
    send_bursts(request.slice, place, sectors,
                {.tag = 0, .address = request.local, .write = false, .source = request.line.sm},
                start);
    return;
  }
  slices_[request.slice]->counters.crossings.add(
      static_cast<std::uint64_t>(std::popcount(sectors)));
  SliceRequest onward = request;
  onward.line.sectors = sectors;
  onward.slice = request.home;
  onward.near_slice = static_cast<std::int16_t>(request.slice);
  onward.near_place = static_cast<std::uint32_t>(place);
  crossing_requests_.push(start + crossing_, onward);
}

void MemorySystem::fill(const Fill& fill, Cycle now) {
  L2Slice& state = *slices_[fill.slice];
  if (fill.sectors == 0) {
    --state.writebacks;
    return go_on(fill.slice, now);
  }
  SliceLine& line =
      state.tags.line(static_cast<int>(fill.place));  // a line in flight is never replaced
  line.valid |= fill.sectors;
  line.pending = static_cast<std::uint8_t>(line.pending & ~fill.sectors);
  answer_waiters(fill, line, now);
  if (line.pending != 0) return;
  --(fill.is_copy ? state.copy_fetches : state.own_fetches);
  go_on(fill.slice, now);
}

/// Answers the reads of `line` that now have all their sectors, in order of arrival.
void MemorySystem::answer_waiters(const Fill& fill, SliceLine& line, Cycle now) {
  std::int32_t oldest = -1;
  for (std::int32_t index = std::exchange(line.waiters, -1);
       index >= 0;) {  // the list starts with the most recent
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
  if (!only_reads(waiter.access)) return carry_out_atomic(slice, place, waiter, start);
  if (waiter.access == LineAccess::kPrefetch && waiter.near_slice < 0) {
    replies_.push(start + l2_.hit_latency_cycles,
                  {kWriteDone | waiter.tag, waiter.sm, static_cast<std::uint16_t>(answer_bytes_)});
    return;
  }
  L2Slice& state = *slices_[static_cast<std::size_t>(slice)];
  const int bytes = std::popcount(waiter.sectors) * l2_.sector_bytes;
  // As in the network, the latencies include one cycle at each port.
  const Cycle leave = state.data.reserve(start + l2_.hit_latency_cycles, bytes) - 1;
  if (waiter.near_slice < 0) tell_found(waiter, start, leave);
  if (waiter.flag.is_flag) {
    const auto found = flags_.find(flag_address(slice, place, waiter));
    replies_.push(leave + (is_far(slice, waiter.sm) ? crossing_ : 0),
                  {waiter.tag, waiter.sm, static_cast<std::uint16_t>(bytes),
                   found == flags_.end() ? 0 : found->second});
    return;
  }
  if (waiter.near_slice < 0) {
    answer({start, waiter.tag, waiter.sm, waiter.sectors, waiter.ranks, waiter.cluster}, leave,
           Shared::kNot);
    if (waiter.entry == LineRequest::kNoEntry) return;
    for (const Coalescer::Member& member :
         coalescer_->answered(static_cast<std::size_t>(slice), waiter.entry, leave))
      reply_to(member, leave);
    return;
  }
  const auto side = static_cast<std::size_t>(waiter.near_slice / slices_per_partition_);
  const Cycle sent = crossing_ports_[side].reserve(leave, bytes) - 1;
  crossing_fills_.push(
      sent + crossing_,
      {waiter.near_place, static_cast<std::uint16_t>(waiter.near_slice), waiter.sectors, true});
}

}  // namespace tcsim::memory
