#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sim/rtl/loop_result.hpp"

namespace tcsim::report {

/// What the tensor core in RTL found, for the one-screen report; and the same for JSON.
std::string rtl_text(const rtl::LoopResult& result);
nlohmann::ordered_json rtl_json(const rtl::LoopResult& result);

}  // namespace tcsim::report
