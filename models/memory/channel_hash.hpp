#pragma once

#include <cstdint>

#include "models/memory/divider.hpp"

namespace tcsim::memory {

/// The channel, among the `owned` ones of a slice, that holds its block `block`. Each group of
/// `owned` blocks has one in every channel and is rotated by a mix of its number. Without the
/// rotation, of the rows of a matrix with a pitch of 32 KiB three in five fall into one of Hopper's
/// two channels of a slice. Assumption: the real functions are not public. The mix must differ from
/// that of slice_hash::XorFold; with the same mix, a quarter of all channels would get no 128-byte
/// strip of such a matrix.
inline std::uint64_t channel_of(std::uint64_t block, const Divider& owned) {
  constexpr std::uint64_t kOdd = 0xD6E8FEB86659FD93ULL;
  constexpr int kShift = 40;  // middle bits of the product, which all low bits influence
  if (owned.divisor() == 1) return 0;
  return owned.remainder(block + (owned.quotient(block) * kOdd >> kShift));
}

}  // namespace tcsim::memory
