#pragma once

#include <vector>

#include "sim/results/section.hpp"
#include "sim/results/stored_network.hpp"

namespace tcsim::results {

/// What differs between the first of `runs` and each other one: settings of the machine and the
/// command, metrics, and where the difference in time comes from. Requires two or more runs.
/// Parts of the time are the cycles charged to each reason, averaged over the sub-cores of the
/// run, so they add up to the time and their differences to the difference.
Document comparison_of(const std::vector<StoredRun>& runs);

/// What differs between the first of `networks` and each other one, and which layers make it.
/// Requires two or more. Throws config::ConfigError for one that has no step.
Document comparison_of(const std::vector<StoredNetwork>& networks);

/// Rows of the same number and machine, or of the same number where each list has one machine.
Document comparison_of(const std::vector<StoredList>& lists);

}  // namespace tcsim::results
