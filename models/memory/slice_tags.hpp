#pragma once

#include <cstdint>
#include <vector>

namespace tcsim::memory {

/// State of one line of an L2 slice. Masks have a bit per sector.
struct SliceLine {
  std::uint32_t last_use = 0;
  std::int32_t waiters = -1;  ///< head of the list of reads that wait for sectors
  std::uint8_t valid = 0;
  std::uint8_t dirty = 0;
  std::uint8_t partial = 0;  ///< dirty sectors of which only some bytes are here (byte masks)
  std::uint8_t pending = 0;  ///< sectors being fetched
};

/// Tag store of one slice: set-associative, least recently used line out first. Lines go by their
/// place (set * ways + way); addresses by line number. Tags lie apart from the state so that a
/// look-up touches one host cache line.
class SliceTags {
 public:
  static constexpr int kNone = -1;

  SliceTags(int sets, int ways)
      : ways_(static_cast<std::size_t>(ways)),
        sets_(static_cast<std::uint32_t>(sets)),
        tags_(static_cast<std::size_t>(sets) * ways_, kEmpty),
        lines_(tags_.size()) {}

  /// The set of the line with dense number `local_line` within the slice.
  std::uint32_t set_of(std::uint64_t local_line) const {
    return static_cast<std::uint32_t>(local_line % sets_);
  }

  /// Tell the host that `set`, or the state of `place`, will be looked at soon.
  void prefetch_set(std::uint32_t set) const { __builtin_prefetch(&tags_[set * ways_]); }
  void prefetch_line(std::uint32_t place) const { __builtin_prefetch(&lines_[place]); }

  /// The place of line `number` in `set`, or kNone.
  int find(std::uint32_t number, std::uint32_t set) const {
    const std::size_t first = set * ways_;
    for (std::size_t place = first; place < first + ways_; ++place) {
      if (tags_[place] == number) return static_cast<int>(place);
    }
    return kNone;
  }

  /// The place to use for a new line of `set`: an empty one or the least recently used without a
  /// fetch under way; kNone if all are being fetched.
  int victim(std::uint32_t set) const {
    int best = kNone;
    for (std::size_t place = set * ways_; place < (set + 1) * ways_; ++place) {
      if (tags_[place] == kEmpty) return static_cast<int>(place);
      if (lines_[place].pending != 0) continue;
      if (best == kNone || lines_[place].last_use < line(best).last_use)
        best = static_cast<int>(place);
    }
    return best;
  }

  /// Lines of `set` with a fetch under way.
  int pending_lines(std::uint32_t set) const {
    int count = 0;
    for (std::size_t place = set * ways_; place < (set + 1) * ways_; ++place)
      count += lines_[place].pending != 0 ? 1 : 0;
    return count;
  }

  struct Dirty {
    int lines = 0;
    int oldest = kNone;  ///< place of the least recently used
  };

  /// What of `set` is dirty.
  Dirty dirty(std::uint32_t set) const {
    Dirty found;
    for (std::size_t place = set * ways_; place < (set + 1) * ways_; ++place) {
      if (lines_[place].dirty == 0) continue;
      ++found.lines;
      if (found.oldest == kNone || lines_[place].last_use < line(found.oldest).last_use)
        found.oldest = static_cast<int>(place);
    }
    return found;
  }

  int places() const { return static_cast<int>(tags_.size()); }
  bool is_empty(int place) const { return tags_[static_cast<std::size_t>(place)] == kEmpty; }
  std::uint32_t number(int place) const { return tags_[static_cast<std::size_t>(place)]; }
  SliceLine& line(int place) { return lines_[static_cast<std::size_t>(place)]; }
  const SliceLine& line(int place) const { return lines_[static_cast<std::size_t>(place)]; }

  /// Gives `place` to line `number`, nothing of it valid.
  void assign(int place, std::uint32_t number) {
    tags_[static_cast<std::size_t>(place)] = number;
    line(place) = SliceLine{};
  }
  void clear() {
    tags_.assign(tags_.size(), kEmpty);
    lines_.assign(lines_.size(), SliceLine{});
  }

 private:
  static constexpr std::uint32_t kEmpty = ~std::uint32_t{0};

  std::size_t ways_;
  std::uint32_t sets_;
  std::vector<std::uint32_t> tags_;
  std::vector<SliceLine> lines_;
};

}  // namespace tcsim::memory
