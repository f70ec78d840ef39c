#pragma once

#include "sim/area/cell_costs.hpp"
#include "sim/area/core_design.hpp"

namespace tcsim::area {

/// One tensor core: cell_costs times what the design has of each part. docs/area.md has the
/// formula, and how far it is from synthesised cores.
Cells core_cells(const CoreDesign& design);

}  // namespace tcsim::area
