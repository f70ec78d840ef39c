#pragma once

#include <string>

#include "models/isa/cycle.hpp"
#include "sim/config/machine.hpp"
#include "sim/timeline/record.hpp"

namespace tcsim::cli {

/// Cycles [first, second) written "5000:5200".
struct CycleRange {
  Cycle first = 0;
  Cycle end = 0;
};

/// Throws UsageError, opening with `option`, if `text` is not A:B with 0 <= A < B.
CycleRange parse_cycles(const std::string& option, const std::string& text);

/// The number of an SM or sub-core. Throws UsageError, opening with `option`, for anything but a
/// whole number.
int parse_unit_number(const std::string& option, const std::string& text);

/// The window written "sm=0,sub-core=1,cycles=5000:5200"; sm is 0 and sub-core all unless given.
/// Throws UsageError.
timeline::Window parse_window(const std::string& option, const std::string& text);

/// Throws UsageError if `machine` has no such SM or sub-core.
void check_window(const timeline::Window& window, const config::Machine& machine);

}  // namespace tcsim::cli
