#pragma once

#include "models/policy/choice.hpp"
#include "models/sm/issue_policy/greedy.hpp"
#include "models/sm/issue_policy/loose_round_robin.hpp"
#include "models/sm/issue_policy/policy.hpp"
#include "models/sm/issue_policy/two_level.hpp"

namespace tcsim::sm {

template <IssuePolicy... Policies>
using IssuePoliciesOf = policy::Choice<Policies...>;

/// The issue policies of a sub-core, one line each; sm.issue_policy selects one by name.
using IssuePolicies = IssuePoliciesOf<GreedyThenYoungest,  //
                                      GreedyThenOldest,    //
                                      LooseRoundRobin,     //
                                      TwoLevel>;

}  // namespace tcsim::sm
