#pragma once

#include <cstdint>
#include <string_view>

#include "models/memory/divider.hpp"
#include "models/memory/tag_array.hpp"

namespace tcsim::memory {

/// State of one line of an L2 slice. Masks have a bit per sector.
struct SliceLine {
  std::int32_t waiters = -1;  ///< head of the list of reads that wait for sectors
  std::uint8_t valid = 0;
  std::uint8_t dirty = 0;
  std::uint8_t pending = 0;  ///< sectors being fetched
};

/// Tags of one slice, by line number. A line with a fetch in flight is never replaced.
class SliceTags : public TagArray<std::uint32_t, SliceLine> {
 public:
  /// The tags of slice `slice`.
  SliceTags(std::string_view replacement, int sets, int ways, int slice)
      : TagArray(replacement, {static_cast<std::uint32_t>(sets), static_cast<std::uint32_t>(ways),
                               static_cast<std::uint32_t>(slice)}),
        sets_(static_cast<std::uint64_t>(sets)),
        ways_(ways) {}

  /// The set of line number `local_line` of the slice (lines are numbered densely).
  std::uint32_t set_of(std::uint64_t local_line) const {
    return static_cast<std::uint32_t>(sets_.remainder(local_line));
  }

  /// The place for a new line of `set`; kNone if all its lines are being fetched.
  int victim(std::uint32_t set) const {
    return TagArray::victim(set, [](const SliceLine& line) { return line.pending == 0; });
  }

  /// Assigns `place` to line `number`, with no valid sectors.
  void assign(int place, std::uint32_t number) {
    TagArray::assign(place, number);
    line(place) = SliceLine{};
  }

  /// Lines of `set` with a fetch in flight.
  int pending_lines(std::uint32_t set) const {
    return count(set, [](const SliceLine& line) { return line.pending != 0; });
  }
  int dirty_lines(std::uint32_t set) const {
    return count(set, [](const SliceLine& line) { return line.dirty != 0; });
  }
  /// The dirty line of `set` that would be replaced first, or kNone.
  int stalest_dirty(std::uint32_t set) const {
    return stalest(set, [](const SliceLine& line) { return line.dirty != 0; });
  }

 private:
  template <typename IsCounted>
  int count(std::uint32_t set, IsCounted&& is_counted) const {
    int counted = 0;
    const int first = static_cast<int>(set) * ways_;
    for (int place = first; place < first + ways_; ++place)
      counted += is_counted(line(place)) ? 1 : 0;
    return counted;
  }

  Divider sets_;
  int ways_;
};

}  // namespace tcsim::memory
