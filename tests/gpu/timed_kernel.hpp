#pragma once

#include <algorithm>
#include <cstdint>

#include "tests/support/program.hpp"

namespace tcsim::gpu::test {

inline constexpr Cycle kOverhead = 1410;  // of ampere_machine(), which has four SMs
inline constexpr Cycle kDispatch = 3;
inline constexpr Cycle kRelease = 40;
inline constexpr Cycle kStart = 160;

/// A kernel of one warp per CTA that takes `cycles`; one CTA per SM at a time.
inline isa::KernelLaunch timed_kernel(Cycle cycles, std::int64_t ctas) {
  tcsim::test::ProgramBuilder program;
  for (Cycle left = cycles - 1; left > 0; left -= 10)
    program.op(isa::Opcode::kNop).stall(static_cast<int>(std::min<Cycle>(left, 10)));
  program.op(isa::Opcode::kExit);
  isa::KernelLaunch launch = tcsim::test::make_launch({program.program()}, {0}, ctas);
  launch.shared_bytes_per_cta = 100 * 1024;
  return launch;
}

}  // namespace tcsim::gpu::test
