#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "models/isa/cycle.hpp"
#include "models/memory/replacement/replacement.hpp"

namespace tcsim::memory {

/// The pages of a fully associative TLB. Finding a page takes constant time, and so does replacing
/// the least recently used one; other policies scan all pages to replace one.
class PageTags {
 public:
  struct Entry {
    std::uint64_t page = 0;
    Cycle ready = 0;  ///< when the translation is available, L2 clock
  };

  /// Requires `capacity` >= 1, that `replacement` is a name in replacement::List, and that the
  /// policy supports that many ways. `instance` distinguishes TLBs.
  PageTags(std::string_view replacement, int capacity, std::uint32_t instance)
      : capacity_(static_cast<std::uint32_t>(capacity)),
        replacement_(replacement, replacement::Shape{1, capacity_, instance}) {}

  /// The entry of `page`, which is marked as used; null if not present.
  const Entry* use(std::uint64_t page) {
    if (last_ >= entries_.size() || entries_[last_].page != page) {
      const auto found = places_.find(page);
      if (found == places_.end()) return nullptr;
      last_ = found->second;
    }
    replacement_.visit([this](auto& policy) { policy.used(last_); });
    return &entries_[last_];
  }

  /// Adds a page that is not present, replacing another one if there is no room.
  void add(const Entry& entry) {
    if (entries_.size() < capacity_) {
      last_ = static_cast<std::uint32_t>(entries_.size());
      entries_.push_back(entry);
    } else {
      last_ = replacement_.visit([this](const auto& policy) { return stalest(policy); });
      places_.erase(entries_[last_].page);
      entries_[last_] = entry;
    }
    places_[entry.page] = last_;
    replacement_.visit([this](auto& policy) { policy.filled(last_); });
  }

 private:
  template <typename Policy>
  std::uint32_t stalest(const Policy& policy) const {
    if constexpr (requires { policy.stalest(); }) {
      return policy.stalest();
    } else {
      std::uint32_t found = 0;
      for (std::uint32_t place = 1; place < capacity_; ++place)
        if (policy.staleness(place) > policy.staleness(found)) found = place;
      return found;
    }
  }

  std::uint32_t capacity_;
  replacement::List::OfPages replacement_;
  std::vector<Entry> entries_;                               ///< by place
  std::unordered_map<std::uint64_t, std::uint32_t> places_;  ///< by page
  std::uint32_t last_ = 0;  ///< the place used last: most requests use the same page again
};

}  // namespace tcsim::memory
