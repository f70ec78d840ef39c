#include <algorithm>
#include <array>
#include <cmath>

#include "workloads/kernels/main_loop.hpp"

namespace tcsim::kernels {
namespace {

/// Counted in compiled CUTLASS kernels (kernels.md 2.1). k is in bytes, so that TF32 and INT8 share
/// the rows of FP16.
struct CountedLoop {
  int m, n, k_bytes;
  bool both_along_k;
  int vector, uniform;
};
constexpr std::array kCountedLoops{
    CountedLoop{128, 128, 64, true, 49, 18},  CountedLoop{256, 128, 64, true, 39, 18},
    CountedLoop{128, 256, 64, false, 29, 18}, CountedLoop{128, 256, 128, false, 55, 18},
    CountedLoop{128, 64, 128, true, 73, 18},  CountedLoop{64, 64, 128, true, 42, 22},
};

LoopOverhead copying_tensor_loop(const KernelPlan& plan) {
  const int copies = plan.copies();
  const bool along_k = plan.a.k_contiguous && plan.b.k_contiguous;
  // Between the counted loops: one line through 128x128x32 and 256x128x32, and one through the two
  // loops of 128x256.
  LoopOverhead overhead{.vector = along_k ? 9 + 5 * copies : 3 + 13 * copies / 3,
                        .uniform = 18,
                        .fillers = 3 * (plan.math->steps() - 1)};
  if (plan.companion) return overhead;  // not counted, by the same line (assumption)
  for (const CountedLoop& counted : kCountedLoops)
    if (counted.m == plan.tile.m && counted.n == plan.tile.n &&
        counted.k_bytes == plan.tile.k * plan.a.element_bytes && counted.both_along_k == along_k) {
      overhead.vector = counted.vector;
      overhead.uniform = counted.uniform;
    }
  return overhead;
}

LoopOverhead matrix_overhead(const KernelPlan& plan) {
  const bool is_simt = plan.recipe.math == MathKind::kSimt;
  if (plan.recipe.math == MathKind::kDouble)  // 73, 20 and 48 for 12 copies, kernels.md 2.1
    return {.vector = 13 + 5 * plan.copies(), .uniform = 20, .fillers = 4 * plan.copies()};
  if (plan.recipe.mover == Mover::kCopy) {
    if (!is_simt) return copying_tensor_loop(plan);
    const int copies = plan.copies();
    return {
        .vector = 5 + 5 * copies, .uniform = 17, .fillers = 12};  // 45 for 8 copies, kernels.md 2.1
  }
  // Two-stage loops, kernels.md 2.2 and 2.3, less the CS2R that clear the staging registers.
  if (is_simt) return {.vector = 43, .uniform = 16, .fillers = 0};
  const int cleared_pairs = (plan.registers.turning - plan.registers.staged_a) / 2;
  if (plan.recipe.math == MathKind::kQuadPair)
    return {.vector = std::max(12, 40 - cleared_pairs), .uniform = 0, .fillers = 0};
  return {.vector = 46, .uniform = 16, .fillers = 0};
}

}  // namespace

LoopOverhead loop_overhead(const KernelPlan& plan) {
  LoopOverhead overhead = matrix_overhead(plan);
  const AddressingCost& addressing = plan.recipe.addressing;
  overhead.vector = static_cast<int>(std::lround(addressing.vector_factor * overhead.vector));
  overhead.vector += addressing.per_load * (plan.a.rounds() + plan.b.rounds());
  overhead.uniform += addressing.uniform;
  return overhead;
}

}  // namespace tcsim::kernels
