#pragma once

#include <cstdint>

#include "models/isa/launch.hpp"

namespace tcsim::trace {

/// A launch that isa::validate accepts, with every opcode, nested loops, guards, swizzles,
/// literals, control bits and odd names; the same seed gives the same launch. About `length`
/// instructions per program.
isa::KernelLaunch random_launch(std::uint32_t seed, int length);

}  // namespace tcsim::trace
