#pragma once

#include "sim/rtl/matrix_unit.hpp"

namespace tcsim::rtl {

/// What a unit does when nobody stalls it.
struct UnitTiming {
  double passes_per_cycle = 0;
  int latency_cycles = 0;  ///< From the edge that takes the operands to a valid result.
};

/// Measures `unit` over 256 back-to-back passes of zeros. Requires nothing in flight and leaves
/// nothing in flight.
UnitTiming measure_timing(MatrixUnit& unit, const Operation& operation);

}  // namespace tcsim::rtl
