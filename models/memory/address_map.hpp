#pragma once

#include <cstdint>

#include "models/memory/divider.hpp"
#include "models/memory/params.hpp"
#include "models/memory/slice_hash/slice_hashes.hpp"

namespace tcsim::memory {

/// Where an address lives: its home slice, and its position among the bytes of that slice.
struct HomeAddress {
  int slice = 0;
  std::uint64_t local = 0;  ///< byte address within the slice, dense
};

/// Spreads blocks of `interleave_bytes` over the slices. Each group of as many consecutive blocks
/// as there are slices holds every slice once, so the map is one to one; L2Params::slice_hash says
/// in which order. The real functions are not public (microarchitecture.md 7.6), only that bad
/// strides spread evenly.
class AddressMap {
 public:
  /// Throws std::invalid_argument where the hash cannot serve so many slices.
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
