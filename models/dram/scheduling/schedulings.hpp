#pragma once

#include "models/dram/scheduling/fcfs.hpp"
#include "models/dram/scheduling/fr_fcfs.hpp"
#include "models/dram/scheduling/par_bs.hpp"
#include "models/dram/scheduling/policy.hpp"
#include "models/policy/choice.hpp"

namespace tcsim::dram {

template <Scheduling... Policies>
using SchedulingsOf = policy::Choice<Policies...>;

/// The scheduling policy of a channel, by the words of dram.scheduling: a line for each.
using Schedulings = SchedulingsOf<FrFcfs,  //
                                  Fcfs,    //
                                  ParBs>;

}  // namespace tcsim::dram
