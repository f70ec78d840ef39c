#pragma once

#include <string>

#include "sim/json/view.hpp"
#include "sim/process/child_pool.hpp"

namespace tcsim::serve {

/// What a command or a check complains about, as JSON: {"status": 2, "message": ..., "mistakes":
/// [{"place", "line", "column", "key", "reason"}]}.
json::Json mistakes_json(int status, const std::string& message);

/// The same of a child that did not end well; `time_s` and `memory_mib` are its limits.
json::Json mistakes_json(const process::ChildResult& child, double time_s, int memory_mib);

}  // namespace tcsim::serve
