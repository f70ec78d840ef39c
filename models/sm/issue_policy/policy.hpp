#pragma once

#include <concepts>
#include <string_view>
#include <vector>

#include "models/isa/cycle.hpp"
#include "models/sm/warp.hpp"

namespace tcsim::sm {

/// The resident warps of a sub-core, the oldest first: each has a greater `age` than those before.
using WarpsByAge = std::vector<Warp*>;

/// A question of the form that a sub-core answers: whether a warp can issue in this cycle.
using IssueQuestion = bool (*)(Warp&);

/// Which of the warps that can issue does. A policy decides in which order the warps are asked;
/// what it takes to issue is the sub-core's business.
template <typename Policy>
concept IssuePolicy = std::default_initializable<Policy> &&
    requires(Policy policy, const WarpsByAge& warps, const Warp& warp, Cycle now,
             IssueQuestion can_issue) {
  /// The word of machine files for sm.issue_policy.
  { Policy::kName } -> std::convertible_to<std::string_view>;
  /// `warp` is one of the warps from now on; it is none of them any more.
  policy.joined(warp);
  policy.left(warp);
  /// The warp of `warps` that issues at `now`: one for which `can_issue` said true when it was
  /// asked last, or null if all were asked and none can. What the policy remembers may change
  /// with a warp that is returned, which issues, and not with null: how often a sub-core that
  /// has nothing to issue is asked depends on how a run is cut into pieces.
  { policy.pick(warps, now, can_issue) } -> std::same_as<Warp*>;
};

/// What a policy that counts no warps does when they come and go.
struct CountsNoWarps {
  void joined(const Warp& /*warp*/) {}
  void left(const Warp& /*warp*/) {}
};

}  // namespace tcsim::sm
