#pragma once

#include <cstdint>
#include <vector>

namespace tcsim::sm {

/// Tags of the L1 data cache: lines of sectors, set-associative, least recently used out first,
/// write-through. A line with sectors under way is never replaced; loads that find no line free go
/// past the cache.
class L1Cache {
 public:
  struct Line {
    std::uint64_t address = kNone;
    std::uint64_t last_use = 0;
    std::uint8_t valid = 0;
    std::uint8_t pending = 0;
    std::vector<int>
        waiters;  ///< numbers of the memory operations that wait for sectors of this line
  };
  static constexpr int kNoLine = -1;

  /// `bytes` of data (0: every load goes past), lines of `line_bytes`.
  void configure(std::int64_t bytes, int line_bytes, int ways) {
    ways_ = static_cast<std::size_t>(ways);
    line_bytes_ = static_cast<std::uint64_t>(line_bytes);
    sets_ = static_cast<std::size_t>(bytes / line_bytes / ways);
    lines_.assign(sets_ * ways_, Line{});
  }

  /// The number of the line that holds `address`, or kNoLine.
  int find(std::uint64_t address) const {
    for (std::size_t way = first_way(address), end = way + (sets_ == 0 ? 0 : ways_); way < end;
         ++way) {
      if (lines_[way].address == address) return static_cast<int>(way);
    }
    return kNoLine;
  }

  /// A line for `address`, the least recently used one replaced, or kNoLine. Requires find(address)
  /// == kNoLine.
  int allocate(std::uint64_t address) {
    int best = kNoLine;
    for (std::size_t way = first_way(address), end = way + (sets_ == 0 ? 0 : ways_); way < end;
         ++way) {
      const Line& line = lines_[way];
      if (line.pending != 0) continue;
      if (best == kNoLine || line.last_use < lines_[static_cast<std::size_t>(best)].last_use)
        best = static_cast<int>(way);
    }
    if (best != kNoLine) {
      Line& line = lines_[static_cast<std::size_t>(best)];
      line.address = address;
      line.valid = 0;
    }
    return best;
  }

  Line& line(int number) { return lines_[static_cast<std::size_t>(number)]; }
  void touch(int number) { line(number).last_use = ++uses_; }

 private:
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};

  /// Sets are chosen by the line number with its upper bits folded in, so that power-of-two strides
  /// spread (assumption: the real function is not public).
  std::size_t first_way(std::uint64_t address) const {
    if (sets_ == 0) return 0;
    const std::uint64_t number = address / line_bytes_;
    return static_cast<std::size_t>((number ^ (number / sets_) ^ (number / sets_ / sets_)) %
                                    sets_) *
           ways_;
  }

  std::size_t ways_ = 1;
  std::size_t sets_ = 0;
  std::uint64_t line_bytes_ = 128;
  std::uint64_t uses_ = 0;
  std::vector<Line> lines_;
};

}  // namespace tcsim::sm
