#include <algorithm>
#include <array>
#include <stdexcept>
#include <tuple>

#include "models/isa/cycle.hpp"
#include "workloads/kernels/cost_model.hpp"
#include "workloads/kernels/kernel_plan.hpp"

namespace tcsim::kernels {
namespace {

constexpr int kLanes = 32;
constexpr double kSharedBytesPerCycle = 128;  // one wavefront of 32 banks, microarchitecture.md 5.3
constexpr double kFillCycles = 1250;  // address setup and first stage, kernels.md 4.2: 1000 to 1500
constexpr double kEpilogueBytesPerCycle = 36;  // per SM, kernels.md 4.2: 32 to 40
constexpr double kEpilogueCycles = 500;        // kernels.md 4.2

/// Share of the bounding rate that a main loop reaches, by outputs of the tile: kernels.md 4.2,
/// guesses in the published order of efficiency.
double tile_efficiency(const GemmTile& tile) {
  struct Step {
    int outputs;
    double efficiency;
  };
  constexpr std::array kSteps{Step{256 * 128, 0.95}, Step{128 * 128, 0.93}, Step{128 * 64, 0.82},
                              Step{64 * 64, 0.70}};
  if (tile.m * tile.n == 256 * 64 && tile.m != tile.n) return 0.88;
  for (const Step& step : kSteps)
    if (tile.m * tile.n >= step.outputs) return step.efficiency;
  return kSteps.back().efficiency;
}

/// Bytes that one CTA moves through shared memory per k-tile: writes, and reads by every warp.
double shared_bytes_per_k_tile(const KernelPlan& plan) {
  const int bytes = plan.a.element_bytes;
  const double writes = (plan.tile.m + plan.tile.n) * plan.tile.k * bytes;
  // A fragment register is four bytes of each lane; this counts copies that several lanes read.
  const double reads =
      4.0 * kLanes * plan.math->fragment_registers() * plan.math->steps() * plan.warps.warps();
  return writes + reads;
}

/// Bytes per k-tile that all resident CTAs together fetch from DRAM: the distinct rows of A and
/// columns of B of one wave, or an even share of the operands where they stay in L2.
double dram_bytes_per_k_tile(const KernelPlan& plan, std::int64_t resident, double waves,
                             const Target& target) {
  const GemmProblem& p = plan.problem;
  const double depth = static_cast<double>(plan.tile.k) * plan.a.element_bytes;
  const std::int64_t strip = plan.raster.grid()[0] / plan.raster.tiles_m();
  const std::int64_t columns = std::min(strip, plan.raster.tiles_n());
  const std::int64_t rows = ceil_div(resident, columns);
  const double wave = depth * static_cast<double>(rows * plan.tile.m + columns * plan.tile.n);
  const double operands = static_cast<double>(p.batch * (p.m + p.n) * p.k) * plan.a.element_bytes;
  if (operands > static_cast<double>(target.l2_bytes)) return wave;
  return std::min(wave, operands / (waves * static_cast<double>(plan.k_tiles())));
}

/// Cycles of a wave in which `sharing` CTAs share each SM and `resident` run in all.
double wave_cycles(const KernelPlan& plan, double sharing, std::int64_t resident, double waves,
                   const Target& target) {
  const GemmTile& t = plan.tile;
  const double macs = static_cast<double>(t.m) * t.n * t.k;
  const double loaded = static_cast<double>(t.m + t.n) * t.k * plan.a.element_bytes;
  const double step = std::max(
      {sharing * macs / target.macs_per_cycle_per_sm,
       sharing * shared_bytes_per_k_tile(plan) / kSharedBytesPerCycle,
       static_cast<double>(resident) * loaded / target.l2_bytes_per_cycle,
       dram_bytes_per_k_tile(plan, resident, waves, target) / target.dram_bytes_per_cycle});
  const double epilogue =
      sharing * t.m * t.n * element_bytes(plan.problem.output) / kEpilogueBytesPerCycle +
      kEpilogueCycles;
  return kFillCycles + static_cast<double>(plan.k_tiles()) * step / tile_efficiency(t) + epilogue;
}

KernelPlan plan_for(const GemmProblem& problem, const GemmTile& tile, const Target& target) {
  std::string reason;
  const std::optional<Recipe> recipe = find_recipe(problem, target, reason);
  if (!recipe) throw std::invalid_argument("gemm: " + reason);
  return plan_kernel(problem, tile, *recipe);
}

}  // namespace

int ctas_per_sm(const GemmProblem& problem, const GemmTile& tile, const Target& target) {
  const KernelPlan plan = plan_for(problem, tile, target);
  const int warps = plan.warps.warps();
  // Registers are given to warps in units of 8 per thread, out of the file of one sub-core
  // (microarchitecture.md 2.2).
  const int warp_registers = kLanes * ceil_div(plan.registers.total, 8) * 8;
  const int warps_per_sub_core = target.registers_per_sm / target.sub_cores / warp_registers;
  const int by_registers = warps_per_sub_core / ceil_div(warps, target.sub_cores);
  const int by_shared =
      target.shared_bytes_per_sm / (plan.shared_bytes() + target.shared_reserved_per_cta);
  return std::min(
      {by_registers, by_shared, target.max_warps_per_sm / warps, target.max_ctas_per_sm});
}

double estimate_cycles(const GemmProblem& problem, const GemmTile& tile, const Target& target) {
  const KernelPlan plan = plan_for(problem, tile, target);
  const std::int64_t tiles = plan.raster.tiles_m() * plan.raster.tiles_n() * problem.batch;
  const std::int64_t slots =
      std::int64_t{target.sms} * std::max(1, ctas_per_sm(problem, tile, target));
  const std::int64_t full_waves = tiles / slots;
  const std::int64_t last = tiles % slots;
  const auto waves = static_cast<double>(full_waves + (last > 0 ? 1 : 0));
  const double sharing = static_cast<double>(slots) / target.sms;
  double cycles =
      static_cast<double>(full_waves) * wave_cycles(plan, sharing, slots, waves, target);
  if (last > 0) {
    const auto last_sharing = static_cast<double>(ceil_div<std::int64_t>(last, target.sms));
    cycles += wave_cycles(plan, last_sharing, last, waves, target);
  }
  return cycles;
}

bool is_preferred(const GemmTile& a, const GemmTile& b, const GemmProblem& problem,
                  const Target& target) {
  const auto key = [&](const GemmTile& tile) {
    const int length = problem.n > problem.m ? tile.n : tile.m;
    return std::tuple(estimate_cycles(problem, tile, target), -tile.m * tile.n, -length, -tile.k,
                      -tile.stages);
  };
  return key(a) < key(b);
}

GemmTile choose_tile(const GemmProblem& problem, const Target& target) {
  const std::vector<GemmTile> tiles = gemm_tiles(problem, target);
  if (tiles.empty()) throw std::invalid_argument("choose_tile: the menu is empty");
  return *std::ranges::min_element(tiles, [&](const GemmTile& a, const GemmTile& b) {
    return is_preferred(a, b, problem, target);
  });
}

}  // namespace tcsim::kernels
