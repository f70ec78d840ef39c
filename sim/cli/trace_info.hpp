#pragma once

#include <string>
#include <vector>

#include "models/isa/launch.hpp"

namespace tcsim::cli {

/// What is in a kernel, for people: shape, resources, loops, and how often each opcode occurs in
/// the programs, runs in a warp of CTA 0 and runs in the whole grid.
std::string trace_info_text(const isa::KernelLaunch& launch);

/// The same as one JSON object.
std::string trace_info_json(const isa::KernelLaunch& launch);
/// An array of such objects.
std::string trace_info_json(const std::vector<isa::KernelLaunch>& launches);

}  // namespace tcsim::cli
