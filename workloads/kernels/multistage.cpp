#include "workloads/kernels/main_loop_parts.hpp"

namespace tcsim::kernels {
namespace {

using isa::Opcode;

constexpr int kPrologueOpsPerCopy = 5;  // as in the loop (assumption)

/// With LTC128B if the library's file states it: CUTLASS has it from CUDA 11.4 on (arch/memory.h).
Opcode copy_opcode(const KernelPlan& plan, int bytes) {
  if (plan.recipe.family->copies_lines)
    return bytes == 16  ? Opcode::kLdgstsLine128
           : bytes == 8 ? Opcode::kLdgstsLine64
                        : Opcode::kLdgstsLine32;
  return bytes == 16 ? Opcode::kLdgsts128 : bytes == 8 ? Opcode::kLdgsts64 : Opcode::kLdgsts32;
}

/// Copy number `index` of a k-tile: the rounds of A, then the rounds of B, then those of their
/// companion.
isa::Instruction copy(const KernelPlan& plan, ProgramBuilder& builder, const AddressWork& work,
                      int index, KTile tile) {
  int round = index;
  const std::vector<const Operand*> operands = plan.operands();
  auto next = operands.begin();
  for (; round >= (*next)->rounds(); ++next) round -= (*next)->rounds();
  const Operand& operand = **next;
  Operand::Move move = operand.move(plan.raster, round, tile);
  // Zeros matter if a k-tile ends early. In the loop everything else is predicated off: rows beyond
  // the edge only feed outputs that are never stored, and k-tiles beyond the last are never
  // multiplied. A thread without a vector must not copy at all, because its zeros would overwrite
  // another thread's data.
  const bool zero_fill = !tile.in_loop || operand.needs_zeros();
  const isa::Guard guard = zero_fill ? move.has_vector : move.guard();
  const int access = builder.access({.buffer = operand.buffer,
                                     .global = std::move(move.global),
                                     .shared = std::move(move.shared),
                                     .source = zero_fill ? std::move(move.inside) : isa::Guard{}});
  return {.opcode = copy_opcode(plan, operand.vector_bytes()),
          .src = {work.pointer(index), work.shared_store_address(), isa::kZeroRegister,
                  isa::kZeroRegister},
          .access = access,
          .guard = builder.guard(guard)};
}

void emit_copied_prologue(const KernelPlan& plan, ProgramBuilder& builder, AddressWork& work) {
  const int copies = plan.copies();
  for (int tile = 0; tile + 1 < plan.tile.stages; ++tile) {
    for (int i = 0; i < copies; ++i) {
      builder.append(work.advance_pointer(i, kPrologueOpsPerCopy));
      builder.append(copy(plan, builder, work, i, {.in_loop = false, .index = tile}));
    }
    builder.append(control(Opcode::kLdgdepbar));
  }
  builder.append(clear_registers(plan.registers.accumulators, plan.registers.fragments));
  builder.append(plan.math->begin(plan.math_registers()));
  builder.append(control(Opcode::kDepbar, plan.tile.stages - 2));
  builder.append(control(Opcode::kBarSync));
  emit_first_fragments(plan, builder);
}

/// The copies of one k-tile, spread over all steps but the last. The last step begins by closing
/// their group.
class LoopBody {
 public:
  LoopBody(const KernelPlan& plan, ProgramBuilder& builder, AddressWork& work)
      : plan_(plan),
        builder_(builder),
        work_(work),
        copies_(plan.copies()),
        overhead_(loop_overhead(plan)),
        ops_per_copy_((overhead_.vector - kLeastStageOps) / copies_) {}

  Instructions step(int step) {
    const int steps = plan_.math->steps();
    const Instructions math = step_math(plan_, builder_, step);
    const Stream uniform{work_.uniform_ops(even_share(overhead_.uniform, steps, step))};
    const Stream fragments{next_fragments(plan_, builder_, step), 2, 70};
    if (step + 1 == steps) {
      const Stream hand_over{
          {control(Opcode::kLdgdepbar), control(Opcode::kDepbar, plan_.tile.stages - 2),
           control(Opcode::kBarSync)},
          0,
          0};
      const Stream stage{work_.advance_stage(overhead_.vector - copies_ * ops_per_copy_)};
      return place_in_gaps(math, std::array{hand_over, fragments, stage, uniform});
    }
    return place_in_gaps(math, std::array{fragments, Stream{copies_of(step)}, uniform});
  }

 private:
  static constexpr int kLeastStageOps = 4;

  Instructions copies_of(int step) {
    const int parts = plan_.math->steps() - 1;
    Instructions result;
    for (int i = copies_ * step / parts; i < copies_ * (step + 1) / parts; ++i) {
      extend(result, work_.advance_pointer(i, ops_per_copy_));
      // Predicated-off loads come before a step's first copy (kernels.md 2.1, "fillers").
      if (i == copies_ * step / parts) extend(result, fillers(step));
      result.push_back(
          copy(plan_, builder_, work_, i, {.in_loop = true, .index = plan_.tile.stages - 1}));
    }
    if (result.empty()) result = fillers(step);
    return result;
  }

  Instructions fillers(int step) {
    const int access = builder_.access({});
    const int count = even_share(overhead_.fillers, plan_.math->steps() - 1, step);
    Instructions result;
    for (int i = 0; i < count; ++i)
      result.push_back(
          load(Opcode::kLds32, isa::kZeroRegister, isa::kZeroRegister, access, builder_.never()));
    return result;
  }

  const KernelPlan& plan_;
  ProgramBuilder& builder_;
  AddressWork& work_;
  const int copies_;
  const LoopOverhead overhead_;
  const int ops_per_copy_;
};

}  // namespace

void emit_multistage(const KernelPlan& plan, ProgramBuilder& builder, AddressWork& work) {
  emit_copied_prologue(plan, builder, work);
  builder.begin_loop(/*is_skippable=*/plan.raster.fewest_k_tiles() == 0);
  LoopBody body(plan, builder, work);
  for (int step = 0; step < plan.math->steps(); ++step) builder.append(body.step(step));
  builder.end_loop(plan.raster.k_tiles());
  builder.append(control(Opcode::kDepbar, 0));  // no copy may still be in flight to shared memory
}

}  // namespace tcsim::kernels
