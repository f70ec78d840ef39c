#include <algorithm>
#include <utility>
#include <vector>

#include "models/memory/memory_system.hpp"

namespace tcsim::memory {
namespace {

/// The places that hold lines, those that the policy would replace last first: with lru the latest
/// use.
std::vector<int> by_age(const SliceTags& tags) {
  std::vector<std::pair<std::uint32_t, int>> ages;  // staleness, place
  for (int place = 0; place < tags.places(); ++place)
    if (!tags.is_empty(place)) ages.emplace_back(tags.staleness(place), place);
  std::ranges::sort(ages);
  std::vector<int> places;
  places.reserve(ages.size());
  for (const auto& [staleness, place] : ages) places.push_back(place);
  return places;
}

}  // namespace

std::vector<CachedLine> MemorySystem::lines() const {
  std::vector<std::vector<int>> places(slices_.size());  // of a slice, by age
  std::size_t most = 0;
  for (std::size_t slice = 0; slice < slices_.size(); ++slice) {
    places[slice] = by_age(slices_[slice]->tags);
    most = std::max(most, places[slice].size());
  }
  std::vector<CachedLine> lines;
  for (std::size_t age = most; age-- > 0;)
    for (std::size_t slice = 0; slice < slices_.size(); ++slice)
      if (age < places[slice].size())
        lines.push_back(cached_line(static_cast<int>(slice), places[slice][age]));
  return lines;
}

CachedLine MemorySystem::cached_line(int slice, int place) const {
  const SliceTags& tags = slices_[static_cast<std::size_t>(slice)]->tags;
  const SliceLine& line = tags.line(place);
  const std::uint64_t address =
      std::uint64_t{tags.number(place)} * static_cast<std::uint64_t>(l2_.line_bytes);
  const bool is_copy = map_.home(address).slice != slice;
  const int side = is_copy ? slice / slices_per_partition_ : -1;
  return {address, line.valid, line.dirty, line.partial, static_cast<std::int8_t>(side)};
}

void MemorySystem::restore(const std::vector<CachedLine>& lines) {
  for (const CachedLine& line : lines) {
    const HomeAddress home = map_.home(line.address);
    const int slice = line.copy_side < 0 ? home.slice : copy_of(home.slice, line.copy_side);
    if (line.copy_side >= 0 && slice == home.slice) continue;  // at home on that side now
    L2Slice& state = *slices_[static_cast<std::size_t>(slice)];
    const int place = state.tags.victim(set_of(slice, home));
    state.tags.assign(place, line_number(line.address));
    SliceLine& kept = state.tags.line(place);
    kept.valid = line.valid;
    kept.dirty = line.dirty;
    kept.partial = line.partial;
  }
}

}  // namespace tcsim::memory
