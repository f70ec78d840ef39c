#include "workloads/kernels/kernel_plan.hpp"
#include "workloads/kernels/main_loop.hpp"
#include "workloads/kernels/semaphore.hpp"

namespace tcsim::kernels {

isa::KernelLaunch make_launch(const KernelPlan& plan) {
  isa::KernelLaunch launch;
  launch.grid = plan.raster.grid();
  launch.warps_per_cta = plan.warps.warps();
  launch.registers_per_thread = plan.registers.total;
  launch.shared_bytes_per_cta = plan.shared_bytes();
  ProgramBuilder builder("main");
  AddressWork work(plan.registers.addresses, plan.registers.address_count(),
                   plan.recipe.has_uniform_datapath);
  if (plan.recipe.mover == Mover::kCopy)
    emit_multistage(plan, builder, work);
  else
    emit_register_staged(plan, builder, work);
  builder.append(plan.math->finish(plan.math_registers()));
  if (plan.flags) emit_wait(plan, builder, work);
  plan.epilogue().emit(builder, work, plan.raster, plan.registers.fragments,
                       plan.registers.staged_end - plan.registers.fragments);
  if (plan.flags) emit_release(plan, builder, work);
  launch.programs.push_back(builder.finish());
  launch.program_of_warp.assign(static_cast<std::size_t>(launch.warps_per_cta), 0);
  return launch;
}

}  // namespace tcsim::kernels
