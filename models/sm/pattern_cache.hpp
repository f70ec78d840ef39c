#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace tcsim::sm {

/// Results by index and key, computed on first use and kept. Any number of host threads may ask at
/// once; two that miss the same key both compute it, with the same result.
template <typename Value>
class PatternCache {
 public:
  PatternCache() = default;
  PatternCache(const PatternCache&) = delete;
  PatternCache& operator=(const PatternCache&) = delete;
  ~PatternCache() {
    for (std::atomic<Entry*>& first : firsts_)
      for (Entry* entry = first.load(); entry != nullptr;) delete std::exchange(entry, entry->next);
  }

  /// Makes room for `indices` lists of a few keys each. Requires an empty cache.
  void resize(std::size_t indices) { firsts_ = std::vector<std::atomic<Entry*>>(indices); }

  template <typename Compute>
  const Value& find(std::size_t index, std::int64_t key, Compute compute) {
    std::atomic<Entry*>& first = firsts_[index];
    Entry* const known = first.load(std::memory_order_acquire);
    for (const Entry* entry = known; entry != nullptr; entry = entry->next)
      if (entry->key == key) return entry->value;
    auto entry = std::make_unique<Entry>(key, compute(), known);
    while (!first.compare_exchange_weak(entry->next, entry.get(), std::memory_order_release,
                                        std::memory_order_relaxed)) {
    }
    return entry.release()->value;
  }

 private:
  struct Entry {
    Entry(std::int64_t its_key, Value its_value, Entry* its_next)
        : key(its_key), value(std::move(its_value)), next(its_next) {}
    const std::int64_t key;
    const Value value;
    Entry* next;
  };

  std::vector<std::atomic<Entry*>> firsts_;
};

}  // namespace tcsim::sm
