#pragma once

#include <cstdint>
#include <string_view>

#include "models/memory/divider.hpp"
#include "models/memory/slice_hash/policy.hpp"

namespace tcsim::memory::slice_hash {

/// Rotates each group by a mix of its number; for any number of slices.
class XorFold {
 public:
  static constexpr std::string_view kName = "xor_fold";
  static constexpr bool kNeedsPowerOfTwoSlices = false;

  explicit XorFold(std::uint64_t slices) : slices_(slices) {}

  std::uint64_t slice_of(std::uint64_t place, std::uint64_t group) const {
    const std::uint64_t mixed = fold(group);
    constexpr std::uint64_t kHalf = std::uint64_t{1} << 32;
    const std::uint64_t turned =
        slices_.remainder(slices_.remainder(mixed / kHalf) * slices_.remainder(kHalf) +
                          slices_.remainder(mixed % kHalf));  // remainder of `mixed`, which is too
                                                              // large for it
    const std::uint64_t slice = place + turned;
    return slice < slices_.divisor() ? slice : slice - slices_.divisor();
  }

 private:
  /// Mixes all bits of the group number into the low ones (xor-shift-multiply; the constant is the
  /// 64-bit golden ratio, odd, chosen for its even spread).
  static std::uint64_t fold(std::uint64_t group) {
    group ^= group >> 15;
    group *= 0x9E3779B97F4A7C15ULL;
    return group ^ (group >> 32);
  }

  Divider slices_;
};

}  // namespace tcsim::memory::slice_hash
