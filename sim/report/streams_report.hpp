#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/report/network_setting.hpp"

namespace tcsim::report {

/// Instances of one network that share a machine, and the same instances one after the other.
struct StreamsRun : NetworkSetting {
  double clock_mhz = 0;         ///< of the SMs
  std::vector<double> ends_us;  ///< by instance, when its last kernel has ended
  double together_us = 0;
  double in_turn_us = 0;  ///< all instances, one after the other
  double wall_s = 0;
  bool is_complete = true;
  std::string stopped_by = "finished";

  [[nodiscard]] double gain() const { return together_us > 0 ? in_turn_us / together_us : 0; }
};

std::string streams_text(const StreamsRun& run);
std::string streams_markdown(const StreamsRun& run);
/// One record with a header, units in the column names.
std::string streams_csv(const StreamsRun& run);
nlohmann::ordered_json streams_json(const StreamsRun& run);

}  // namespace tcsim::report
