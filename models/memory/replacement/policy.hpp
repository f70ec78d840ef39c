#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

namespace tcsim::memory::replacement {

/// What a policy keeps order in. Places go by set * ways + way.
struct Shape {
  std::uint32_t sets;
  std::uint32_t ways;      ///< >= 1
  std::uint32_t instance;  ///< which cache of its kind it is: what is random differs by it
};

/// Which line of a set goes for a new one. The cache says what happens to its places, and which of
/// them may go; of those the policy's stalest goes.
template <typename T>
concept Policy = std::copyable<T> && std::constructible_from<T, Shape> &&
    requires(T policy, const T fixed, std::uint32_t place) {
  /// The word of machine files.
  { T::kName } -> std::convertible_to<std::string_view>;
  /// Whether `check` refuses other numbers of ways.
  { T::kNeedsPowerOfTwoWays } -> std::convertible_to<bool>;
  /// A new line has come to `place`; the line there has been used again; the line
  /// there is gone and none has come.
  policy.filled(place);
  policy.used(place);
  policy.emptied(place);
  /// The greater goes first, of equal ones that of the lower place. Of use among
  /// the places of one set only.
  { fixed.staleness(place) } -> std::same_as<std::uint32_t>;
};

}  // namespace tcsim::memory::replacement
