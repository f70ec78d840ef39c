#include "workloads/kernels/main_loop_parts.hpp"

namespace tcsim::kernels {
namespace {

using isa::Opcode;

int step_after(const KernelPlan& plan, int step) { return (step + 1) % plan.math->steps(); }

/// The k-tile of the step that follows `step`: step 0 belongs to the next k-tile.
KTile tile_of_step(int step) { return {.in_loop = true, .index = step == 0 ? 1 : 0}; }

}  // namespace

void emit_first_fragments(const KernelPlan& plan, ProgramBuilder& builder) {
  const KTile first{.in_loop = false, .index = 0};
  builder.append(plan.math->loads(builder, plan.math_registers(), /*step=*/0, /*buffer=*/0, first));
  for (const LateLoad& late : plan.math->late_loads(builder, plan.math_registers(), 0, first))
    builder.append(late.load);
}

Instructions next_fragments(const KernelPlan& plan, ProgramBuilder& builder, int step) {
  const int next = step_after(plan, step);
  return plan.math->loads(builder, plan.math_registers(), next, next % 2, tile_of_step(next));
}

Instructions step_math(const KernelPlan& plan, ProgramBuilder& builder, int step) {
  const int next = step_after(plan, step);
  const Instructions math = plan.math->math(plan.math_registers(), step % 2);
  const std::vector<LateLoad> late =
      plan.math->late_loads(builder, plan.math_registers(), next, tile_of_step(next));
  Instructions woven;
  auto load = late.begin();
  int done = 0;
  for (const isa::Instruction& mma : math) {
    woven.push_back(mma);
    for (++done; load != late.end() && load->after == done; ++load) woven.push_back(load->load);
  }
  return woven;
}

Instructions turn_bytes(int data, int free) {
  constexpr std::int32_t kLowPairs = 0x5140;
  constexpr std::int32_t kHighPairs = 0x7362;
  Instructions ops;
  const auto permute = [&](int to, int a, int b, std::int32_t selector) {
    ops.push_back(with_immediate(arithmetic(Opcode::kPrmt, reg(to), reg(a), reg(b)), selector));
  };
  permute(free, data, data + 1, kLowPairs);
  permute(data + 1, data, data + 1, kHighPairs);
  permute(free + 1, data + 2, data + 3, kLowPairs);
  permute(data + 3, data + 2, data + 3, kHighPairs);
  permute(data, free, free + 1, kLowHalves);
  permute(data + 2, data + 1, data + 3, kLowHalves);
  permute(data + 3, data + 1, data + 3, kHighHalves);
  permute(data + 1, free, free + 1, kHighHalves);
  return ops;
}

}  // namespace tcsim::kernels
