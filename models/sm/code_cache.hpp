#pragma once

#include <cstdint>
#include <string_view>

#include "models/isa/cycle.hpp"
#include "models/memory/tag_array.hpp"

namespace tcsim::sm {

/// Size of an instruction or constant cache.
struct CodeCacheSize {
  int bytes;
  int line_bytes;
  int ways;

  /// If the cache does not exist (everything is always present), a cache of one line stands in for
  /// it.
  static CodeCacheSize of(bool exists, int bytes, int line_bytes, int ways) {
    return exists ? CodeCacheSize{bytes, line_bytes, ways} : CodeCacheSize{1, 1, 1};
  }
};

/// Tags of an instruction or constant cache, set-associative. Each line carries the cycle from
/// which it can be used.
class CodeCache {
 public:
  struct Line {
    Cycle ready = 0;  ///< kNever: in flight, arrival time unknown
  };

  /// Requires that `replacement` is a name in memory::replacement::List; `instance` distinguishes
  /// the caches.
  CodeCache(std::string_view replacement, const CodeCacheSize& size, int instance)
      : sets_(static_cast<std::uint32_t>(size.bytes / size.line_bytes / size.ways)),
        tags_(replacement, {sets_, static_cast<std::uint32_t>(size.ways),
                            static_cast<std::uint32_t>(instance)}) {}

  /// The line `number`, or null. Counts as a use.
  Line* find(std::uint32_t number) {
    if (tags_.number(found_) != number) {
      const int place = tags_.find(number, set_of(number));
      if (place == Tags::kNone) return nullptr;
      found_ = place;
    }
    tags_.use(found_);
    return &tags_.line(found_);
  }

  /// If line `number` is present and in flight, it can be used from `ready` on.
  void fill(std::uint32_t number, Cycle ready) {
    const int place = tags_.find(number, set_of(number));
    if (place != Tags::kNone && tags_.line(place).ready == kNever) tags_.line(place).ready = ready;
  }

  /// Inserts line `number`, replacing another line of its set. Requires find(number) == nullptr.
  void insert(std::uint32_t number, Cycle ready) {
    const int place = tags_.victim(set_of(number), [](const Line&) { return true; });
    tags_.assign(place, number);
    tags_.line(place).ready = ready;
  }

  /// Invalidates line `number`, if present.
  void drop(std::uint32_t number) {
    const int place = tags_.find(number, set_of(number));
    if (place != Tags::kNone) tags_.erase(place);
  }

  void clear() { tags_.clear(); }

 private:
  using Tags = memory::TagArray<std::uint32_t, Line>;

  std::uint32_t set_of(std::uint32_t number) const { return number % sets_; }

  std::uint32_t sets_;
  Tags tags_;
  int found_ = 0;  ///< place of the last hit: the warps of a sub-core ask for the same line in turn
};

}  // namespace tcsim::sm
