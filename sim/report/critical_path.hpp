#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/timeline/critical_path.hpp"

namespace tcsim::report {

/// For stats.json: of each kernel the path's cycles by cause, unit and instruction (the first ten),
/// and the steps of one iteration of its loop in steady state.
nlohmann::ordered_json critical_path_json(const std::vector<timeline::KernelPath>& paths);

/// critical_path.json: all steps of `paths`, a line each, with what the columns are.
std::string critical_path_file(const std::vector<timeline::KernelPath>& paths);

/// "L2 and DRAM 41 %, pipe busy 30 %, ...": the five largest causes, all kernels
/// together.
std::string critical_path_line(const std::vector<timeline::KernelPath>& paths);

}  // namespace tcsim::report
