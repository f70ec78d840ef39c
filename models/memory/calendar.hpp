#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "models/isa/cycle.hpp"

namespace tcsim::memory {

/// Items by the cycle at which they are due. Items of one cycle come out in the order in which they
/// were put in. So a calendar filled by one ordered producer is itself ordered, however its owner's
/// time is split. Pending items are in one pool, whose places are reused at once, so that it stays
/// in the host's caches.
template <typename Item>
class Calendar {
 public:
  Calendar() : buckets_(kBuckets) {}

  /// Requires that `when` has not been taken yet.
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

  /// Moves the items of `when` into `items` (cleared first). `when` must increase from call to call
  /// and must not skip a cycle that holds items.
  void take(Cycle when, std::vector<Item>& items) {
    items.clear();
    base_ = when + 1;
    if (size_ == 0) return;
    if (!far_.empty() &&
        far_.begin()->first == when) {  // inserted before the ring reached `when`, hence first
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

  /// Advances to `when`; nothing is due before. Requires empty().
  void skip_to(Cycle when) { base_ = when; }

  bool empty() const { return size_ == 0; }

 private:
  static constexpr Cycle kBuckets = 4096;  // a power of two, greater than every unloaded latency
  static constexpr std::int32_t kNone = -1;

  /// A linked list of places.
  struct Bucket {
    std::int32_t first = kNone;
    std::int32_t last = kNone;
  };

  static std::size_t index(Cycle when) { return static_cast<std::size_t>(when & (kBuckets - 1)); }

  /// Allocates a place for `item`, at the end of a list.
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
  std::vector<std::int32_t> next_;  ///< by place: the next place in its list, or in the free list
  std::int32_t free_ = kNone;
  std::map<Cycle, std::vector<Item>> far_;
};

}  // namespace tcsim::memory
