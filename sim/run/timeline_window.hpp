#pragma once

#include <string>

#include "models/isa/cycle.hpp"
#include "sim/config/machine.hpp"
#include "sim/timeline/record.hpp"

namespace tcsim::run {

/// Cycles [first, second) written "5000:5200".
struct CycleRange {
  Cycle first = 0;
  Cycle end = 0;
};

/// Throws RequestError if `text` is not A:B with 0 <= A < B.
CycleRange parse_cycles(const std::string& text);

/// The number of an SM or sub-core. Throws RequestError for anything but a whole number.
int parse_unit_number(const std::string& text);

/// The window written "sm=0,sub-core=1,cycles=5000:5200"; sm is 0 and sub-core all unless given.
/// Throws RequestError.
timeline::Window parse_window(const std::string& text);

/// The text that parse_window reads back.
std::string window_text(const timeline::Window& window);

/// Throws RequestError if `machine` has no such SM or sub-core.
void check_window(const timeline::Window& window, const config::Machine& machine);

}  // namespace tcsim::run
