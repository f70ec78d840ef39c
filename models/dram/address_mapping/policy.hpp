#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

#include "models/dram/params.hpp"

namespace tcsim::dram {

/// Where a burst lies in a channel.
struct Location {
  int dram_bank;  ///< bank_group * banks_per_group + bank
  std::int64_t row;
  int column;  ///< in bursts

  bool operator==(const Location&) const = default;
};

/// Where a burst of a channel lies, by its byte address within the channel. One to one.
template <typename T>
concept AddressMapping = std::constructible_from<T, const DramParams&> &&
    requires(const T mapping, std::uint64_t address) {
  /// The word of machine files for dram.address_mapping.
  { T::kName } -> std::convertible_to<std::string_view>;
  { mapping.locate(address) } -> std::same_as<Location>;
};

}  // namespace tcsim::dram
