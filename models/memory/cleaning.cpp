// How dirty lines go to DRAM: evicted lines, and, ahead of time, lines of sets that hold too many
// dirty ones.

#include <bit>

#include "models/memory/memory_system.hpp"

namespace tcsim::memory {
namespace {

/// A slice cleans when it has evicted no dirty line for this long, about the time of a DRAM read
/// (assumption). While it evicts lines, DRAM is the bottleneck, and a second stream of writes would
/// conflict with the evictions in its banks (init of BabelStream on the A100: 1537 GB/s, with both
/// at once 1274).
constexpr Cycle kQuietCycles = 512;

}  // namespace

/// Sends the dirty sectors of the line at `place` to DRAM; fully valid sectors stay.
void MemorySystem::write_back(int slice, int place, Cycle start) {
  L2Slice& state = *slices_[static_cast<std::size_t>(slice)];
  SliceLine& line = state.tags.line(place);
  const int sectors = std::popcount(line.dirty);
  state.writebacks += sectors;
  const std::uint64_t address =
      std::uint64_t{state.tags.number(place)} * static_cast<std::uint64_t>(l2_.line_bytes);
  send_bursts(slice, place, line.dirty,
              {.tag = 0, .address = map_.home(address).local, .write = true, .source = 0}, start);
  state.counters.writeback_bytes.add(static_cast<std::uint64_t>(sectors) *
                                     static_cast<std::uint64_t>(l2_.sector_bytes));
  line.dirty = 0;
}

/// If a set has more than `dirty_ways` dirty lines, those that would be replaced first become due
/// for cleaning.
void MemorySystem::make_dirty(int slice, int place, std::uint8_t sectors, Cycle start) {
  L2Slice& state = *slices_[static_cast<std::size_t>(slice)];
  SliceLine& line = state.tags.line(place);
  const bool was_clean = line.dirty == 0;
  line.dirty |= sectors;
  if (!was_clean) return;
  const auto set = static_cast<std::uint32_t>(place / l2_.ways);
  if (state.tags.dirty_lines(set) > l2_.dirty_ways) state.to_clean.add(set);
  clean(slice, start);
}

/// Cleans what is due, set by set, as long as DRAM accepts it.
void MemorySystem::clean(int slice, Cycle start) {
  L2Slice& state = *slices_[static_cast<std::size_t>(slice)];
  if (!may_clean_ || start < state.last_eviction + kQuietCycles) return;
  while (!state.to_clean.empty() && state.writebacks < l2_.miss_entries) {
    const std::uint32_t set = state.to_clean.take();
    const int dirty = state.tags.dirty_lines(set);
    if (dirty > l2_.dirty_ways) write_back(slice, state.tags.stalest_dirty(set), start);
    if (dirty > l2_.dirty_ways + 1) state.to_clean.add(set);
  }
}

}  // namespace tcsim::memory
