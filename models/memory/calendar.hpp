#pragma once

#include <map>
#include <utility>
#include <vector>

#include "models/isa/cycle.hpp"

namespace tcsim::memory {

/// Items by the cycle at which they fall due. Items of one cycle come out in the order they were
/// put in, so a calendar filled by one ordered producer is itself ordered, however its owner's time
/// is cut into pieces.
template <typename Item>
class Calendar {
 public:
  Calendar() : buckets_(kBuckets) {}

  /// Requires `when` not to have been taken yet.
  void push(Cycle when, Item item) {
    ++size_;
    if (when - base_ < kBuckets) {
      buckets_[index(when)].push_back(std::move(item));
    } else {
      far_[when].push_back(std::move(item));
    }
  }

  /// Moves the items of `when` into `items` (cleared first). Calls must come with growing `when`,
  /// none left out that holds items.
  void take(Cycle when, std::vector<Item>& items) {
    items.clear();
    if (!far_.empty() &&
        far_.begin()->first == when) {  // put in before the ring reached `when`, hence first
      items = std::move(far_.begin()->second);
      far_.erase(far_.begin());
    }
    std::vector<Item>& bucket = buckets_[index(when)];
    if (items.empty()) {
      items.swap(bucket);
    } else {
      items.insert(items.end(), bucket.begin(), bucket.end());
    }
    bucket.clear();
    size_ -= items.size();
    base_ = when + 1;
  }

  /// Moves on to `when`, nothing being due before. Requires empty().
  void skip_to(Cycle when) { base_ = when; }

  bool empty() const { return size_ == 0; }

 private:
  static constexpr Cycle kBuckets = 4096;  // a power of two above every unloaded latency

  static std::size_t index(Cycle when) { return static_cast<std::size_t>(when & (kBuckets - 1)); }

  Cycle base_ = 0;
  std::size_t size_ = 0;
  std::vector<std::vector<Item>> buckets_;
  std::map<Cycle, std::vector<Item>> far_;
};

}  // namespace tcsim::memory
