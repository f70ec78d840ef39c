#include <algorithm>
#include <tuple>

#include "models/memory/memory_system.hpp"

namespace tcsim::memory {

std::vector<CachedLine> MemorySystem::lines() const {
  struct Aged {
    std::size_t age;  ///< lines of its slice that were used later
    int slice;
    CachedLine line;
  };
  std::vector<Aged> all;
  std::vector<std::pair<std::uint32_t, int>> uses;  // last use, place
  for (int slice = 0; slice < l2_.slices; ++slice) {
    const SliceTags& tags = slices_[static_cast<std::size_t>(slice)]->tags;
    uses.clear();
    for (int place = 0; place < tags.places(); ++place)
      if (!tags.is_empty(place)) uses.emplace_back(tags.line(place).last_use, place);
    std::sort(uses.rbegin(), uses.rend());
    for (std::size_t age = 0; age < uses.size(); ++age) {
      const int place = uses[age].second;
      const SliceLine& line = tags.line(place);
      const std::uint64_t address =
          std::uint64_t{tags.number(place)} * static_cast<std::uint64_t>(l2_.line_bytes);
      const bool is_copy = map_.home(address).slice != slice;
      const int side = is_copy ? slice / slices_per_partition_ : -1;
      all.push_back(
          {age,
           slice,
           {address, line.valid, line.dirty, line.partial, static_cast<std::int8_t>(side)}});
    }
  }
  std::sort(all.begin(), all.end(), [](const Aged& a, const Aged& b) {
    return std::tie(b.age, a.slice) < std::tie(a.age, b.slice);
  });
  std::vector<CachedLine> lines;
  lines.reserve(all.size());
  for (const Aged& aged : all) lines.push_back(aged.line);
  return lines;
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
    kept.last_use = ++state.uses;
    kept.valid = line.valid;
    kept.dirty = line.dirty;
    kept.partial = line.partial;
  }
}

}  // namespace tcsim::memory
