#include "workloads/kernels/partial_sums.hpp"

#include <algorithm>

#include "models/isa/cycle.hpp"
#include "workloads/kernels/expression_math.hpp"
#include "workloads/kernels/output_conversion.hpp"
#include "workloads/kernels/semaphore.hpp"

namespace tcsim::kernels {
namespace {

using isa::kLanes;
using isa::Opcode;
using isa::Variable;

constexpr int kVectorBytes = 16;

int vectors_of(int registers) { return ceil_div(registers, kVectorRegisters); }

/// Vector number `vector` of the group's sums; the lanes of a warp are adjacent.
isa::MemoryAccess place(const PartialSums& sums, int vector) {
  isa::MemoryAccess access{.buffer = sums.workspace};
  isa::Expression& offset = access.global.offset;
  const std::int64_t step = std::int64_t{kVectorBytes} * kLanes;
  offset.constant = vector * step;
  add_scaled(offset, sums.group, sum_bytes(sums.registers, sums.warps));
  add_term(offset, {.variable = Variable::kWarp,
                    .coefficient = vectors_of(sums.registers) * step,
                    .divisor = 1,
                    .modulus = static_cast<std::uint32_t>(sums.warps)});
  add_term(offset, {.variable = Variable::kLane, .coefficient = kVectorBytes});
  return access;
}

isa::MemoryAccess flag_of(const PartialSums& sums) {
  isa::MemoryAccess access{.buffer = sums.flags};
  add_scaled(access.global.offset, sums.group, kFlagBytes);
  return access;
}

/// The stored sums pass through the spare registers, as many vectors at once as fit.
void emit_addition(const PartialSums& sums, ProgramBuilder& builder) {
  const int vectors = vectors_of(sums.registers);
  const int room = (sums.spare_end - sums.spare) / kVectorRegisters;
  const auto stored = [&](int vector) {
    return reg(sums.spare + vector % room * kVectorRegisters);
  };
  const auto fetch = [&](int vector) {
    builder.append(load(Opcode::kLdg128, stored(vector), sums.pointer(vector),
                        builder.access(place(sums, vector))));
  };
  for (int vector = 0; vector < std::min(room, vectors); ++vector) fetch(vector);
  for (int vector = 0; vector < vectors; ++vector) {
    const int before = vector * kVectorRegisters;
    builder.append(add_registers(sums.element, sums.first + before, stored(vector),
                                 std::min(kVectorRegisters, sums.registers - before)));
    if (vector + room < vectors) fetch(vector + room);
  }
}

void emit_store(const PartialSums& sums, ProgramBuilder& builder) {
  for (int vector = 0; vector < vectors_of(sums.registers); ++vector)
    builder.append(store(Opcode::kStg128, reg(sums.first + vector * kVectorRegisters),
                         sums.pointer(vector), builder.access(place(sums, vector))));
}

}  // namespace

std::int64_t sum_bytes(int registers, int warps) {
  return std::int64_t{warps} * kLanes * kVectorBytes * vectors_of(registers);
}

PartialSums partial_sums_of(const KernelPlan& plan, AddressWork& work) {
  return {.stream_k = *plan.raster.stream_k(),
          .element = plan.problem.accumulate,
          .registers = plan.math->accumulator_registers(),
          .first = plan.registers.accumulators,
          .spare = plan.registers.fragments,
          .spare_end = plan.registers.staged_end,
          .warps = plan.warps.warps(),
          .group = {0, {{StreamK::kTile, 1}}, {}},
          .flags = *plan.flags,
          .workspace = *plan.partial_sums,
          .pointer = [&work](int number) { return work.pointer(number); },
          .meet = [](ProgramBuilder& builder,
                     bool /*is_behind_wait*/) { builder.append(control(Opcode::kBarSync)); }};
}

void emit_join(const PartialSums& sums, ProgramBuilder& builder) {
  builder.begin_skippable_loop();
  isa::Expression looks = sums.stream_k.continues();
  add_behind_first_warp(looks, sums.warps, -1);
  emit_look(builder, sums.pointer(0), reg(sums.spare), flag_of(sums), looks,
            StreamK::peers_of_continued());
  sums.meet(builder, /*is_behind_wait=*/true);
  emit_addition(sums, builder);
  builder.end_loop(sums.stream_k.continues());
}

void emit_hand_over(const PartialSums& sums, ProgramBuilder& builder) {
  const auto raise = [&](int by, const isa::Guard& where) {
    emit_raise(builder, sums.pointer(0), flag_of(sums), by, sums.warps, where);
  };
  isa::Expression unfinished = constant(1);
  add_scaled(unfinished, sums.stream_k.finishes(), -1);
  builder.begin_skippable_loop();
  emit_store(sums, builder);
  sums.meet(builder, /*is_behind_wait=*/false);
  builder.append(control(Opcode::kMembar));
  raise(1, {});
  builder.end_loop(unfinished);
  // Lowers the flag as many times as CTAs have raised it.
  builder.begin_skippable_loop();
  isa::Expression minus_finished;
  add_scaled(minus_finished, sums.stream_k.finishes(), -1);
  raise(-1, {{{minus_finished, 0}}});
  builder.end_loop(sums.stream_k.peers_before());
}

}  // namespace tcsim::kernels
