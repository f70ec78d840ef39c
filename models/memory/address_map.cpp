#include "models/memory/address_map.hpp"

namespace tcsim::memory {

HomeAddress AddressMap::home(std::uint64_t address) const {
  const std::uint64_t block = interleave_.quotient(address);
  const std::uint64_t group = slices_.quotient(block);
  const std::uint64_t place = block - group * slices_.divisor();
  const std::uint64_t slice =
      hash_.visit([&](const auto& hash) { return hash.slice_of(place, group); });
  return {static_cast<int>(slice), (group - block) * interleave_.divisor() + address};
}

}  // namespace tcsim::memory
