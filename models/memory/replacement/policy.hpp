#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

namespace tcsim::memory::replacement {

/// The dimensions of what a policy orders. Places are numbered set * ways + way.
struct Shape {
  std::uint32_t sets;
  std::uint32_t ways;      ///< >= 1
  std::uint32_t instance;  ///< distinguishes caches of the same kind: random choices depend on it
};

/// Which line of a set is replaced by a new one. The cache tells the policy what happens to its
/// places, and determines which of them may be replaced; the stalest of these is.
template <typename T>
concept Policy = std::copyable<T> && std::constructible_from<T, Shape> &&
    requires(T policy, const T fixed, std::uint32_t place) {
  /// The name of the policy in machine files.
  { T::kName } -> std::convertible_to<std::string_view>;
  /// Whether `check` refuses numbers of ways that are not powers of two.
  { T::kNeedsPowerOfTwoWays } -> std::convertible_to<bool>;
  /// A new line has been put into `place`; the line there has been used again; the line there has
  /// been removed without a successor.
  policy.filled(place);
  policy.used(place);
  policy.emptied(place);
  /// The place with the greatest staleness is replaced first; of equal ones, the lowest. Comparable
  /// only within one set.
  { fixed.staleness(place) } -> std::same_as<std::uint32_t>;
};

}  // namespace tcsim::memory::replacement
