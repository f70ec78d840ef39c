// The contents of the L2 before and after a run.

#include <algorithm>
#include <array>
#include <bit>
#include <boost/sort/spreadsort/integer_sort.hpp>
#include <vector>

#include "models/memory/memory_system.hpp"

namespace tcsim::memory {
namespace {

/// The occupied places, with those that the policy would replace last first: with lru, the most
/// recently used.
std::vector<std::uint32_t> by_age(const SliceTags& tags) {
  constexpr int kPlaceBits = 32;
  std::vector<std::uint64_t> ages;  // staleness, place
  for (int place = 0; place < tags.places(); ++place)
    if (!tags.is_empty(place))
      ages.push_back(std::uint64_t{tags.staleness(place)} << kPlaceBits |
                     static_cast<std::uint32_t>(place));
  boost::sort::spreadsort::integer_sort(ages.begin(), ages.end());
  return {ages.begin(), ages.end()};
}

}  // namespace

std::vector<CachedLine> MemorySystem::lines() const {
  std::vector<std::vector<CachedLine>> of_slice(slices_.size());  // by age
  std::size_t most = 0;
  std::size_t all = 0;
  for (std::size_t slice = 0; slice < slices_.size(); ++slice) {
    for (const std::uint32_t place : by_age(slices_[slice]->tags))
      of_slice[slice].push_back(cached_line(static_cast<int>(slice), static_cast<int>(place)));
    most = std::max(most, of_slice[slice].size());
    all += of_slice[slice].size();
  }
  std::vector<CachedLine> lines;
  lines.reserve(all);
  for (std::size_t age = most; age-- > 0;)
    for (const std::vector<CachedLine>& slice : of_slice)
      if (age < slice.size()) lines.push_back(slice[age]);
  return lines;
}

std::vector<CachedLine> MemorySystem::dirty_lines() const {
  std::vector<CachedLine> lines;
  for (std::size_t slice = 0; slice < slices_.size(); ++slice) {
    const SliceTags& tags = slices_[slice]->tags;
    for (int place = 0; place < tags.places(); ++place)
      if (!tags.is_empty(place) && tags.line(place).dirty != 0)
        lines.push_back(cached_line(static_cast<int>(slice), place));
  }
  return lines;
}

std::uint64_t MemorySystem::dirty_bytes() const {
  std::uint64_t sectors = 0;
  for (const auto& slice : slices_)
    for (int place = 0; place < slice->tags.places(); ++place)
      if (!slice->tags.is_empty(place))
        sectors += static_cast<std::uint64_t>(std::popcount(slice->tags.line(place).dirty));
  return sectors * static_cast<std::uint64_t>(l2_.sector_bytes);
}

CachedLine MemorySystem::cached_line(int slice, int place) const {
  const SliceTags& tags = slices_[static_cast<std::size_t>(slice)]->tags;
  const SliceLine& line = tags.line(place);
  const std::uint64_t address =
      std::uint64_t{tags.number(place)} * static_cast<std::uint64_t>(l2_.line_bytes);
  const bool is_copy = l2_.partitions > 1 && map_.home(address).slice != slice;
  const int side = is_copy ? slice / slices_per_partition_ : -1;
  return {address, line.valid, line.dirty, static_cast<std::int8_t>(side)};
}

void MemorySystem::restore(const std::vector<CachedLine>& lines) {
  struct Place {
    L2Slice* slice;  ///< null: there is none
    std::uint32_t set;
  };
  const auto place_of = [&](const CachedLine& line) -> Place {
    const HomeAddress home = map_.home(physical(line.address));
    const int slice = line.copy_side < 0 ? home.slice : copy_of(home.slice, line.copy_side);
    if (line.copy_side >= 0 && slice == home.slice) return {};  // that side is its home now
    return {slices_[static_cast<std::size_t>(slice)].get(), set_of(slice, home)};
  };
  constexpr std::size_t kAhead = 16;  // a power of two: lines ahead whose sets the host prefetches
  std::array<Place, kAhead> places{};
  const auto look_ahead = [&](std::size_t i) {
    if (i >= lines.size()) return;
    const Place place = places[i % kAhead] = place_of(lines[i]);
    if (place.slice == nullptr) return;
    place.slice->tags.prefetch_set(place.set);
    place.slice->tags.prefetch_line(place.set * static_cast<std::uint32_t>(l2_.ways));
  };
  for (std::size_t i = 0; i < kAhead; ++i) look_ahead(i);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto [slice, set] = places[i % kAhead];
    look_ahead(i + kAhead);
    if (slice == nullptr) continue;
    const CachedLine& line = lines[i];
    const int place = slice->tags.victim(set);
    slice->tags.assign(place, line_number(line.address));
    SliceLine& kept = slice->tags.line(place);
    kept.valid = line.valid;
    kept.dirty = line.dirty;
    if (line.dirty != 0 && slice->tags.dirty_lines(set) > l2_.dirty_ways) slice->to_clean.add(set);
  }
}

