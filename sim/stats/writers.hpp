#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "sim/stats/metrics.hpp"
#include "sim/stats/scope.hpp"

namespace tcsim::stats {

/// The scope with its counters and children: {"instances", "counters": {name: {"value", "min",
/// "max", "unit", "sentence"}}, "children": {name: scope}}. min and max over the instances appear
/// if there are several.
nlohmann::ordered_json to_json(const Scope& scope);

/// {name: {"value", "unit", "formula", "sentence"}}; a metric that does not apply has the value
/// null.
nlohmann::ordered_json to_json(const std::vector<Metric>& metrics);

inline constexpr std::string_view kStatsCsvHeader = "run,scope,metric,unit,value,fidelity\n";

/// Tidy rows under kStatsCsvHeader: one per counter and scope (sum over instances), one per metric
/// (scope "run"). An empty value means not applicable.
std::string to_csv(const std::string& run, const Scope& root, const std::vector<Metric>& metrics,
                   const std::string& fidelity);

/// The shortest decimal text that reads back as `value`.
std::string shortest(double value);

}  // namespace tcsim::stats
