#include "workloads/kernels/semaphore.hpp"

namespace tcsim::kernels {
namespace {

using isa::Opcode;
using isa::Variable;

constexpr int kFlagBytes = 4;

isa::MemoryAccess flag_of_tile(const KernelPlan& plan) {
  const auto grid = plan.raster.grid();
  isa::MemoryAccess access{.buffer = *plan.flags};
  isa::Expression& offset = access.global.offset;
  add_term(offset, {.variable = Variable::kCtaX, .coefficient = kFlagBytes});
  add_term(offset, {.variable = Variable::kCtaY, .coefficient = kFlagBytes * grid[0]});
  plan.raster.add_batch(offset, kFlagBytes * grid[0] * grid[1]);
  return access;
}

isa::Bound first_of(Variable variable) { return {{0, {{variable, 1}}}, 1}; }

/// 1 in the first warp of every slice but the first, at most 0 elsewhere.
isa::Expression waits(const KernelPlan& plan) {
  const auto slices = static_cast<std::uint32_t>(plan.raster.slices().count);
  const auto warps = static_cast<std::uint32_t>(plan.warps.warps());
  isa::Expression entered;
  // (z + slices - 1) div slices is one more than z div slices but in slice 0.
  add_term(
      entered,
      {.variable = Variable::kCtaZ, .coefficient = 1, .divisor = slices, .offset = slices - 1});
  add_term(entered, {.variable = Variable::kCtaZ, .coefficient = -1, .divisor = slices});
  if (warps > 1)
    add_term(
        entered,
        {.variable = Variable::kWarp, .coefficient = -1, .divisor = warps, .offset = warps - 1});
  return entered;
}

}  // namespace

std::int64_t flag_count(const Raster& raster) {
  const auto grid = raster.grid();
  return grid[0] * grid[1];
}

void emit_wait(const KernelPlan& plan, ProgramBuilder& builder, AddressWork& work) {
  constexpr isa::Register kPredicate = 0;
  isa::Expression slice;
  plan.raster.add_slice(slice, 1);
  const isa::Register flag = reg(plan.registers.fragments);  // free behind the main loop
  builder.begin_skippable_loop();
  builder.append(load(Opcode::kLdgStrong32, flag, work.pointer(0),
                      builder.access(flag_of_tile(plan)),
                      builder.guard({{first_of(Variable::kLane)}})));
  builder.append(arithmetic(Opcode::kIsetp, kPredicate, flag));
  builder.end_waiting_loop(waits(plan), slice);
  builder.append(control(Opcode::kBarSync));
}

void emit_release(const KernelPlan& plan, ProgramBuilder& builder, AddressWork& work) {
  builder.append(control(Opcode::kBarSync));
  builder.append(control(Opcode::kMembar));
  const int slices = plan.raster.slices().count;
  const int access = builder.access(flag_of_tile(plan));
  isa::Expression slice;
  plan.raster.add_slice(slice, 1);
  isa::Expression minus_slice;
  plan.raster.add_slice(minus_slice, -1);
  const auto raise = [&](const isa::Bound& where, int by) {
    const int guard =
        builder.guard({{first_of(Variable::kLane), first_of(Variable::kWarp), where}});
    builder.append(with_immediate(
        store(Opcode::kRedAdd, isa::kZeroRegister, work.pointer(0), access, guard), by));
  };
  raise({slice, slices - 1}, 1);
  raise({minus_slice, 2 - slices}, 1 - slices);
}

}  // namespace tcsim::kernels
