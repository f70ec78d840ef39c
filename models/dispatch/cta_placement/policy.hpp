#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <string_view>

#include "models/dispatch/sm_order.hpp"

namespace tcsim::dispatch {

/// The form of the question that the CTA scheduler answers: how many more CTAs of the kernel an SM
/// can take; 0 if the SM does not belong to the kernel.
using RoomQuestion = int (*)(std::size_t sm);

/// Which SM receives the next CTA. CTAs are placed in order, one at a time. The scheduler decides
/// when one may go and how many an SM holds.
template <typename Policy>
concept CtaPlacement = std::constructible_from<Policy, const SmOrder&> &&
    requires(Policy policy, const Policy fixed, std::size_t sm, RoomQuestion room) {
  /// The name of the policy in machine files, for launch.cta_placement.
  { Policy::kName } -> std::convertible_to<std::string_view>;
  /// An SM with room; empty if none has. The call does not change the policy.
  { fixed.pick(room) } -> std::same_as<std::optional<std::size_t>>;
  /// A CTA has gone to `sm`.
  policy.placed(sm);
};

}  // namespace tcsim::dispatch
