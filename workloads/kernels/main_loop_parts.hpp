#pragma once

#include "workloads/kernels/main_loop.hpp"

namespace tcsim::kernels {

/// Fragment loads of step 0 of the first k-tile, which is in shared memory after a barrier.
void emit_first_fragments(const KernelPlan& plan, ProgramBuilder& builder);

/// Multiply-adds of step `step` of the main loop, with the late loads for the step after it.
Instructions step_math(const KernelPlan& plan, ProgramBuilder& builder, int step);

/// Fragment loads that step `step` of the main loop issues for the next step.
Instructions next_fragments(const KernelPlan& plan, ProgramBuilder& builder, int step);

/// Transposes four rows of four bytes each, in registers from `data` on, into four columns, through
/// two registers from `free` on.
Instructions turn_bytes(int data, int free);

/// Part `index` of `total` things that are shared evenly among `parts`.
constexpr int even_share(int total, int parts, int index) {
  return total * (index + 1) / parts - total * index / parts;
}

}  // namespace tcsim::kernels
