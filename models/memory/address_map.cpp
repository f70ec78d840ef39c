#include "models/memory/address_map.hpp"

namespace tcsim::memory {
namespace {

/// Mixes all bits of the group number into the low ones (xor-shift-multiply; the constant is the
/// 64-bit golden ratio, odd, chosen for its even spread).
std::uint64_t fold(std::uint64_t group) {
  group ^= group >> 15;
  group *= 0x9E3779B97F4A7C15ULL;
  return group ^ (group >> 32);
}

}  // namespace

AddressMap::AddressMap(const L2Params& params)
    : slices_(static_cast<std::uint64_t>(params.slices)),
      interleave_(static_cast<std::uint64_t>(params.interleave_bytes)),
      hashed_(params.slice_hash == "xor_fold") {}

HomeAddress AddressMap::home(std::uint64_t address) const {
  const std::uint64_t block = address / interleave_;
  const std::uint64_t group = block / slices_;
  const std::uint64_t rotation = hashed_ ? fold(group) % slices_ : 0;
  const std::uint64_t slice = (block % slices_ + rotation) % slices_;
  return {static_cast<int>(slice), group * interleave_ + address % interleave_};
}

}  // namespace tcsim::memory
