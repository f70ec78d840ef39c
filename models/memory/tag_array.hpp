#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "models/memory/replacement/replacement.hpp"

namespace tcsim::memory {

/// Tags of a set-associative cache, with a Line of state for each. Lines are identified by their
/// place (set * ways + way), of type int, and by a number that is unique in their set, of type
/// Number. Tags are stored apart from the state, so that a look-up touches few cache lines of the
/// host.
template <typename Number, typename Line>
class TagArray {
 public:
  static constexpr int kNone = -1;

  /// Initially empty. Requires that `replacement` is a name in replacement::List that supports
  /// `shape.ways`.
  TagArray(std::string_view replacement, const replacement::Shape& shape)
      : ways_(shape.ways),
        replacement_(replacement, shape),
        tags_(std::size_t{shape.sets} * shape.ways, kEmpty),
        lines_(tags_.size()) {}

  int places() const { return static_cast<int>(tags_.size()); }
  bool is_empty(int place) const { return number(place) == kEmpty; }
  Number number(int place) const { return tags_[static_cast<std::size_t>(place)]; }
  Line& line(int place) { return lines_[static_cast<std::size_t>(place)]; }
  const Line& line(int place) const { return lines_[static_cast<std::size_t>(place)]; }

  /// Hints to the host that `set`, or the state of `place`, will be accessed soon.
  void prefetch_set(std::uint32_t set) const { __builtin_prefetch(&tags_[first_of(set)]); }
  void prefetch_line(std::uint32_t place) const { __builtin_prefetch(&lines_[place]); }

  /// The place of line `number` in `set`, or kNone. Does not count as a use.
  int find(Number number, std::uint32_t set) const {
    const std::size_t first = first_of(set);
    for (std::size_t place = first; place < first + ways_; ++place)
      if (tags_[place] == number) return static_cast<int>(place);
    return kNone;
  }

  /// The place of `set` that would be replaced first among those for which `is_wanted(line)` is
  /// true; kNone if there is none. Requires that it is false for empty places, or that there are
  /// none.
  template <typename IsWanted>
  int stalest(std::uint32_t set, IsWanted&& is_wanted) const {
    const auto first = static_cast<std::uint32_t>(first_of(set));
    return replacement_.visit([&](const auto& policy) {
      int found = kNone;
      std::uint32_t most = 0;
      for (std::uint32_t place = first; place < first + ways_; ++place) {
        if (!is_wanted(lines_[place])) continue;
        const std::uint32_t staleness = policy.staleness(place);
        if (found != kNone && staleness <= most) continue;
        found = static_cast<int>(place);
        most = staleness;
      }
      return found;
    });
  }

  /// The place for a new line of `set`: an empty one, or the stalest for which `may_go(line)` is
  /// true; kNone if there is none.
  template <typename MayGo>
  int victim(std::uint32_t set, MayGo&& may_go) const {
    const int empty = find(kEmpty, set);
    return empty != kNone ? empty : stalest(set, may_go);
  }

  /// Assigns `place` to line `number`. Keeps the state of the previous line for the caller to
  /// reset: it may own memory that the new line can reuse.
  void assign(int place, Number number) {
    tags_[static_cast<std::size_t>(place)] = number;
    replacement_.visit([place](auto& policy) { policy.filled(static_cast<std::uint32_t>(place)); });
  }
  /// The line at `place` has been used again.
  void use(int place) {
    replacement_.visit([place](auto& policy) { policy.used(static_cast<std::uint32_t>(place)); });
  }
  void erase(int place) {
    tags_[static_cast<std::size_t>(place)] = kEmpty;
    replacement_.visit(
        [place](auto& policy) { policy.emptied(static_cast<std::uint32_t>(place)); });
  }
  void clear() {
    tags_.assign(tags_.size(), kEmpty);
    lines_.assign(lines_.size(), Line{});
    replacement_.visit([this](auto& policy) {
      for (std::uint32_t place = 0; place < tags_.size(); ++place) policy.emptied(place);
    });
  }

  /// Replacement order of the line at `place` within its set: the greater, the earlier.
  std::uint32_t staleness(int place) const {
    return replacement_.visit([place](const auto& policy) {
      return policy.staleness(static_cast<std::uint32_t>(place));
    });
  }

 private:
  static constexpr Number kEmpty = ~Number{0};  ///< no line has this number

  std::size_t first_of(std::uint32_t set) const { return std::size_t{set} * ways_; }

  std::uint32_t ways_;
  replacement::List::OfSets replacement_;
  std::vector<Number> tags_;
  std::vector<Line> lines_;
};

}  // namespace tcsim::memory
