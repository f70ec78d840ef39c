#include "workloads/kernels/attention/fused_scales.hpp"

#include "workloads/kernels/attention/fused_copies.hpp"
#include "workloads/kernels/expression_math.hpp"

namespace tcsim::kernels {
namespace {

using isa::Opcode;

constexpr int kScaleBytes = 4;

}  // namespace

Instructions load_row_scales(const FusedPlan& plan, ProgramBuilder& builder,
                             const AddressWork& work) {
  Instructions ops;
  for (int row = 0; row < plan.thread_rows(); ++row) {
    const isa::Register scale = reg(plan.registers.row_scale + row);
    isa::Expression position = plan.first_row();
    add_scaled(position, plan.tile_row(row), 1);
    isa::Guard guard;
    if (plan.rows % plan.tile.rows != 0) {
      ops.push_back(arithmetic(Opcode::kMov, scale));
      guard.bounds.push_back({position, plan.rows});
    }
    isa::MemoryAccess access{.buffer = kQueryScales};
    add_scaled(access.global.offset, plan.row_origin(), kScaleBytes);
    add_scaled(access.global.offset, plan.log_sum_offset(position), kScaleBytes);
    ops.push_back(load(Opcode::kLdg32, scale, work.pointer(row), builder.access(std::move(access)),
                       builder.guard(guard)));
  }
  return ops;
}

Instructions load_key_scales(const FusedPlan& plan, ProgramBuilder& builder,
                             const AddressWork& work, int place, bool in_loop) {
  Instructions ops;
  for (int tensor = 0; tensor < 2; ++tensor) {
    isa::MemoryAccess access{.buffer = kKeyScales + tensor};
    isa::Expression& offset = access.global.offset;
    const std::int64_t head = kScaleBytes * scale_blocks(plan.problem);
    add_term(offset, plan.batch_axis.term(head * plan.problem.kv_heads));
    add_term(offset, plan.head_axis.term(head, plan.kv_group));
    add_scaled(offset, plan.block(place, in_loop), kScaleBytes);
    ops.push_back(load(Opcode::kLdg32, reg(plan.registers.key_scale + tensor), work.pointer(tensor),
                       builder.access(std::move(access))));
  }
  return ops;
}

}  // namespace tcsim::kernels
