#include "workloads/kernels/cost_model.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "models/isa/cycle.hpp"
#include "workloads/kernels/kernel_plan.hpp"

namespace tcsim::kernels {
namespace {

constexpr int kLanes = 32;
constexpr double kSharedBytesPerCycle = 128;  // one wavefront of 32 banks, microarchitecture.md 5.3
constexpr double kFillCycles = 1250;  // address setup and first stage, kernels.md 4.2: 1000 to 1500
constexpr double kEpilogueBytesPerCycle = 36;  // per SM, kernels.md 4.2: 32 to 40
constexpr double kEpilogueCycles = 500;        // kernels.md 4.2
constexpr double kSmBytesPerCycle = 64;        // L1 fill port of an SM, microarchitecture.md 5
// From a k-tile's request to its arrival: an L2 miss of 500 cycles and queues (assumption).
constexpr double kLoadLatency = 700;
// A kernel that adds partial sums takes this besides its traffic: CTA start, addresses, two misses
// of the L1 one behind the other, stores (assumption).
constexpr double kReductionCycles = 1500;

/// Share of the tensor pipe's rate that a main loop reaches with eight or more warps on the SM:
/// kernels.md 4.2, guesses in the published order of efficiency.
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

/// Rows of A and columns of B, inside the matrices, that a CTA loads on average.
double loaded_rows(const KernelPlan& plan) {
  const GemmProblem& p = plan.problem;
  return static_cast<double>(p.m) / static_cast<double>(plan.raster.tiles_m()) +
         static_cast<double>(p.n) / static_cast<double>(plan.raster.tiles_n());
}

/// One wave of CTAs.
struct Wave {
  std::int64_t resident = 0;  ///< CTAs on the whole chip
  double sharing = 1;         ///< CTAs on the busiest SM
  double waves = 1;           ///< how many there are in all
};

/// Bytes per k-tile that all resident CTAs together fetch from DRAM: the distinct rows of A and
/// columns of B of one wave, or an even share of the operands where they stay in L2.
double dram_bytes_per_k_tile(const KernelPlan& plan, const Wave& wave, const Target& target) {
  const GemmProblem& p = plan.problem;
  const double depth = static_cast<double>(plan.tile.k) * plan.a.element_bytes;
  const std::int64_t tiles = plan.raster.tiles_m() * plan.raster.tiles_n();
  const std::int64_t layers = ceil_div(wave.resident, tiles);  // slices and batches at once
  const std::int64_t in_layer = std::min(wave.resident, tiles);
  const std::int64_t strip = plan.raster.grid()[0] / plan.raster.tiles_m();
  const std::int64_t columns = std::min(strip, plan.raster.tiles_n());
  const std::int64_t rows = std::min(ceil_div(in_layer, columns), plan.raster.tiles_m());
  const std::int64_t strips =
      std::min(ceil_div(in_layer, rows * columns), ceil_div(plan.raster.tiles_n(), columns));
  const auto length = [](std::int64_t count, int side, std::int64_t all) {
    return static_cast<double>(std::min(count * side, all));
  };
  const double distinct =
      depth * static_cast<double>(layers) *
      (length(rows, plan.tile.m, p.m) + length(strips * columns, plan.tile.n, p.n));
  const double operands = static_cast<double>(p.batch * (p.m + p.n) * p.k) * plan.a.element_bytes;
  if (operands > static_cast<double>(target.l2_bytes)) return distinct;
  return std::min(distinct, operands / (wave.waves * static_cast<double>(plan.k_tiles())));
}

double wave_cycles(const KernelPlan& plan, const Wave& wave, const Target& target) {
  const GemmTile& t = plan.tile;
  const double macs = static_cast<double>(t.m) * t.n * t.k;
  const double loaded = loaded_rows(plan) * t.k * plan.a.element_bytes;
  // With few warps nothing hides their barriers and fragment loads behind other warps' products.
  const double math = wave.sharing * macs / target.macs_per_cycle_per_sm / tile_efficiency(t);
  const double step =
      std::max({math, wave.sharing * shared_bytes_per_k_tile(plan) / kSharedBytesPerCycle,
                wave.sharing * loaded / kSmBytesPerCycle,
                static_cast<double>(wave.resident) * loaded / target.l2_bytes_per_cycle,
                dram_bytes_per_k_tile(plan, wave, target) / target.dram_bytes_per_cycle,
                kLoadLatency / (t.stages - 1)});
  const Element stored = t.split_k > 1 ? plan.problem.accumulate : plan.problem.output;
  const double epilogue =
      wave.sharing * t.m * t.n * element_bytes(stored) / kEpilogueBytesPerCycle + kEpilogueCycles;
  return kFillCycles + static_cast<double>(plan.k_tiles()) * step + epilogue;
}

/// The second launch: its overhead, and every partial sum read once, from L2 where it fits.
double reduction_cycles(const KernelPlan& plan, const Target& target) {
  if (plan.tile.split_k == 1) return 0;
  const GemmProblem& p = plan.problem;
  const double outputs = static_cast<double>(p.batch * p.m * p.n);
  const double partial_bytes = outputs * plan.tile.split_k * element_bytes(p.accumulate);
  const bool stays_in_l2 = partial_bytes < static_cast<double>(target.l2_bytes);
  const double rate = stays_in_l2 ? target.l2_bytes_per_cycle : target.dram_bytes_per_cycle;
  return target.launch_cycles + kReductionCycles + partial_bytes / rate;
}

KernelPlan plan_for(const GemmProblem& problem, const GemmTile& tile, const Target& target) {
  std::string reason;
  const std::optional<Recipe> recipe = find_recipe(problem, target, reason);
  if (!recipe) throw std::invalid_argument("gemm: " + reason);
  return plan_kernel(problem, tile, *recipe);
}

int ctas_per_sm(const KernelPlan& plan, const Target& target) {
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

}  // namespace

int ctas_per_sm(const GemmProblem& problem, const GemmTile& tile, const Target& target) {
  return ctas_per_sm(plan_for(problem, tile, target), target);
}

double estimate_cycles(const GemmProblem& problem, const GemmTile& tile, const Target& target) {
  const KernelPlan plan = plan_for(problem, tile, target);
  const std::int64_t ctas =
      plan.raster.tiles_m() * plan.raster.tiles_n() * problem.batch * tile.split_k;
  const std::int64_t slots = std::int64_t{target.sms} * std::max(1, ctas_per_sm(plan, target));
  const std::int64_t full_waves = ctas / slots;
  const std::int64_t last = ctas % slots;
  const auto waves = static_cast<double>(full_waves + (last > 0 ? 1 : 0));
  const double sharing = static_cast<double>(slots) / target.sms;
  double cycles = reduction_cycles(plan, target);
  cycles += static_cast<double>(full_waves) * wave_cycles(plan, {slots, sharing, waves}, target);
  if (last > 0) {
    const auto last_sharing = static_cast<double>(ceil_div<std::int64_t>(last, target.sms));
    cycles += wave_cycles(plan, {last, last_sharing, waves}, target);
  }
  return cycles;
}

}  // namespace tcsim::kernels
