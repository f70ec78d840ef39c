#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sim/report/values_record.hpp"

namespace tcsim::report {

/// The section "values" of the one-screen report: agreement with the reference, error against exact
/// arithmetic, what rounding the operands cost, special values.
std::string values_text(const ValuesRecord& record);

/// The same as the object `values` of JSON output.
nlohmann::ordered_json values_json(const ValuesRecord& record);

}  // namespace tcsim::report
