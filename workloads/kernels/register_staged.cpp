#include "workloads/kernels/main_loop_parts.hpp"

namespace tcsim::kernels {
namespace {

using isa::Opcode;

/// One vector of a k-tile in flight: which operand, which round, which registers.
struct Slot {
  const Operand* operand;
  int round;
  isa::Register data;
};

std::vector<Slot> slots(const KernelPlan& plan) {
  std::vector<Slot> slots;
  const auto add = [&](const Operand& operand, int first) {
    const int registers = std::max(1, operand.vector_bytes() / 4);
    for (int round = 0; round < operand.rounds(); ++round)
      slots.push_back({&operand, round, reg(first + round * registers)});
  };
  add(plan.a, plan.registers.staged_a);
  add(plan.b, plan.registers.staged_b);
  if (plan.companion) add(*plan.companion, plan.registers.staged_companion);
  return slots;
}

/// Loads of a k-tile; `ops_per_load` integer instructions before each load advance its pointer.
Instructions global_loads(const KernelPlan& plan, ProgramBuilder& builder, AddressWork& work,
                          KTile tile, int ops_per_load) {
  // Lanes beyond the matrix load nothing, so their registers must hold zeros.
  Instructions loads = clear_registers(plan.registers.staged_a, plan.registers.turning);
  int index = 0;
  for (const Slot& slot : slots(plan)) {
    extend(loads, work.advance_pointer(index, ops_per_load));
    Operand::Move move = slot.operand->move(plan.raster, slot.round, tile);
    const int guard = builder.guard(move.guard());
    const int rows = slot.operand->interleave;
    for (int row = 0; row < rows; ++row) {
      const int access = builder.access({.buffer = slot.operand->buffer, .global = move.global});
      loads.push_back(load(global_load_of(slot.operand->vector_bytes() / rows),
                           reg(slot.data + row), work.pointer(index), access, guard));
      move.global.offset.constant += slot.operand->row_bytes();
    }
    ++index;
  }
  return loads;
}

Instructions shared_stores(const KernelPlan& plan, ProgramBuilder& builder, const AddressWork& work,
                           KTile tile) {
  Instructions stores;
  for (const Slot& slot : slots(plan)) {
    Operand::Move move = slot.operand->move(plan.raster, slot.round, tile);
    if (slot.operand->interleave > 1) extend(stores, turn_bytes(slot.data, plan.registers.turning));
    // Every vector is stored, whether it lies inside the matrix or not.
    stores.push_back(
        store(shared_store_of(slot.operand->vector_bytes()), slot.data, work.shared_store_address(),
              builder.access({.shared = std::move(move.shared)}), builder.guard(move.has_vector)));
  }
  return stores;
}

void emit_staged_prologue(const KernelPlan& plan, ProgramBuilder& builder, AddressWork& work) {
  constexpr int kOpsPerLoad = 5;  // as in the loop (assumption)
  const KTile first{.in_loop = false, .index = 0};
  builder.append(global_loads(plan, builder, work, first, kOpsPerLoad));
  builder.append(clear_registers(plan.registers.accumulators, plan.registers.fragments));
  builder.append(plan.math->begin(plan.math_registers()));
  builder.append(shared_stores(plan, builder, work, first));
  builder.append(control(Opcode::kBarSync));
  emit_first_fragments(plan, builder);
}

Instructions loop_step(const KernelPlan& plan, ProgramBuilder& builder, AddressWork& work,
                       int step) {
  const int steps = plan.math->steps();
  const LoopOverhead overhead = loop_overhead(plan);
  const int loads = plan.copies();
  const int ops_per_load = std::min(2, overhead.vector / (2 * loads));
  const int other_ops = overhead.vector - ops_per_load * loads;
  const KTile next{.in_loop = true, .index = 1};
  std::vector<Stream> streams;
  const bool is_last = step + 1 == steps;
  if (step == 0) streams.push_back({global_loads(plan, builder, work, next, ops_per_load), 0, 30});
  if (is_last) {
    streams.push_back({shared_stores(plan, builder, work, next), 0, 45});
    streams.push_back({{control(Opcode::kBarSync)}, 46, 46});
  }
  streams.push_back({next_fragments(plan, builder, step), is_last ? 48 : 2, is_last ? 90 : 70});
  const int ops = even_share(other_ops, steps, step);
  streams.push_back({is_last ? work.advance_stage(ops) : work.vector_ops(ops), is_last ? 46 : 0});
  streams.push_back({work.uniform_ops(even_share(overhead.uniform, steps, step))});
  return place_in_gaps(step_math(plan, builder, step), streams);
}

}  // namespace

void emit_register_staged(const KernelPlan& plan, ProgramBuilder& builder, AddressWork& work) {
  emit_staged_prologue(plan, builder, work);
  builder.begin_loop(/*is_skippable=*/plan.raster.fewest_k_tiles() == 0);
  for (int step = 0; step < plan.math->steps(); ++step)
    builder.append(loop_step(plan, builder, work, step));
  builder.end_loop(plan.raster.k_tiles());
}

}  // namespace tcsim::kernels
