#include "sim/run/repetition.hpp"

#include <algorithm>
#include <limits>

#include "models/sm/grid_jump.hpp"
#include "models/sm/kernel.hpp"
#include "sim/gpu/simulation.hpp"

namespace tcsim::run {
namespace {

/// The most trips of a loop that warp `warp` may leave trips of.
std::int64_t trips_of_warp(const sm::Kernel& kernel, int warp, isa::Bindings bindings) {
  const sm::DecodedProgram& program = kernel.program_of_warp(warp);
  if (!program.uniforms.empty()) return 0;
  bindings[static_cast<std::size_t>(isa::Variable::kWarp)] = warp;
  std::int64_t most = 0;
  for (const sm::DecodedLoop& loop : program.loops)
    if (loop.depth == 0 && loop.only_reads)
      most = std::max(most, isa::evaluate(loop.trips, bindings));
  return most;
}

}  // namespace

std::int64_t slots_for(const isa::KernelLaunch& launch, const config::Machine& machine) {
  return std::int64_t{machine.gpu.sms} * gpu::occupancy(machine, launch).ctas_per_sm;
}

Repetition repetition_of(const isa::KernelLaunch& launch, const config::Machine& machine) {
  if (launch.recording != nullptr) return {};
  const sm::Kernel kernel(launch, machine.sm, sm::timing_table(machine.sm));
  isa::Bindings bindings{};
  for (std::size_t axis = 0; axis < launch.grid.size(); ++axis)
    bindings[static_cast<std::size_t>(isa::Variable::kCtaX) + axis] = launch.grid[axis] / 2;
  Repetition result{std::numeric_limits<std::int64_t>::max(), 0};
  for (int warp = 0; warp < launch.warps_per_cta; ++warp)
    result.trips = std::min(result.trips, trips_of_warp(kernel, warp, bindings));
  const std::int64_t slots = slots_for(launch, machine);
  if (slots > 0 && sm::has_equal_ctas(kernel))
    result.waves = static_cast<double>(launch.cta_count()) / static_cast<double>(slots);
  return result;
}

}  // namespace tcsim::run
