#include "sim/run/repetition.hpp"

#include <algorithm>
#include <optional>

#include "models/sm/grid_jump.hpp"
#include "models/sm/kernel.hpp"
#include "sim/gpu/occupancy.hpp"

namespace tcsim::run {
namespace {

/// The most trips of a loop that warp `warp` may leave trips of, in its first run through it. One
/// without loops waits outside those of the others.
std::optional<std::int64_t> trips_of_warp(const sm::Kernel& kernel, int warp,
                                          isa::Bindings bindings) {
  const sm::DecodedProgram& program = kernel.program_of_warp(warp);
  if (program.loops.empty()) return {};
  bindings[static_cast<std::size_t>(isa::Variable::kWarp)] = warp;
  isa::bind_uniforms(program.uniforms, bindings);
  const int depth = program.uniforms.empty() ? 0 : 1;  // trips of outermost loops set uniforms
  std::int64_t most = 0;
  for (const sm::DecodedLoop& loop : program.loops)
    if (loop.depth >= depth && loop.only_reads)
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
  std::optional<std::int64_t> least;
  for (int warp = 0; warp < launch.warps_per_cta; ++warp)
    if (const auto trips = trips_of_warp(kernel, warp, bindings))
      least = std::min(*trips, least.value_or(*trips));
  Repetition result{least.value_or(0), 0};
  const std::int64_t slots = slots_for(launch, machine);
  if (slots == 0) return result;
  const sm::Waves waves = sm::waves_of(kernel, slots);
  if (waves.ctas > 0)
    result.waves = static_cast<double>(waves.end) / static_cast<double>(waves.ctas);
  // CTAs that differ are at different places of the program, and seldom all in loops.
  if (result.waves > 1 && waves.period > 1) result.trips = 0;
  return result;
}

}  // namespace tcsim::run
