#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <string_view>

#include "models/dispatch/sm_order.hpp"

namespace tcsim::dispatch {

/// A question of the form that the CTA scheduler answers: how many more CTAs of the kernel an SM
/// takes; 0 too where the SM is not the kernel's.
using RoomQuestion = int (*)(std::size_t sm);

/// Which SM gets the next CTA. CTAs go in order, one at a time; when one may go, and how many an SM
/// holds, is the scheduler's business.
template <typename Policy>
concept CtaPlacement = std::constructible_from<Policy, const SmOrder&> &&
    requires(Policy policy, const Policy fixed, std::size_t sm, RoomQuestion room) {
  /// The word of machine files for launch.cta_placement.
  { Policy::kName } -> std::convertible_to<std::string_view>;
  /// An SM with room; nothing if none has. Being asked changes nothing.
  { fixed.pick(room) } -> std::same_as<std::optional<std::size_t>>;
  /// A CTA has gone to `sm`.
  policy.placed(sm);
};

}  // namespace tcsim::dispatch
