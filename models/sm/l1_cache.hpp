#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/memory/tag_array.hpp"

namespace tcsim::sm {

/// State of one line of the L1 data cache. Masks have a bit per sector.
struct L1Line {
  /// A memory operation that waits for `sectors`.
  struct Waiter {
    int operation;
    std::uint8_t sectors;
  };

  std::uint8_t valid = 0;
  std::uint8_t pending = 0;  ///< requested, in one request or several
  std::vector<Waiter> waiters;
};

/// Tags of the L1 data cache: lines of sectors, set-associative, write-through. A line with sectors
/// in flight is never replaced; loads that find no free line bypass the cache.
class L1Cache {
 public:
  using Tags = memory::TagArray<std::uint64_t, L1Line>;
  using Line = L1Line;
  static constexpr int kNoLine = Tags::kNone;

  /// The cache of SM `sm`, initially of 0 bytes. Requires a name in memory::replacement::List.
  L1Cache(std::string replacement, int sm)
      : replacement_(std::move(replacement)), sm_(static_cast<std::uint32_t>(sm)) {}

  /// Sets the size to `bytes` of data (0: every load bypasses it) in lines of `line_bytes`. Empties
  /// the cache.
  void configure(std::int64_t bytes, int line_bytes, int ways) {
    line_bytes_ = static_cast<std::uint64_t>(line_bytes);
    sets_ = static_cast<std::uint64_t>(bytes / line_bytes / ways);
    if (sets_ == 0) {
      tags_.reset();
      return;
    }
    tags_.emplace(replacement_, memory::replacement::Shape{static_cast<std::uint32_t>(sets_),
                                                           static_cast<std::uint32_t>(ways), sm_});
  }

  /// The number of the line that holds `address`, or kNoLine. Does not count as a use.
  int find(std::uint64_t address) const {
    return tags_ ? tags_->find(address, set_of(address)) : kNoLine;
  }

  /// Allocates a line for `address`, replacing another one; kNoLine if none is free. Requires
  /// find(address) == kNoLine.
  int allocate(std::uint64_t address) {
    if (!tags_) return kNoLine;
    const int number =
        tags_->victim(set_of(address), [](const Line& line) { return line.pending == 0; });
    if (number == kNoLine) return number;
    tags_->assign(number, address);
    tags_->line(number).valid = 0;
    return number;
  }

  Line& line(int number) { return tags_->line(number); }
  /// A load has hit line `number`.
  void use(int number) { tags_->use(number); }

 private:
  /// The set is the line number with its upper bits folded in, so that power-of-two strides spread
  /// (assumption: the real function is not public).
  std::uint32_t set_of(std::uint64_t address) const {
    const std::uint64_t number = address / line_bytes_;
    return static_cast<std::uint32_t>((number ^ (number / sets_) ^ (number / sets_ / sets_)) %
                                      sets_);
  }

  std::string replacement_;
  std::uint32_t sm_;
  std::uint64_t sets_ = 0;
  std::uint64_t line_bytes_ = 128;
  std::optional<Tags> tags_;  ///< empty: a cache of 0 bytes
};

}  // namespace tcsim::sm
