#include "workloads/kernels/partial_sums.hpp"

#include <algorithm>

#include "models/isa/cycle.hpp"
#include "workloads/kernels/output_conversion.hpp"
#include "workloads/kernels/semaphore.hpp"

namespace tcsim::kernels {
namespace {

using isa::kLanes;
using isa::Opcode;
using isa::Variable;

constexpr int kVectorBytes = 16;

int vectors(const KernelPlan& plan) {
  return ceil_div(plan.math->accumulator_registers(), kVectorRegisters);
}

/// Vector number `vector` of the tile's sums: the lanes of a warp side by side.
isa::MemoryAccess place(const KernelPlan& plan, int vector) {
  isa::MemoryAccess access{.buffer = *plan.partial_sums};
  isa::Expression& offset = access.global.offset;
  const std::int64_t step = std::int64_t{kVectorBytes} * kLanes;
  offset.constant = vector * step;
  add_term(offset, {.variable = StreamK::kTile, .coefficient = sum_bytes_of_tile(plan)});
  add_term(offset, {.variable = Variable::kWarp, .coefficient = vectors(plan) * step});
  add_term(offset, {.variable = Variable::kLane, .coefficient = kVectorBytes});
  return access;
}

isa::MemoryAccess flag_of_sums(const KernelPlan& plan) {
  return {.buffer = *plan.flags, .global = {{0, {{StreamK::kTile, kFlagBytes}}, {}}, {}}};
}

/// The stored sums pass through the registers of the fragments, as many vectors at once as fit.
void emit_addition(const KernelPlan& plan, ProgramBuilder& builder, AddressWork& work) {
  const RegisterPlan& registers = plan.registers;
  const int room = (registers.staged_end - registers.fragments) / kVectorRegisters;
  const auto stored = [&](int vector) {
    return reg(registers.fragments + vector % room * kVectorRegisters);
  };
  const auto fetch = [&](int vector) {
    builder.append(load(Opcode::kLdg128, stored(vector), work.pointer(vector),
                        builder.access(place(plan, vector))));
  };
  for (int vector = 0; vector < std::min(room, vectors(plan)); ++vector) fetch(vector);
  for (int vector = 0; vector < vectors(plan); ++vector) {
    builder.append(add_registers(plan.problem.accumulate,
                                 registers.accumulators + vector * kVectorRegisters, stored(vector),
                                 kVectorRegisters));
    if (vector + room < vectors(plan)) fetch(vector + room);
  }
}

void emit_store(const KernelPlan& plan, ProgramBuilder& builder, AddressWork& work) {
  for (int vector = 0; vector < vectors(plan); ++vector)
    builder.append(store(Opcode::kStg128,
                         reg(plan.registers.accumulators + vector * kVectorRegisters),
                         work.pointer(vector), builder.access(place(plan, vector))));
}

}  // namespace

std::int64_t sum_bytes_of_tile(const KernelPlan& plan) {
  return std::int64_t{plan.warps.warps()} * kLanes * kVectorBytes * vectors(plan);
}

void emit_join(const KernelPlan& plan, ProgramBuilder& builder, AddressWork& work) {
  const StreamK& stream_k = *plan.raster.stream_k();
  builder.begin_skippable_loop();
  isa::Expression looks = stream_k.continues();
  add_behind_first_warp(looks, plan.warps.warps(), -1);
  emit_look(plan, builder, work, flag_of_sums(plan), looks, stream_k.peers_before());
  emit_addition(plan, builder, work);
  builder.end_loop(stream_k.continues());
}

void emit_hand_over(const KernelPlan& plan, ProgramBuilder& builder, AddressWork& work) {
  const StreamK& stream_k = *plan.raster.stream_k();
  isa::Expression unfinished = constant(1);
  add_scaled(unfinished, stream_k.finishes(), -1);
  builder.begin_skippable_loop();
  emit_store(plan, builder, work);
  builder.append(control(Opcode::kBarSync));
  builder.append(control(Opcode::kMembar));
  emit_raise(builder, work, flag_of_sums(plan), 1, {});
  builder.end_loop(unfinished);
  // As many steps down as CTAs have raised it.
  builder.begin_skippable_loop();
  isa::Expression minus_finished;
  add_scaled(minus_finished, stream_k.finishes(), -1);
  emit_raise(builder, work, flag_of_sums(plan), -1, {{{minus_finished, 0}}});
  builder.end_loop(stream_k.peers_before());
}

}  // namespace tcsim::kernels
