#include "workloads/kernels/cost_model.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "models/isa/cycle.hpp"
#include "workloads/kernels/kernel_plan.hpp"

namespace tcsim::kernels {
namespace {

using isa::kLanes;

constexpr double kSharedBytesPerCycle = 128;  // one wavefront of 32 banks, microarchitecture.md 5.3
constexpr double kEpilogueCycles = 500;       // kernels.md 4.2
constexpr double kSmBytesPerCycle = 64;       // L1 fill port of an SM, microarchitecture.md 5

// Seen in tcsim's own runs of A100 and V100, from which kernels.md 4.2 wants its guesses replaced.
constexpr double kFillCycles = 900;            // address setup and first stage
constexpr double kTurnRoundCycles = 1500;      // from the end of a CTA to the fill of the next
constexpr double kEpilogueWriteShare = 0.75;   // of the SM's port to the L2
constexpr double kSlicedEpilogueCycles = 900;  // warp groups add their sums
constexpr double kLoadLatency = 500;           // from a k-tile's request to its arrival
constexpr double kHandOverCycles = 50;  // barrier, wait and first fragments of a copied k-tile
constexpr double kSlicedHandOverCycles = 130;  // of a k-tile that warp groups divide
constexpr double kStagedHandOverCycles = 180;  // stores to shared memory among them
constexpr double kStagedIssueShare =
    0.3;  // of a k-tile, over which register-staged loads are issued
constexpr double kStagedQueueShare = 0.5;    // of DRAM's time for a wave, before a CTA's own data
constexpr double kDramEfficiency = 0.8;      // activations, turnarounds, refresh
constexpr double kHalfLineEfficiency = 0.6;  // copied rows of half a 128-byte line
constexpr double kSingleMoveCycles = 8;      // LDG and STS of 32 single elements
constexpr double kReductionCycles = 200;     // besides what follows
constexpr double kReductionCyclesPerSlice = 65;
constexpr double kReductionL2Share = 0.5;  // of the L2's bandwidth, few loads of each thread

/// Bytes that one CTA moves through shared memory per k-tile: writes, and reads by every warp.
double shared_bytes_per_k_tile(const KernelPlan& plan) {
  const int bytes = plan.a.element_bytes;
  const double writes = (plan.a.tile_across * plan.a.tile_k + plan.tile.n * plan.tile.k) * bytes;
  // A fragment register is four bytes of each lane; this counts copies that several lanes read.
  const double reads =
      4.0 * kLanes * plan.math->fragment_registers() * plan.math->steps() * plan.warps.warps();
  return writes + reads;
}

/// Elements of A and B, inside the matrices, that a CTA loads per k-tile on average.
double loaded_elements(const KernelPlan& plan) {
  const GemmProblem& p = plan.problem;
  return static_cast<double>(p.m) / static_cast<double>(plan.raster.tiles_m()) * plan.a.tile_k +
         static_cast<double>(p.n) / static_cast<double>(plan.raster.tiles_n()) * plan.b.tile_k;
}

/// One wave of CTAs.
struct Wave {
  std::int64_t resident = 0;  ///< CTAs on the whole chip
  double sharing = 1;         ///< CTAs on the busiest SM
  double share = 1;           ///< of all CTAs of the launch
};

double operand_bytes(const KernelPlan& plan) {
  return static_cast<double>(plan.problem.batch *
                             (plan.a.stored_elements() + plan.b.stored_elements()) *
                             plan.a.element_bytes);
}

bool fits_in_l2(const KernelPlan& plan, const Target& target) {
  return operand_bytes(plan) <= static_cast<double>(target.l2_bytes);
}

/// Bytes per k-tile that all resident CTAs together fetch from DRAM: the distinct rows of A and
/// columns of B of one wave, or its share of the operands where they stay in L2.
double dram_bytes_per_k_tile(const KernelPlan& plan, const Wave& wave, const Target& target) {
  const GemmProblem& p = plan.problem;
  const auto depth = [](const Operand& operand) {
    return static_cast<double>(operand.tile_k) * operand.element_bytes;
  };
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
  // Rows that share pixels are fetched once.
  const auto stored_share = [](const Operand& operand) {
    return std::min(1.0, static_cast<double>(operand.stored_elements()) /
                             static_cast<double>(operand.total_across * operand.total_k));
  };
  const double distinct =
      static_cast<double>(layers) *
      (depth(plan.a) * length(rows, plan.tile.m, p.m) * stored_share(plan.a) +
       depth(plan.b) * length(strips * columns, plan.tile.n, p.n) * stored_share(plan.b));
  if (!fits_in_l2(plan, target)) return distinct;
  return std::min(distinct, operand_bytes(plan) * wave.share / static_cast<double>(plan.k_tiles()));
}

/// Share of the DRAM's bandwidth that the larger operand's rows allow.
double dram_efficiency(const KernelPlan& plan) {
  constexpr int kLineBytes = 128;
  const Operand& larger = plan.problem.m > plan.problem.n ? plan.a : plan.b;
  const int row = larger.k_contiguous ? larger.tile_k : larger.tile_across;
  const bool fetches_lines = is_scaled_int8(plan.problem, plan.recipe);  // LTC128B
  const bool halves = plan.recipe.mover == Mover::kCopy && !fetches_lines &&
                      row * larger.element_bytes < kLineBytes;
  return halves ? kHalfLineEfficiency : kDramEfficiency;
}

/// Cycles of a k-tile for the products and the shared memory of the CTAs of an SM, and for what a
/// warp cannot hide behind its own products. `dram`: cycles in which DRAM serves the k-tiles of all
/// CTAs.
double sm_cycles(const KernelPlan& plan, const Wave& wave, double dram, const Target& target) {
  const GemmTile& t = plan.tile;
  const double products = static_cast<double>(t.m) * t.n * t.k * plan.recipe.word_elements /
                          target.macs_per_cycle_per_sm;
  const double shared = shared_bytes_per_k_tile(plan) / kSharedBytesPerCycle;
  const double hand_over = t.sliced_k > 1 ? kSlicedHandOverCycles : kHandOverCycles;
  if (plan.recipe.mover == Mover::kCopy)
    return wave.sharing * (std::max(products, shared) + hand_over);
  // A CTA asks for its next k-tile only when this one lies in shared memory; it takes several CTAs
  // on every SM to keep DRAM busy meanwhile. What fits into L2 an earlier kernel has left there.
  const auto crowd = static_cast<double>(std::max<std::int64_t>(1, wave.resident / target.sms));
  // On T4 measured times speak against it.
  const bool waits = plan.recipe.math == MathKind::kQuadPair && !fits_in_l2(plan, target);
  const double queue = waits ? kStagedQueueShare * dram / crowd : 0;
  const double alone = std::max(products, kStagedIssueShare * products + kLoadLatency + queue);
  // Where a sub-core has several warps, the LDS and STS of one delay the products of another.
  const bool meet = wave.sharing * plan.warps.warps() > target.sub_cores;
  return std::max(
      alone + kStagedHandOverCycles,
      wave.sharing * (meet ? std::hypot(products, shared) : std::max(products, shared)));
}

/// Cycles of a k-tile for gathered elements that are loaded and stored one by one.
double single_move_cycles(const KernelPlan& plan) {
  constexpr int kLeastPair = 4;  // bytes
  double moves = 0;
  for (const Operand* operand : {&plan.a, &plan.b})
    if (operand->gather != nullptr && operand->vector_bytes() < kLeastPair)
      moves += operand->rounds() * plan.warps.warps();
  return moves * kSingleMoveCycles;
}

double wave_cycles(const KernelPlan& plan, const Wave& wave, const Target& target) {
  const GemmTile& t = plan.tile;
  const double loaded = loaded_elements(plan) * plan.a.element_bytes;
  const double dram = dram_bytes_per_k_tile(plan, wave, target) /
                      (target.dram_bytes_per_cycle * dram_efficiency(plan));
  const double memory =
      std::max({wave.sharing * loaded / kSmBytesPerCycle,
                static_cast<double>(wave.resident) * loaded / target.l2_bytes_per_cycle, dram});
  const double step =
      std::max({sm_cycles(plan, wave, dram, target), memory,
                wave.sharing * single_move_cycles(plan), kLoadLatency / (t.stages - 1)});
  const Element stored = t.has_workspace() ? plan.problem.accumulate : plan.problem.output;
  const double adding = t.sliced_k > 1 ? kSlicedEpilogueCycles : 0;
  const double storing =
      t.m * t.n * element_bytes(stored) / (kEpilogueWriteShare * target.sm_write_bytes_per_cycle);
  const double epilogue = wave.sharing * (adding + storing) + kEpilogueCycles;
  // The first k-tile has nothing to hide behind.
  return kFillCycles + memory + static_cast<double>(plan.k_tiles()) * step + epilogue;
}

/// The second launch: its overhead, and every partial sum read once; what half of the L2 does not
/// hold goes to DRAM and comes back.
double reduction_cycles(const KernelPlan& plan, const Target& target) {
  if (!plan.tile.has_workspace()) return 0;
  const GemmProblem& p = plan.problem;
  const int slices = plan.tile.split_k;
  const double sums = static_cast<double>(p.batch * p.m * p.n) * slices;
  const double bytes = sums * element_bytes(p.accumulate);
  const double kept = std::min(bytes, static_cast<double>(target.l2_bytes) / 2);
  return target.launch_cycles + kReductionCycles + kReductionCyclesPerSlice * slices +
         kept / (kReductionL2Share * target.l2_bytes_per_cycle) +
         (bytes - kept) / (target.dram_bytes_per_cycle / 2);
}

}  // namespace

int ctas_per_sm(const KernelPlan& plan, const Target& target) {
  const int warps = plan.warps.warps();
  // Registers are given to warps in units of 8 per thread, out of the file of one sub-core
  // (microarchitecture.md 2.2).
  const int warp_registers = kLanes * ceil_div(plan.registers.total, 8) * 8;
  const int warps_per_sub_core = target.registers_per_sm / target.sub_cores / warp_registers;
  const int by_registers = warps_per_sub_core * target.sub_cores / warps;
  const int by_shared =
      target.shared_bytes_per_sm / (plan.shared_bytes() + target.shared_reserved_per_cta);
  return std::min(
      {by_registers, by_shared, target.max_warps_per_sm / warps, target.max_ctas_per_sm});
}

int ctas_per_sm(const GemmProblem& problem, const GemmTile& tile, const Target& target) {
  return ctas_per_sm(plan_for(problem, tile, target), target);
}

double estimate_cycles(const GemmProblem& problem, const GemmTile& tile, const Target& target) {
  return estimate_cycles(plan_for(problem, tile, target), target);
}

double estimate_cycles(const KernelPlan& plan, const Target& target) {
  const std::int64_t ctas =
      plan.raster.tiles_m() * plan.raster.tiles_n() * plan.problem.batch * plan.tile.split_k;
  const std::int64_t slots = std::int64_t{target.sms} * std::max(1, ctas_per_sm(plan, target));
  const std::int64_t full_waves = ctas / slots;
  const std::int64_t last = ctas % slots;
  const auto share = [&](std::int64_t resident) {
    return static_cast<double>(resident) / static_cast<double>(ctas);
  };
  const double sharing = static_cast<double>(slots) / target.sms;
  double cycles = reduction_cycles(plan, target);
  cycles += kTurnRoundCycles * static_cast<double>(ceil_div(ctas, slots) - 1);
  cycles +=
      static_cast<double>(full_waves) * wave_cycles(plan, {slots, sharing, share(slots)}, target);
  if (last > 0) {
    const auto last_sharing = static_cast<double>(ceil_div<std::int64_t>(last, target.sms));
    cycles += wave_cycles(plan, {last, last_sharing, share(last)}, target);
  }
  return cycles;
}

}  // namespace tcsim::kernels
