#include "workloads/kernels/kernel_plan.hpp"
#include "workloads/kernels/main_loop.hpp"
#include "workloads/kernels/partial_sums.hpp"
#include "workloads/kernels/semaphore.hpp"

namespace tcsim::kernels {
namespace {

using isa::Opcode;

// Integer instructions before the first load, in addition to the ones per load: the 480
// instructions of a counted prologue less the ones that carry data (kernels.md 3).
constexpr int kGemmSetupOps = 210;
constexpr int kEarlySetupOps = 12;  // before the exit of idle CTAs (assumption)

/// Reads CTA and thread numbers; CTAs beyond the edge exit.
void emit_start(const KernelPlan& plan, ProgramBuilder& builder, AddressWork& work) {
  constexpr int kSpecialRegisters = 4;  // CTA number in x, y, z; thread number
  begin_kernel(builder, work, kSpecialRegisters, work.setup_ops(kEarlySetupOps));
  if (plan.raster.has_idle_ctas())
    builder.append(control(Opcode::kExit, 0, builder.guard(plan.raster.idle())));
}

/// From the addresses of the first k-tile to the sums of the last one.
void emit_sums(const KernelPlan& plan, ProgramBuilder& builder, AddressWork& work) {
  builder.append(work.setup_ops(kGemmSetupOps - kEarlySetupOps));
  if (plan.recipe.mover == Mover::kCopy)
    emit_multistage(plan, builder, work);
  else
    emit_register_staged(plan, builder, work);
  builder.append(plan.math->finish(plan.math_registers()));
}

void emit_epilogue(const KernelPlan& plan, const EpiloguePost& post, ProgramBuilder& builder,
                   AddressWork& work) {
  plan.epilogue(post).emit(builder, work, plan.raster, plan.registers.fragments,
                           plan.registers.staged_end - plan.registers.fragments);
}

/// Slices of serial split-K only add; the last one also does the rest.
void emit_epilogues_in_turn(const KernelPlan& plan, ProgramBuilder& builder, AddressWork& work) {
  const isa::Expression is_last = plan.raster.in_last_slice();
  isa::Expression is_before = constant(1);
  add_scaled(is_before, is_last, -1);
  builder.begin_skippable_loop();
  emit_epilogue(plan, EpiloguePost().adding_to(plan.post.result_buffer), builder, work);
  builder.end_loop(is_before);
  builder.begin_skippable_loop();
  emit_epilogue(plan, plan.post, builder, work);
  builder.end_loop(is_last);
}

/// One tile after another: its k-tiles; then the sums go to the CTA that finishes the tile, or the
/// sums of the others are added and D is stored.
void emit_tiles(const KernelPlan& plan, ProgramBuilder& builder, AddressWork& work) {
  const StreamK& stream_k = *plan.raster.stream_k();
  builder.set_uniforms(plan.raster.uniforms());
  builder.begin_outer_loop();
  emit_sums(plan, builder, work);
  const PartialSums sums = partial_sums_of(plan, work);
  emit_join(sums, builder);
  emit_hand_over(sums, builder);
  builder.begin_skippable_loop();
  emit_epilogue(plan, plan.post, builder, work);
  builder.end_loop(stream_k.finishes());
  builder.append(control(Opcode::kBarSync));  // shared memory is free for the next tile
  builder.end_loop(stream_k.trips());
}

void emit_tile(const KernelPlan& plan, ProgramBuilder& builder, AddressWork& work) {
  emit_sums(plan, builder, work);
  if (plan.flags) emit_wait(plan, builder, work);
  if (plan.tile.serial_k && plan.problem.epilogue.changes_values())
    emit_epilogues_in_turn(plan, builder, work);
  else
    emit_epilogue(plan, plan.post, builder, work);
  if (plan.flags) emit_release(plan, builder, work);
}

}  // namespace

isa::KernelLaunch make_launch(const KernelPlan& plan) {
  ProgramBuilder builder("main");
  AddressWork work(plan.registers.addresses, plan.registers.address_count(),
                   plan.recipe.has_uniform_datapath);
  emit_start(plan, builder, work);
  if (plan.raster.stream_k())
    emit_tiles(plan, builder, work);
  else
    emit_tile(plan, builder, work);
  return uniform_launch({.grid = plan.raster.grid(),
                         .warps_per_cta = plan.warps.warps(),
                         .registers_per_thread = plan.registers.total,
                         .shared_bytes_per_cta = plan.shared_bytes()},
                        builder.finish());
}

}  // namespace tcsim::kernels
