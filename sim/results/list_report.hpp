#pragma once

#include <string>
#include <vector>

#include "sim/plot/bars.hpp"
#include "sim/plot/roofline.hpp"
#include "sim/results/section.hpp"

namespace tcsim::results {

/// The report of a list of runs: totals per machine, a row per run, a roofline per machine.
Document report_of(const StoredList& list);

/// Machines of the list, each once, in the order of the rows.
std::vector<std::string> machines_of(const StoredList& list);

/// The finished rows of one machine under its ceilings; without dots if there are none.
plot::Roofline roofline_of(const StoredList& list, const std::string& machine);

/// Where the cycles of each finished row went.
plot::StackedBars stalls_of(const StoredList& list);

}  // namespace tcsim::results
