#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tcsim::report {

/// Instances of one network that share a machine, and the same instances one after the other.
struct StreamsRun {
  std::string machine;  ///< as NetworkRun has it, and the next one
  std::string machine_name;
  std::vector<std::string> overrides{};  ///< as words, "clocks.sm_mhz=1000"
  std::string network;
  std::int64_t batch = 1;
  std::string precision;
  std::string pass;
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
