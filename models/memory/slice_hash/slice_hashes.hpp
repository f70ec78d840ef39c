#pragma once

#include <string_view>

#include "models/memory/slice_hash/modulo.hpp"
#include "models/memory/slice_hash/policy.hpp"
#include "models/memory/slice_hash/polynomial.hpp"
#include "models/memory/slice_hash/xor_fold.hpp"
#include "models/policy/choice.hpp"

namespace tcsim::memory::slice_hash {

template <Policy... Policies>
struct ListOf {
  using Hash = policy::Choice<Policies...>;

  /// Whether the hash called `name` asks for a power of two of slices.
  static constexpr bool needs_power_of_two_slices(std::string_view name) {
    return ((Policies::kName == name && Policies::kNeedsPowerOfTwoSlices) || ...);
  }
};

/// The hashes, by the words of l2.slice_hash: a line for each.
using List = ListOf<XorFold,  //
                    Modulo,   //
                    Polynomial>;

}  // namespace tcsim::memory::slice_hash
