#pragma once

#include <concepts>
#include <string_view>
#include <vector>

#include "models/isa/cycle.hpp"
#include "models/sm/warp.hpp"

namespace tcsim::sm {

/// The resident warps of a sub-core, oldest first: each has a greater `age` than those before.
using WarpsByAge = std::vector<Warp*>;

/// The form of the question that a sub-core answers: whether a warp can issue in this cycle.
using IssueQuestion = bool (*)(Warp&);

/// Which of the warps that can issue does so. A policy decides in which order the warps are asked;
/// the sub-core decides whether a warp can issue.
template <typename Policy>
concept IssuePolicy = std::default_initializable<Policy> &&
    requires(Policy policy, const WarpsByAge& warps, const Warp& warp, Cycle now,
             IssueQuestion can_issue) {
  /// The name of the policy in machine files, for sm.issue_policy.
  { Policy::kName } -> std::convertible_to<std::string_view>;
  /// `warp` joins the warps; it leaves them.
  policy.joined(warp);
  policy.left(warp);
  /// The warp of `warps` that issues at `now`: one for which `can_issue` returned true when it was
  /// last asked, or null if all were asked and none can. The policy may change its state when it
  /// returns a warp, which then issues, but not when it returns null: how often a sub-core with
  /// nothing to issue is asked depends on how a run is cut into pieces.
  { policy.pick(warps, now, can_issue) } -> std::same_as<Warp*>;
};

/// For a policy that does not track warps: nothing happens when they join and leave.
struct CountsNoWarps {
  void joined(const Warp& /*warp*/) {}
  void left(const Warp& /*warp*/) {}
};

}  // namespace tcsim::sm
