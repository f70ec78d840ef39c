#pragma once

#include "models/dram/scheduling/fcfs.hpp"
#include "models/dram/scheduling/fr_fcfs.hpp"
#include "models/dram/scheduling/par_bs.hpp"
#include "models/dram/scheduling/policy.hpp"
#include "models/policy/choice.hpp"

namespace tcsim::dram {

template <Scheduling... Policies>
using SchedulingsOf = policy::Choice<Policies...>;

/// The scheduling policies of a channel, one line each; dram.scheduling selects one by name.
using Schedulings = SchedulingsOf<FrFcfs,  //
                                  Fcfs,    //
                                  ParBs>;

}  // namespace tcsim::dram
