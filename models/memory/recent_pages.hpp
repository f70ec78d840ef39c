#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <list>
#include <unordered_map>

#include "models/isa/cycle.hpp"

namespace tcsim::memory {

/// The pages of a fully associative TLB, the least recently used one out first. Each step takes the
/// same time however many pages there are.
class RecentPages {
 public:
  struct Entry {
    std::uint64_t page = 0;
    Cycle ready = 0;  ///< when the translation is there, L2 clock
  };

  /// Requires `capacity` >= 1.
  explicit RecentPages(int capacity) : capacity_(static_cast<std::size_t>(capacity)) {}

  /// The entry of `page`, which is the latest from now on, or null.
  const Entry* use(std::uint64_t page) {
    if (!order_.empty() && order_.front().page == page) return &order_.front();
    const auto found = places_.find(page);
    if (found == places_.end()) return nullptr;
    order_.splice(order_.begin(), order_, found->second);
    return &order_.front();
  }

  /// Adds a page that is not held as the latest; the oldest goes where there is no room.
  void add(const Entry& entry) {
    if (order_.size() == capacity_) {
      places_.erase(order_.back().page);
      order_.splice(order_.begin(), order_, std::prev(order_.end()));
      order_.front() = entry;
    } else {
      order_.push_front(entry);
    }
    places_[entry.page] = order_.begin();
  }

 private:
  std::size_t capacity_;
  std::list<Entry> order_;  ///< the latest first
  std::unordered_map<std::uint64_t, std::list<Entry>::iterator> places_;
};

}  // namespace tcsim::memory
