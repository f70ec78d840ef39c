#pragma once

#include <ostream>

#include "workloads/kernels/gemm.hpp"

namespace tcsim::kernels::testing {

/// One kernel to try.
struct GemmCase {
  Target target;
  GemmProblem problem;
  GemmTile tile;
};
inline std::ostream& operator<<(std::ostream& out, const GemmCase& gemm) {
  const GemmProblem& p = gemm.problem;
  return out << gemm.target.architecture << " " << gemm.tile.text() << " m=" << p.m << " n=" << p.n
             << " k=" << p.k << " batch=" << p.batch << " in=" << static_cast<int>(p.input)
             << " acc=" << static_cast<int>(p.accumulate) << " out=" << static_cast<int>(p.output)
             << " a=" << static_cast<int>(p.layout_a) << " b=" << static_cast<int>(p.layout_b);
}

}  // namespace tcsim::kernels::testing
