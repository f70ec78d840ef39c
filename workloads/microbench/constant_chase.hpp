#pragma once

#include <cstdint>

#include "models/isa/launch.hpp"
#include "models/isa/timing.hpp"

namespace tcsim::microbench {

/// One warp that loads `loads` constants by LDC; each address depends on the previous load. It
/// reads one word of every line of `line_bytes` in the first `bytes`, and starts again at their
/// end. Requires bytes <= isa::kConstantBytes and a multiple of line_bytes.
isa::KernelLaunch constant_chase(std::int64_t bytes, int line_bytes, std::int64_t loads,
                                 const isa::TimingTable& timing);

}  // namespace tcsim::microbench
