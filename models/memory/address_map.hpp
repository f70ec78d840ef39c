#pragma once

#include <cstdint>

#include "models/memory/params.hpp"

namespace tcsim::memory {

/// Where an address lives: its home slice, and its position among the bytes of that slice.
struct HomeAddress {
  int slice = 0;
  std::uint64_t local = 0;  ///< byte address within the slice, dense
};

/// Spreads blocks of `interleave_bytes` over the slices. Each group of as many consecutive blocks
/// as there are slices is a rotation of the slices, so the map is one to one for any slice count;
/// with "xor_fold" the rotation is a hash of the group, which breaks power-of-two strides. The real
/// functions are not public (microarchitecture.md 7.6), only that bad strides spread evenly.
class AddressMap {
 public:
  explicit AddressMap(const L2Params& params);

  HomeAddress home(std::uint64_t address) const;

 private:
  std::uint64_t slices_;
  std::uint64_t interleave_;
  bool hashed_;
};

}  // namespace tcsim::memory
