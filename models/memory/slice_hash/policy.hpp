#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

namespace tcsim::memory::slice_hash {

/// The slice of each block of an address. Blocks are assigned to the slices in groups, each of
/// which uses every slice once; a policy defines the order.
template <typename T>
concept Policy = std::constructible_from<T, std::uint64_t> &&
    requires(const T policy, std::uint64_t place, std::uint64_t group) {
  /// The name of the policy in machine files, for l2.slice_hash.
  { T::kName } -> std::convertible_to<std::string_view>;
  /// Whether `check` refuses numbers of slices that are not powers of two.
  { T::kNeedsPowerOfTwoSlices } -> std::convertible_to<bool>;
  /// The slice of block `place` of a group: one-to-one on the numbers below the number of slices
  /// given to the constructor.
  { policy.slice_of(place, group) } -> std::same_as<std::uint64_t>;
};

}  // namespace tcsim::memory::slice_hash
