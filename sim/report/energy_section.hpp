#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sim/report/run_record.hpp"

namespace tcsim::report {

/// "377 W", below 10 W with a decimal: "2.5 W".
std::string readable_power(double watts);

/// "0.512 J, 377 W of 400 W, 1.82 pJ/FLOP: tensor 38 %, ..."; empty where the energy is not known.
std::string energy_text(const RunRecord& record);

/// What a run demands of its board, and the limits of the board.
struct BoardLoad {
  double power_w = 0;
  double limit_w = 0;
  double tensor_mhz = 0;        ///< SM clock times the share of their peak that tensor cores do
  double tensor_limit_mhz = 0;  ///< 0: none

  [[nodiscard]] bool is_above_power() const { return power_w > limit_w; }
  [[nodiscard]] bool is_above_tensor_clock() const {
    return tensor_limit_mhz > 0 && tensor_mhz > tensor_limit_mhz;
  }
};

/// "a real board would lower its clock: add --clock power to model that"; empty where it sustains
/// `load`.
std::string slower_text(const BoardLoad& load);

/// slower_text of a run at the boost clock, with the load of its tensor cores if that is the
/// reason.
std::string clock_text(const RunRecord& record);

/// The object `energy` of JSON output, null where the energy is not known.
nlohmann::ordered_json energy_json(const RunRecord& record);

}  // namespace tcsim::report
