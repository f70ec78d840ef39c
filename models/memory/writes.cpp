// How a slice handles writes and atomics, including the words of flags.

#include <algorithm>
#include <bit>

#include "models/memory/memory_system.hpp"

namespace tcsim::memory {

/// Sectors written completely become valid; others are read from DRAM when they are needed.
bool MemorySystem::try_write(const SliceRequest& request, Cycle start) {
  const int slice = request.slice;
  L2Slice& state = *slices_[request.slice];
  const LineRequest& write = request.line;
  const std::uint32_t set = request.set;
  const std::uint32_t number = line_number(write.address);
  int place = state.tags.find(number, set);
  if (place != SliceTags::kNone)
    state.tags.use(place);
  else
    place = allocate(slice, number, set, /*is_copy=*/false, start);
  if (place == SliceTags::kNone) return false;
  state.tags.line(place).valid |= static_cast<std::uint8_t>(write.sectors & ~write.partial);
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

/// The atomic unit receives the data after the latency of a hit, which includes one pass, and
/// answers when it has processed all lanes.
void MemorySystem::carry_out_atomic(int slice, int place, const Waiter& waiter, Cycle start) {
  L2Slice& state = *slices_[static_cast<std::size_t>(slice)];
  make_dirty(slice, place, waiter.sectors, start);
  const AtomicLanes& atomic = waiter.atomic;
  const bool is_float = atomic.type == AtomicClass::kFloat;
  const int width = is_float ? l2_.atomic_float_lanes_per_cycle : l2_.atomic_lanes_per_cycle;
  const int words = atomic.type == AtomicClass::kInteger64 ? 2 * atomic.lanes : atomic.lanes;
  const Cycle cycles = std::max<Cycle>(atomic.passes, ceil_div(words, width));
  state.atomic_free = std::max(state.atomic_free, start + l2_.hit_latency_cycles - 1) + cycles;
  state.counters.write_bytes.add(static_cast<std::uint64_t>(atomic.bytes()));
  state.counters.atomic_lanes.add(atomic.lanes);
  state.counters.atomic_cycles.add(static_cast<std::uint64_t>(cycles));
  if (l2_.partitions > 1) {
    const auto set = static_cast<std::uint32_t>(place / l2_.ways);
    drop_copies(slice, state.tags.number(place), set, waiter.sectors);
  }
  std::uint32_t found = 0;
  if (waiter.flag.is_flag) {
    const std::uint64_t address = flag_address(slice, place, waiter);
    std::uint32_t& flag = flags_[address];
    found = flag;
    if ((flag += static_cast<std::uint32_t>(waiter.flag.added)) == 0) flags_.erase(address);
    if (waiter.flag.added < 0) flag_fell_at_ = start;
  }
  const Cycle leave = state.atomic_free + (is_far(slice, waiter.sm) ? crossing_ : 0);
  const bool returns = waiter.access == LineAccess::kAtomic;
  if (returns) tell_found(waiter, start, leave);
  const int bytes = returns ? std::max(answer_bytes_, atomic.bytes()) : answer_bytes_;
  replies_.push(leave, {returns ? waiter.tag : kWriteDone | waiter.tag, waiter.sm,
                        static_cast<std::uint16_t>(bytes), found});
}

std::uint64_t MemorySystem::flag_address(int slice, int place, const Waiter& waiter) const {
  const std::uint64_t number = slices_[static_cast<std::size_t>(slice)]->tags.number(place);
  return number * static_cast<std::uint64_t>(l2_.line_bytes) + std::uint64_t{4} * waiter.flag.word;
}

std::uint32_t MemorySystem::flag(std::uint64_t address) const {
  const auto found = flags_.find(physical(address));
  return found == flags_.end() ? 0 : found->second;
}

}  // namespace tcsim::memory
