#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/isa/cycle.hpp"

namespace tcsim::sm {

/// Tags of a cache of instructions or constants: set-associative, least recently used line out
/// first. Each line carries the cycle from which on it can be used.
class CodeCache {
 public:
  struct Line {
    std::uint32_t number = kNone;
    std::uint64_t last_use = 0;
    Cycle ready = 0;  ///< kNever: on its way, arrival not known
  };

  CodeCache(int bytes, int line_bytes, int ways)
      : ways_(static_cast<std::size_t>(ways)),
        sets_(static_cast<std::size_t>(bytes / line_bytes) / ways_),
        lines_(sets_ * ways_) {}

  /// The line `number`, or null. Counts as a use.
  Line* find(std::uint32_t number) {
    for (std::size_t way = first_way(number), end = way + ways_; way < end; ++way) {
      if (lines_[way].number != number) continue;
      lines_[way].last_use = ++uses_;
      return &lines_[way];
    }
    return nullptr;
  }

  /// Line `number`, if it is here and on its way, can be used from `ready` on.
  void fill(std::uint32_t number, Cycle ready) {
    for (std::size_t way = first_way(number), end = way + ways_; way < end; ++way) {
      if (lines_[way].number == number && lines_[way].ready == kNever) lines_[way].ready = ready;
    }
  }

  /// Puts line `number` in the place of the least recently used one of its set. Requires
  /// find(number) == nullptr.
  void insert(std::uint32_t number, Cycle ready) {
    std::size_t oldest = first_way(number);
    for (std::size_t way = oldest + 1, end = oldest + ways_; way < end; ++way) {
      if (lines_[way].last_use < lines_[oldest].last_use) oldest = way;
    }
    lines_[oldest] = {number, ++uses_, ready};
  }

  /// Forgets line `number`, if it is here.
  void drop(std::uint32_t number) {
    for (std::size_t way = first_way(number), end = way + ways_; way < end; ++way) {
      if (lines_[way].number == number) lines_[way] = {};
    }
  }

  void clear() { lines_.assign(lines_.size(), {}); }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  std::size_t first_way(std::uint32_t number) const { return number % sets_ * ways_; }

  std::size_t ways_;
  std::size_t sets_;
  std::uint64_t uses_ = 0;
  std::vector<Line> lines_;
};

}  // namespace tcsim::sm
