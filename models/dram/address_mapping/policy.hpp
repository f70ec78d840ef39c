#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

#include "models/dram/params.hpp"

namespace tcsim::dram {

/// The position of a burst in a channel.
struct Location {
  int dram_bank;  ///< bank_group * banks_per_group + bank
  std::int64_t row;
  int column;  ///< in bursts

  bool operator==(const Location&) const = default;
};

/// Maps the byte address of a burst within its channel to its location. One to one.
template <typename T>
concept AddressMapping = std::constructible_from<T, const DramParams&> &&
    requires(const T mapping, std::uint64_t address) {
  /// The name of the mapping in machine files, for dram.address_mapping.
  { T::kName } -> std::convertible_to<std::string_view>;
  { mapping.locate(address) } -> std::same_as<Location>;
};

}  // namespace tcsim::dram
