#pragma once

#include <string>

#include "tests/gpu/key_walk.hpp"

namespace tcsim::gpu::test {

/// What is wrong with `result`, beginning with the case; empty if nothing is. A refusal must name a
/// key of the case.
std::string fault_of(const WalkCase& walk, const WalkResult& result);
/// The same of run_walk_case(walk).
std::string fault_of(const WalkCase& walk);

}  // namespace tcsim::gpu::test
