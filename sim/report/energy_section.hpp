#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sim/report/run_record.hpp"

namespace tcsim::report {

/// "0.512 J, 377 W of 400 W, 1.82 pJ/FLOP: tensor 38 %, ..."; empty where the energy is not known.
std::string energy_text(const RunRecord& record);

/// "tensor cores do 90 % of their peak, under which ..."; empty where the board sustains the clock
/// under the load of its tensor cores.
std::string tensor_clock_text(const RunRecord& record);

/// The object `energy` of JSON output, null where the energy is not known.
nlohmann::ordered_json energy_json(const RunRecord& record);

}  // namespace tcsim::report
