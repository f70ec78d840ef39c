#include "models/memory/address_map.hpp"

namespace tcsim::memory {

HomeAddress AddressMap::home(std::uint64_t address) const {
  const std::uint64_t block = address / interleave_;
  const std::uint64_t group = block / slices_;
  const std::uint64_t slice =
      hash_.visit([&](const auto& hash) { return hash.slice_of(block % slices_, group); });
  return {static_cast<int>(slice), group * interleave_ + address % interleave_};
}

}  // namespace tcsim::memory
