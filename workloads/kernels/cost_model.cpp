#include "workloads/kernels/cost_model.hpp"

#include <algorithm>
#include <cmath>

#include "models/isa/cycle.hpp"
#include "workloads/kernels/cta_room.hpp"
#include "workloads/kernels/kernel_plan.hpp"
#include "workloads/kernels/warp_specialised.hpp"
#include "workloads/kernels/warpgroup_cost.hpp"

namespace tcsim::kernels {
namespace {

using isa::kLanes;

const TileCosts& costs_of(const KernelPlan& plan) { return plan.recipe.family->costs; }

/// Bytes of wavefronts that one CTA moves through shared memory per k-tile: writes, and reads by
/// every warp.
double shared_bytes_per_k_tile(const KernelPlan& plan) {
  const double writes = plan.a.tile_bytes() + plan.b.tile_bytes();
  // A fragment register is four bytes of each lane. Data that several lanes read count once per
  // lane.
  const double reads = 4.0 * kLanes * plan.math->fragment_registers() * plan.math->steps() *
                       plan.warps.warps() / plan.math->registers_per_wavefront();
  return writes + reads;
}

/// Bytes of a k-tile per row of A, and per column of B.
double row_bytes_of_k_tile(const KernelPlan& plan) {
  return static_cast<double>(plan.a.tile_bytes()) / plan.tile.m;
}
double column_bytes_of_k_tile(const KernelPlan& plan) {
  return static_cast<double>(plan.b.tile_bytes()) / plan.tile.n;
}

/// Average bytes of A and B inside the matrices that a CTA loads per k-tile.
double loaded_bytes(const KernelPlan& plan) {
  const GemmProblem& p = plan.problem;
  return static_cast<double>(p.m) / static_cast<double>(plan.raster.tiles_m()) *
             row_bytes_of_k_tile(plan) +
         static_cast<double>(p.n) / static_cast<double>(plan.raster.tiles_n()) *
             column_bytes_of_k_tile(plan);
}

/// One wave of CTAs.
struct Wave {
  std::int64_t resident = 0;  ///< CTAs on the whole chip
  double sharing = 1;         ///< CTAs on the busiest SM
  double share = 1;           ///< share of all CTAs of the launch

