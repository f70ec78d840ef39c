#pragma once

#include "sim/plot/bars.hpp"
#include "sim/plot/lanes.hpp"
#include "sim/plot/roofline.hpp"
#include "sim/results/section.hpp"
#include "sim/results/stored_network.hpp"

namespace tcsim::results {

/// The report of a network: where the time goes, by similar layers, blocks and operators.
Document report_of(const StoredNetwork& network);

// What it draws, for plots too.
/// Each step by its bytes of DRAM, a series per operator.
plot::Roofline roofline_of(const StoredNetwork& network);
/// The same with a dot per group of similar layers, for terminals.
plot::Roofline grouped_roofline_of(const StoredNetwork& network);
/// Where the cycles went, a bar for each of the longest groups of similar layers.
plot::StackedBars stalls_of(const StoredNetwork& network);
/// Blocks, operators and what binds over time.
plot::Lanes lanes_of(const StoredNetwork& network);

}  // namespace tcsim::results
