#pragma once

#include <cstdint>

#include "models/memory/divider.hpp"
#include "models/memory/params.hpp"
#include "models/memory/slice_hash/slice_hashes.hpp"

namespace tcsim::memory {

/// Location of an address: its home slice, and its position among the bytes of that slice.
struct HomeAddress {
  int slice = 0;
  std::uint64_t local = 0;  ///< byte address within the slice, dense
};

/// Distributes blocks of `interleave_bytes` over the slices. Each group of as many consecutive
/// blocks as there are slices uses every slice once, so the map is one-to-one; L2Params::slice_hash
/// sets the order. The real functions are not public (microarchitecture.md 7.6), only that bad
/// strides spread evenly.
class AddressMap {
 public:
  /// Throws std::invalid_argument if the hash does not support this number of slices.
  explicit AddressMap(const L2Params& params)
      : slices_(static_cast<std::uint64_t>(params.slices)),
        interleave_(static_cast<std::uint64_t>(params.interleave_bytes)),
        hash_(params.slice_hash, slices_.divisor()) {}

  HomeAddress home(std::uint64_t address) const;

 private:
  Divider slices_;
  Divider interleave_;
  slice_hash::List::Hash hash_;
};

}  // namespace tcsim::memory
