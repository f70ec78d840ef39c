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

  /// Whether the hash named `name` requires a power of two of slices.
  static constexpr bool needs_power_of_two_slices(std::string_view name) {
    return ((Policies::kName == name && Policies::kNeedsPowerOfTwoSlices) || ...);
  }
};

/// The hashes, one line each; l2.slice_hash selects one by name.
using List = ListOf<XorFold,  //
                    Modulo,   //
                    Polynomial>;

}  // namespace tcsim::memory::slice_hash
