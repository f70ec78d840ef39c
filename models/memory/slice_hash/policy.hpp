#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

namespace tcsim::memory::slice_hash {

/// Which slice a block of an address lives in. Blocks go round the slices in groups, each of which
/// holds every slice once; a policy says in which order.
template <typename T>
concept Policy = std::constructible_from<T, std::uint64_t> &&
    requires(const T policy, std::uint64_t place, std::uint64_t group) {
  /// The word of machine files for l2.slice_hash.
  { T::kName } -> std::convertible_to<std::string_view>;
  /// Whether `check` refuses other numbers of slices.
  { T::kNeedsPowerOfTwoSlices } -> std::convertible_to<bool>;
  /// The slice of block `place` of a group: one to one on the numbers below that of the slices, of
  /// which the policy is made.
  { policy.slice_of(place, group) } -> std::same_as<std::uint64_t>;
};

}  // namespace tcsim::memory::slice_hash
