#pragma once

#include <cstdint>
#include <vector>

namespace tcsim::memory {

/// One line of an L2 slice. Masks have a bit per sector.
struct SliceLine {
  std::uint64_t address = kNone;   ///< of the line, as SMs know it
  std::uint64_t last_use = 0;
  std::int32_t waiters = -1;       ///< head of the list of reads that wait for sectors
  std::uint8_t valid = 0;
  std::uint8_t dirty = 0;
  std::uint8_t partial = 0;        ///< dirty sectors of which only some bytes are here (byte masks)
  std::uint8_t pending = 0;        ///< sectors being fetched

  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
};

/// Tag store of one slice: set-associative, least recently used line out first.
class SliceTags {
 public:
  /// `sets` x `ways` lines.
  SliceTags(int sets, int ways)
      : ways_(static_cast<std::size_t>(ways)),
        sets_(static_cast<std::uint64_t>(sets)),
        lines_(static_cast<std::size_t>(sets) * static_cast<std::size_t>(ways)) {}

  /// The line that holds `address`, or nullptr. `set_key` chooses the set: the line's dense number within the slice.
  SliceLine* find(std::uint64_t address, std::uint64_t set_key) {
    SliceLine* const set = &lines_[set_of(set_key)];
    for (std::size_t way = 0; way < ways_; ++way) {
      if (set[way].address == address) return &set[way];
    }
    return nullptr;
  }

  /// The line to replace for `set_key`: an empty one or the least recently used without a fetch under way; nullptr
  /// if every line of the set is being fetched.
  SliceLine* victim(std::uint64_t set_key) {
    SliceLine* const set = &lines_[set_of(set_key)];
    SliceLine* best = nullptr;
    for (std::size_t way = 0; way < ways_; ++way) {
      SliceLine& line = set[way];
      if (line.address == SliceLine::kNone) return &line;
      if (line.pending == 0 && (best == nullptr || line.last_use < best->last_use)) best = &line;
    }
    return best;
  }

  std::vector<SliceLine>& lines() { return lines_; }

 private:
  std::size_t set_of(std::uint64_t key) const { return static_cast<std::size_t>(key % sets_) * ways_; }

  std::size_t ways_;
  std::uint64_t sets_;
  std::vector<SliceLine> lines_;
};

}  // namespace tcsim::memory
