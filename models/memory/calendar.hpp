#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "models/isa/cycle.hpp"

namespace tcsim::memory {

/// Items by the cycle at which they fall due. Items of one cycle come out in the order they were
/// put in, so a calendar filled by one ordered producer is itself ordered, however its owner's time
/// is cut into pieces. What is under way lies in one pool, whose places are used again at once, so
/// that it stays in the host's caches.
template <typename Item>
class Calendar {
 public:
  Calendar() : buckets_(kBuckets) {}

  /// Requires `when` not to have been taken yet.
  void push(Cycle when, const Item& item) {
    ++size_;
    if (when - base_ >= kBuckets) {
      far_[when].push_back(item);
      return;
    }
    const std::int32_t place = new_place(item);
    Bucket& bucket = buckets_[index(when)];
    if (bucket.first == kNone)
      bucket.first = place;
    else
      next_[static_cast<std::size_t>(bucket.last)] = place;
    bucket.last = place;
  }

  /// Moves the items of `when` into `items` (cleared first). Calls must come with growing `when`,
  /// none left out that holds items.
  void take(Cycle when, std::vector<Item>& items) {
    items.clear();
    base_ = when + 1;
    if (size_ == 0) return;
    if (!far_.empty() &&
        far_.begin()->first == when) {  // put in before the ring reached `when`, hence first
      items = std::move(far_.begin()->second);
      far_.erase(far_.begin());
    }
    Bucket& bucket = buckets_[index(when)];
    if (bucket.first != kNone) {
      for (std::int32_t place = bucket.first; place != kNone;
           place = next_[static_cast<std::size_t>(place)])
        items.push_back(items_[static_cast<std::size_t>(place)]);
      next_[static_cast<std::size_t>(bucket.last)] = free_;
      free_ = bucket.first;
      bucket = Bucket{};
    }
    size_ -= items.size();
  }

  /// Moves on to `when`, nothing being due before. Requires empty().
  void skip_to(Cycle when) { base_ = when; }

  bool empty() const { return size_ == 0; }

 private:
  static constexpr Cycle kBuckets = 4096;  // a power of two above every unloaded latency
  static constexpr std::int32_t kNone = -1;

  /// A list of places.
  struct Bucket {
    std::int32_t first = kNone;
    std::int32_t last = kNone;
  };

  static std::size_t index(Cycle when) { return static_cast<std::size_t>(when & (kBuckets - 1)); }

  /// The place of `item`, the last of a list.
  std::int32_t new_place(const Item& item) {
    const std::int32_t place = free_;
    if (place == kNone) {
      items_.push_back(item);
      next_.push_back(kNone);
      return static_cast<std::int32_t>(items_.size()) - 1;
    }
    free_ = std::exchange(next_[static_cast<std::size_t>(place)], kNone);
    items_[static_cast<std::size_t>(place)] = item;
    return place;
  }

  Cycle base_ = 0;
  std::size_t size_ = 0;
  std::vector<Bucket> buckets_;
  std::vector<Item> items_;         ///< by place
  std::vector<std::int32_t> next_;  ///< by place: the next of its list, or of those that are free
  std::int32_t free_ = kNone;
  std::map<Cycle, std::vector<Item>> far_;
};

}  // namespace tcsim::memory
