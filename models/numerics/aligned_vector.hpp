#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace tcsim::numerics {

/// Allocator whose blocks start on a cache line, so that no vector load of the fast path crosses a
/// line boundary.
template <typename T>
struct CacheLineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kAlignment{64};  ///< Bytes; also the size of the widest vector.

  CacheLineAllocator() = default;
  template <typename U>
  CacheLineAllocator(const CacheLineAllocator<U>& /*other*/) {}

  T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new(count * sizeof(T), kAlignment));
  }
  void deallocate(T* pointer, std::size_t /*count*/) { ::operator delete(pointer, kAlignment); }

  friend bool operator==(const CacheLineAllocator& /*a*/, const CacheLineAllocator& /*b*/) {
    return true;
  }
};

template <typename T>
using AlignedVector = std::vector<T, CacheLineAllocator<T>>;

}  // namespace tcsim::numerics