  /// Of its CTAs. If there are several waves, the mean of all.
  [[nodiscard]] double k_tiles(const KernelPlan& plan) const {
    return share < 1 ? plan.raster.mean_k_tiles() : static_cast<double>(plan.k_tiles());
  }
};

double operand_bytes(const KernelPlan& plan) {
  return static_cast<double>(plan.problem.batch *
                             (plan.a.stored_elements() * plan.a.element_bytes +
                              plan.b.stored_elements() * plan.b.element_bytes));
}

bool fits_in_l2(const KernelPlan& plan, const Target& target) {
  return operand_bytes(plan) <= static_cast<double>(target.l2_bytes);
}

/// Bytes per k-tile that all resident CTAs together fetch from DRAM: the distinct rows of A and
/// columns of B of one wave, or the wave's share of the operands if they stay in L2.
double dram_bytes_per_k_tile(const KernelPlan& plan, const Wave& wave, const Target& target) {
  const GemmProblem& p = plan.problem;
  const std::int64_t tiles = plan.raster.tiles_m() * plan.raster.tiles_n();
  const std::int64_t layers = ceil_div(wave.resident, tiles);  // slices and batches at once
  const std::int64_t in_layer = std::min(wave.resident, tiles);
  const std::int64_t columns = std::min(plan.raster.strip(), plan.raster.tiles_n());
  const std::int64_t rows = std::min(ceil_div(in_layer, columns), plan.raster.tiles_m());
  const std::int64_t strips =
      std::min(ceil_div(in_layer, rows * columns), ceil_div(plan.raster.tiles_n(), columns));
  const auto length = [](std::int64_t count, int side, std::int64_t all) {
    return static_cast<double>(std::min(count * side, all));
  };
  // Pixels that several rows share are fetched once.
  const auto stored_share = [](const Operand& operand) {
    return std::min(1.0, static_cast<double>(operand.stored_elements()) /
                             static_cast<double>(operand.total_across * operand.total_k));
  };
  const double distinct =
      static_cast<double>(layers) *
      (row_bytes_of_k_tile(plan) * length(rows, plan.tile.m, p.m) * stored_share(plan.a) +
       column_bytes_of_k_tile(plan) * length(strips * columns, plan.tile.n, p.n) *
           stored_share(plan.b));
  if (!fits_in_l2(plan, target)) return distinct;
  return std::min(distinct, operand_bytes(plan) * wave.share / wave.k_tiles(plan));
}

/// Share of the DRAM bandwidth that the row length of the larger operand allows.
double dram_efficiency(const KernelPlan& plan) {
  constexpr int kLineBytes = 128;
  const Operand& larger = plan.problem.m > plan.problem.n ? plan.a : plan.b;
  const int row = larger.k_contiguous ? larger.tile_k : larger.tile_across;
  const bool halves = plan.recipe.mover == Mover::kCopy && !plan.recipe.family->copies_lines &&
                      row * larger.element_bytes < kLineBytes;
  return halves ? costs_of(plan).half_line_efficiency : costs_of(plan).dram_efficiency;
}

/// Cycles of a k-tile for the products and the shared memory of an SM's CTAs, and for the work that
/// a warp cannot hide behind its own products. `dram`: cycles in which DRAM serves the k-tiles of
/// all CTAs.
double sm_cycles(const KernelPlan& plan, const Wave& wave, double dram, const Target& target) {
  const GemmTile& t = plan.tile;
  const TileCosts& costs = costs_of(plan);
  // Warps of one CTA, and of all of an SM, multiply on no more sub-cores than they are.
  const double at_full_rate = static_cast<double>(t.m) * t.n * t.k * plan.recipe.word_elements /
                              target.macs_per_cycle_per_sm;
  const double of_one =
      at_full_rate * std::max(1.0, static_cast<double>(target.sub_cores) / plan.warps.warps());
  const double products = std::max(at_full_rate, of_one / wave.sharing);
  const double shared = shared_bytes_per_k_tile(plan) / target.shared_bytes_per_cycle;
  const double hand_over = t.sliced_k > 1 ? costs.sliced_hand_over_cycles : costs.hand_over_cycles;
  const double issue = static_cast<double>(plan.math->conversions()) * plan.math->steps() *
                       plan.warps.warps() / target.sub_cores;
  // A warp alone on its sub-core converts before it multiplies.
  const bool is_alone = wave.sharing * plan.warps.warps() <= target.sub_cores;
  const double work = is_alone ? products + issue : std::max(products, issue);
  if (plan.recipe.mover == Mover::kCopy) return wave.sharing * (std::max(work, shared) + hand_over);
  // A CTA requests its next k-tile only when the current one is in shared memory, so several CTAs
  // per SM are needed to keep DRAM busy. Data that fit into L2 are there already, from an earlier
  // kernel.
  const auto crowd = static_cast<double>(std::max<std::int64_t>(1, wave.resident / target.sms));
  const double queue = fits_in_l2(plan, target) ? 0 : costs.staged_queue_share * dram / crowd;
  const double alone =
      std::max(of_one, costs.staged_issue_share * of_one + costs.load_latency_cycles + queue);
  // If a sub-core has several warps, the LDS and STS of one delay the products of another.
  const bool meet = wave.sharing * plan.warps.warps() > target.sub_cores;
  return std::max(
      alone + costs.staged_hand_over_cycles,
      wave.sharing * (meet ? std::hypot(products, shared) : std::max(products, shared)));
}

/// Cycles of a k-tile for gathered elements that are loaded and stored one by one.
double single_move_cycles(const KernelPlan& plan) {
  constexpr int kLeastPair = 4;  // bytes
  double moves = 0;
  for (const Operand* operand : {&plan.a, &plan.b})
    if (operand->gather != nullptr && operand->vector_bytes() < kLeastPair)
      moves += operand->rounds() * plan.warps.warps();
  return moves * costs_of(plan).single_move_cycles;
}

WaveCosts wave_costs(const KernelPlan& plan, const Wave& wave, const Target& target) {
  const GemmTile& t = plan.tile;
  const TileCosts& costs = costs_of(plan);
  const double loaded = loaded_bytes(plan);
  const double dram = dram_bytes_per_k_tile(plan, wave, target) /
                      (target.dram_bytes_per_cycle * dram_efficiency(plan));
  const double memory =
      std::max({wave.sharing * loaded / kSmBytesPerCycle,
                static_cast<double>(wave.resident) * loaded / target.l2_bytes_per_cycle, dram});
  const double sm = sm_cycles(plan, wave, dram, target);
  const double step = std::max({sm, memory, wave.sharing * single_move_cycles(plan),
                                costs.load_latency_cycles / (t.stages - 1)});
  const Element stored = t.has_workspace() ? plan.problem.accumulate : plan.problem.output;
  const double adding = t.sliced_k > 1 ? costs.sliced_epilogue_cycles : 0;
  const double storing = t.m * t.n * element_bytes(stored) /
                         (costs.epilogue_write_share * target.sm_write_bytes_per_cycle);
  const int in_turn = t.serial_k ? t.split_k : 1;
  const double epilogue = in_turn * (wave.sharing * (adding + storing) + costs.epilogue_cycles);
  // Nothing hides the first k-tile.
  return {.fill = costs.fill_cycles + memory,
          .main_loop = wave.k_tiles(plan) * step,
          .epilogue = epilogue,
          .k_tile = step,
          .k_tile_sm = sm,
          .k_tile_memory = memory};
}

}  // namespace

double reduction_cycles(const GemmProblem& p, const GemmTile& tile, const TileCosts& costs,
                        const Target& target) {
  const int slices = tile.split_k;
  if (tile.serial_k) return costs.reduction_cycles_per_slice * slices;
  if (!tile.has_workspace()) return 0;
  const double sums = static_cast<double>(p.batch * p.m * p.n) * slices;
  const double bytes = sums * element_bytes(p.accumulate);
  const double kept = std::min(bytes, static_cast<double>(target.l2_bytes) / 2);
  return target.launch_cycles + costs.reduction_cycles + costs.reduction_cycles_per_slice * slices +
         kept / (costs.reduction_l2_share * target.l2_bytes_per_cycle) +
         (bytes - kept) / (target.dram_bytes_per_cycle / 2);
}

int ctas_per_sm(const KernelPlan& plan, const Target& target) {
  return room_for(plan.needs(), target).least();
}

int ctas_per_sm(const GemmProblem& problem, const GemmTile& tile, const Target& target) {
  return ctas_per_sm(plan_for(problem, tile, target), target);
}

double estimate_cycles(const GemmProblem& problem, const GemmTile& tile, const Target& target) {
  if (are_warpgroups(tile.roles)) {
    const auto family = warp_specialised_families(problem, target).front();
    return estimate_warp_specialised(problem, tile, *family, target).cycles();
  }
  return estimate_cycles(plan_for(problem, tile, target), target);
}

double estimate_cycles(const KernelPlan& plan, const Target& target) {
  return estimate(plan, target).cycles();
}

CostTerms estimate(const KernelPlan& plan, const Target& target) {
  const std::int64_t ctas =
      plan.raster.tiles_m() * plan.raster.tiles_n() * plan.problem.batch * plan.tile.split_k;
  const std::int64_t slots = std::int64_t{target.sms} * std::max(1, ctas_per_sm(plan, target));
  const std::int64_t last = ctas % slots;
  const auto share = [&](std::int64_t resident) {
    return static_cast<double>(resident) / static_cast<double>(ctas);
  };
  const double sharing = static_cast<double>(slots) / target.sms;
  CostTerms terms{.ctas = ctas, .slots = slots, .full_waves = ctas / slots};
  terms.reduction = reduction_cycles(plan.problem, plan.tile, costs_of(plan), target);
  terms.turn_round =
      costs_of(plan).turn_round_cycles * static_cast<double>(ceil_div(ctas, slots) - 1);
  terms.full = wave_costs(plan, {slots, sharing, share(slots)}, target);
  if (last > 0) {
    const auto last_sharing = static_cast<double>(ceil_div<std::int64_t>(last, target.sms));
    terms.last = wave_costs(plan, {last, last_sharing, share(last)}, target);
  }
  return terms;
}

}  // namespace tcsim::kernels
