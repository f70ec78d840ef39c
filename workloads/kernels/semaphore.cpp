#include "workloads/kernels/semaphore.hpp"

namespace tcsim::kernels {
namespace {

using isa::Opcode;
using isa::Variable;

isa::MemoryAccess flag_of_tile(const KernelPlan& plan) {
  const auto grid = plan.raster.grid();
  isa::MemoryAccess access{.buffer = *plan.flags};
  isa::Expression& offset = access.global.offset;
  add_term(offset, {.variable = Variable::kCtaX, .coefficient = kFlagBytes});
  add_term(offset, {.variable = Variable::kCtaY, .coefficient = kFlagBytes * grid[0]});
  plan.raster.add_batch(offset, kFlagBytes * grid[0] * grid[1]);
  return access;
}

isa::Bound first_lane() { return {{0, {{Variable::kLane, 1}}}, 1}; }

/// 1 in the first warp of every slice except the first, at most 0 elsewhere.
isa::Expression waits(const KernelPlan& plan) {
  const auto slices = static_cast<std::uint32_t>(plan.raster.slices().count);
  isa::Expression entered;
  // (z + slices - 1) div slices is one more than z div slices, except in slice 0.
  add_term(
      entered,
      {.variable = Variable::kCtaZ, .coefficient = 1, .divisor = slices, .offset = slices - 1});
  add_term(entered, {.variable = Variable::kCtaZ, .coefficient = -1, .divisor = slices});
  add_behind_first_warp(entered, plan.warps.warps(), -1);
  return entered;
}

}  // namespace

std::int64_t flag_count(const Raster& raster) {
  const auto grid = raster.grid();
  return grid[0] * grid[1];
}

void add_behind_first_warp(isa::Expression& sum, int warps, std::int64_t weight) {
  const auto count = static_cast<std::uint32_t>(warps);
  if (warps == 1) return;
  add_term(
      sum,
      {.variable = Variable::kWarp, .coefficient = weight, .divisor = count, .offset = count - 1});
  add_term(sum, {.variable = Variable::kWarp, .coefficient = -weight, .divisor = count});
}

void emit_look(ProgramBuilder& builder, isa::Register address, isa::Register seen,
               const isa::MemoryAccess& flag, const isa::Expression& looks,
               const isa::Expression& until) {
  constexpr isa::Register kPredicate = 0;
  builder.begin_skippable_loop();
  builder.append(load(Opcode::kLdgStrong32, seen, address, builder.access(flag),
                      builder.guard({{first_lane()}})));
  builder.append(arithmetic(Opcode::kIsetp, kPredicate, seen));
  builder.end_waiting_loop(looks, until);
}

void emit_raise(ProgramBuilder& builder, isa::Register address, const isa::MemoryAccess& flag,
                int by, int warps, const isa::Guard& where) {
  const isa::Term in_group{Variable::kWarp, 1, 1, static_cast<std::uint32_t>(warps)};
  isa::Guard one{{first_lane(), {{0, {in_group}}, 1}}};
  one.bounds.insert(one.bounds.end(), where.bounds.begin(), where.bounds.end());
  builder.append(with_immediate(
      store(Opcode::kRedAdd, isa::kZeroRegister, address, builder.access(flag), builder.guard(one)),
      by));
}

void emit_wait(const KernelPlan& plan, ProgramBuilder& builder, AddressWork& work) {
  isa::Expression slice;
  plan.raster.add_slice(slice, 1);
  const isa::Register seen = reg(plan.registers.fragments);  // free after the main loop
  emit_look(builder, work.pointer(0), seen, flag_of_tile(plan), waits(plan), slice);
  builder.append(control(Opcode::kBarSync));
}

void emit_release(const KernelPlan& plan, ProgramBuilder& builder, AddressWork& work) {
  builder.append(control(Opcode::kBarSync));
  builder.append(control(Opcode::kMembar));
  const int slices = plan.raster.slices().count;
  isa::Expression slice;
  plan.raster.add_slice(slice, 1);
  isa::Expression minus_slice;
  plan.raster.add_slice(minus_slice, -1);
  const auto raise = [&](int by, const isa::Bound& where) {
    emit_raise(builder, work.pointer(0), flag_of_tile(plan), by, plan.warps.warps(), {{where}});
  };
  raise(1, {slice, slices - 1});
  raise(1 - slices, {minus_slice, 2 - slices});
}

}  // namespace tcsim::kernels
