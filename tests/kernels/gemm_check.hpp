#pragma once

#include <array>
#include <ostream>
#include <string>

#include "tests/kernels/interpreter.hpp"
#include "workloads/kernels/gemm.hpp"

namespace tcsim::kernels::testing {

/// Limits of whole GPUs (microarchitecture.md 2), as the configuration would fill them in.
Target v100();
Target t4();
Target a100();
Target p100();

inline constexpr std::array kLayouts{Layout::kNormal, Layout::kTransposed};

/// One kernel to try. k = 0 and the like mean "of the tile, plus a ragged rest".
struct GemmCase {
  Target target;
  GemmProblem problem;
  GemmTile tile;
};
std::ostream& operator<<(std::ostream& out, const GemmCase& gemm);

/// Runs the kernel on small integers in both copy orders and expects: no broken rule of the launch,
/// no race, no access out of range, every element of A and B loaded once by each CTA that needs it,
/// every element of D stored once, and D equal to the triple loop. Returns what the run with late
/// copies found.
Findings expect_right_product(const GemmCase& gemm);

}  // namespace tcsim::kernels::testing