void MemorySystem::clean_at_once() {
  for (const auto& slice : slices_) {
    SliceTags& tags = slice->tags;
    while (!slice->to_clean.empty()) {
      const std::uint32_t set = slice->to_clean.take();
      while (tags.dirty_lines(set) > l2_.dirty_ways) tags.line(tags.stalest_dirty(set)).dirty = 0;
    }
  }
}

void MemorySystem::install(std::uint64_t virtual_address, bool dirty) {
  const std::uint64_t address = physical(virtual_address);
  const HomeAddress home = map_.home(address);
  install_in(home.slice, home, line_number(address), dirty);
}

void MemorySystem::renew(std::uint64_t virtual_address) {
  install(virtual_address);
  if (l2_.partitions == 1) return;
  const std::uint64_t address = physical(virtual_address);
  const HomeAddress home = map_.home(address);
  drop_copies(home.slice, line_number(address), set_of(home.slice, home), all_sectors());
}

void MemorySystem::install_copy(std::uint64_t virtual_address) {
  const std::uint64_t address = physical(virtual_address);
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
    if (place == SliceTags::kNone) return;  // no room: it is read from DRAM when it is needed
    tags.assign(place, number);
  } else {
    tags.use(place);
  }
  SliceLine& line = tags.line(place);
  line.valid = all_sectors();
  line.dirty = dirty ? line.valid : std::uint8_t{0};
  if (tags.dirty_lines(set) > l2_.dirty_ways) tags.line(tags.stalest_dirty(set)).dirty = 0;
}

int MemorySystem::warm(std::uint64_t virtual_address, std::uint8_t sectors, int sm) {
  const std::uint64_t address = physical(virtual_address);
  const HomeAddress home = map_.home(address);
  const std::uint32_t number = line_number(address);
  std::uint8_t missing = sectors;
  if (is_far(home.slice, sm)) {
    missing = warm_in(copy_of(home.slice, partition_of(sm)), home, number, sectors);
    if (missing == 0) return 0;  // the home is not accessed
  }
  return std::popcount(warm_in(home.slice, home, number, missing));
}

/// The sectors that the slice did not hold.
std::uint8_t MemorySystem::warm_in(int slice, const HomeAddress& home, std::uint32_t number,
                                   std::uint8_t sectors) {
  SliceTags& tags = slices_[static_cast<std::size_t>(slice)]->tags;
  const std::uint32_t set = set_of(slice, home);
  int place = tags.find(number, set);
  if (place != SliceTags::kNone) {
    tags.use(place);
    SliceLine& line = tags.line(place);
    const auto missing = static_cast<std::uint8_t>(sectors & ~line.valid & ~line.pending);
    line.valid |= missing;
    return missing;
  }
  place = tags.victim(set);
  if (place == SliceTags::kNone) return sectors;
  tags.assign(place, number);
  tags.line(place).valid = sectors;
  return sectors;
}

void MemorySystem::warm_written(std::uint64_t virtual_address, std::uint8_t sectors) {
  const std::uint64_t address = physical(virtual_address);
  const HomeAddress home = map_.home(address);
  const std::uint32_t number = line_number(address);
  warm_in(home.slice, home, number, sectors);
  SliceTags& tags = slices_[static_cast<std::size_t>(home.slice)]->tags;
  const std::uint32_t set = set_of(home.slice, home);
  if (l2_.partitions > 1) drop_copies(home.slice, number, set, sectors);
  const int place = tags.find(number, set);
  if (place == SliceTags::kNone) return;
  tags.line(place).dirty |= static_cast<std::uint8_t>(sectors & tags.line(place).valid);
  if (tags.dirty_lines(set) > l2_.dirty_ways) tags.line(tags.stalest_dirty(set)).dirty = 0;
}

void MemorySystem::install_pages(std::uint64_t address, std::uint64_t bytes) {
  tlb_.install(address, bytes);
}

}  // namespace tcsim::memory
