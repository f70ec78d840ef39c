#pragma once

#include "sim/rtl/matrix_unit.hpp"

namespace tcsim::rtl {

/// The behaviour of a unit without stalls.
struct UnitTiming {
  double passes_per_cycle = 0;
  int latency_cycles = 0;  ///< From the edge that takes the operands to a valid result.
};

/// Measures `unit` over 256 back-to-back passes of zeros. Requires that nothing is in flight, and
/// leaves nothing in flight.
UnitTiming measure_timing(MatrixUnit& unit, const Operation& operation);

}  // namespace tcsim::rtl
