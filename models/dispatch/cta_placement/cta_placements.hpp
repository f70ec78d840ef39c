#pragma once

#include "models/dispatch/cta_placement/breadth_first.hpp"
#include "models/dispatch/cta_placement/depth_first.hpp"
#include "models/dispatch/cta_placement/policy.hpp"
#include "models/dispatch/cta_placement/round_robin.hpp"
#include "models/policy/choice.hpp"

namespace tcsim::dispatch {

template <CtaPlacement... Policies>
using CtaPlacementsOf = policy::Choice<Policies...>;

/// The placements of CTAs, one line each; launch.cta_placement selects one by name.
using CtaPlacements = CtaPlacementsOf<BreadthFirst,  //
                                      DepthFirst,    //
                                      RoundRobin>;

}  // namespace tcsim::dispatch
