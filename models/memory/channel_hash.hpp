#pragma once

#include <cstdint>

namespace tcsim::memory {

/// Which of its `owned` channels block `block` of a slice lies in: each group of so many blocks has
/// one in every channel, and is rotated by a mix of its number. Without that, of rows of a matrix
/// with a pitch of 32 KiB three in five lie in one of Hopper's two channels of a slice. Assumption:
/// the real functions are not public. The mix must not be that of slice_hash::XorFold, with which a
/// quarter of all channels would get no strip of 128 bytes of such a matrix.
constexpr std::uint64_t channel_of(std::uint64_t block, std::uint64_t owned) {
  constexpr std::uint64_t kOdd = 0xD6E8FEB86659FD93ULL;
  constexpr int kShift = 40;  // middle bits of the product, on which all low ones act
  if (owned == 1) return 0;
  return (block + (block / owned * kOdd >> kShift)) % owned;
}

}  // namespace tcsim::memory
