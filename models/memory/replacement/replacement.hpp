#pragma once

#include <string_view>
#include <type_traits>

#include "models/memory/replacement/lru.hpp"
#include "models/memory/replacement/lru_list.hpp"
#include "models/memory/replacement/policy.hpp"
#include "models/memory/replacement/random.hpp"
#include "models/memory/replacement/srrip.hpp"
#include "models/memory/replacement/tree_plru.hpp"
#include "models/policy/choice.hpp"

namespace tcsim::memory::replacement {

template <Policy... Policies>
struct ListOf {
  using OfSets = policy::Choice<Policies...>;
  /// For one large set: the same policies, with Lru as a list.
  using OfPages =
      policy::Choice<std::conditional_t<std::is_same_v<Policies, Lru>, LruList, Policies>...>;

  /// Whether the policy named `name` requires a power of two of ways.
  static constexpr bool needs_power_of_two_ways(std::string_view name) {
    return ((Policies::kName == name && Policies::kNeedsPowerOfTwoWays) || ...);
  }
};

/// The replacement policies, one line each; the keys `replacement` select one by name.
using List = ListOf<Lru,       //
                    Random,    //
                    TreePlru,  //
                    Srrip>;

}  // namespace tcsim::memory::replacement
