#pragma once

#include <string>
#include <vector>

#include "models/isa/launch.hpp"

namespace tcsim::cli {

/// What is in a kernel, for people: shape, resources, loops, and how often each opcode occurs in
/// the programs, runs in a warp of CTA 0 and runs in the whole grid.
std::string trace_info_text(const isa::KernelLaunch& launch);

/// The programs of a kernel, for people: the address of every instruction, counted from the start
/// of its program as in reports of deadlocks and races, and its text as in docs/tct.md. For a
/// recording: address, address in the recorded code, opcode and registers.
std::string trace_listing_text(const isa::KernelLaunch& launch);

/// What trace_info_text has, as JSON: an object for one kernel, else an array of objects. With
/// `with_listing`, programs also have their lines.
std::string trace_info_json(const std::vector<isa::KernelLaunch>& launches, bool with_listing);

}  // namespace tcsim::cli
