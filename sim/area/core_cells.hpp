#pragma once

#include "sim/area/cell_costs.hpp"
#include "sim/area/core_design.hpp"

namespace tcsim::area {

/// One tensor core: cell_costs times the number of each part in the design. docs/area.md has the
/// formula and its deviation from synthesised cores.
Cells core_cells(const CoreDesign& design);

}  // namespace tcsim::area
