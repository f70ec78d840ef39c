#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/config/machine.hpp"

namespace tcsim::config {

/// An entry of descriptive.measured_as: the name of a board in tables of measurements, and the
/// changes to the machine file that describe that board.
struct MeasuredName {
  std::string name;
  std::vector<std::string> overrides;  ///< key.path=value
};

/// "V100-PCIE clocks.sm_mhz=1380", words separated by spaces.
MeasuredName parse_measured_name(std::string_view text);

/// Why the entries cannot be used: an entry without a name, a name given twice, a change of no key
/// or to a value that its key cannot have. Empty if they can.
std::string check_measured_names(const Machine& machine);

}  // namespace tcsim::config
