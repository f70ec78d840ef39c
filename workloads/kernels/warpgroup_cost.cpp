#include "workloads/kernels/warpgroup_cost.hpp"

#include <algorithm>

#include "workloads/kernels/cost_model.hpp"
#include "workloads/kernels/warpgroup_plan.hpp"

namespace tcsim::kernels {
namespace {

using warpgroups::WarpgroupPlan;

/// One round.
class Round {
 public:
  Round(const WarpgroupPlan& shape, const PersistentCosts& costs, const Target& target,
        std::int64_t resident, bool is_last)
      : shape_(shape),
        costs_(costs),
        target_(target),
        resident_(static_cast<double>(resident)),
        is_last_(is_last) {}

  [[nodiscard]] WaveCosts waves() const {
    const auto k_tiles = static_cast<double>(shape_.k_tiles);
    const double sm = std::max(tensor(), shared());
    const double memory = memory_cycles();
    const double waiting = costs_.load_latency_cycles / (shape_.tile.stages - 1);
    const double step = std::max({sm, memory, waiting});
    const double storing = epilogue();
    // Stores that overlap other products cost nothing; k-tiles are copied in the meantime, too.
    const double busy = k_tiles * std::max(sm, waiting) + costs_.tile_cycles + storing;
    const double loop = std::max(
        k_tiles * step, (shape_.is_ping_pong() ? busy / shape_.consumers() : busy) - storing);
    const bool is_hidden = shape_.is_ping_pong() && !is_last_;
    return {.fill = 0,
            .main_loop = loop,
            .epilogue = is_hidden ? 0 : storing,
            .k_tile = step,
            .k_tile_sm = sm,
            .k_tile_memory = memory};
  }
  [[nodiscard]] double memory_cycles() const {
    const GemmTile& tile = shape_.tile;
    return std::max(
        {loaded_bytes(tile.cluster_m, tile.cluster_n) / kSmBytesPerCycle,
         resident_ * loaded_bytes(1, 1) / (costs_.l2_share * target_.l2_bytes_per_cycle),
         dram_bytes() / (costs_.dram_efficiency * target_.dram_bytes_per_cycle)});
  }

 private:
  [[nodiscard]] static double real(std::int64_t number) { return static_cast<double>(number); }

  /// Operand bytes of one product in shared memory.
  [[nodiscard]] double operand_bytes() const {
    const int rows_of_a = shape_.a_in_registers() ? 0 : isa::kGroupRows;
    return isa::kGroupRowBytes * (rows_of_a + shape_.width() * shape_.boxes_of_b());
  }
  [[nodiscard]] int products() const {
    const int consumers = shape_.is_ping_pong() ? 1 : shape_.consumers();
    return consumers * shape_.steps() * shape_.blocks() * shape_.parts();
  }
  [[nodiscard]] double tensor() const {
    const double macs = static_cast<double>(isa::kGroupRows) * shape_.width() *
                        isa::kGroupRowBytes * shape_.boxes_of_b() / shape_.bytes();
    const double one = std::max(macs / target_.macs_per_cycle_per_sm,
                                operand_bytes() / target_.shared_bytes_per_cycle);
    return products() * (one + costs_.product_cycles) + costs_.k_tile_cycles;
  }
  /// Cycles of the shared memory port: copies and operands of products. Loads of A take two
  /// wavefronts.
  [[nodiscard]] double shared() const {
    const int loaded = shape_.a_in_registers() ? 2 * shape_.a_bytes() : 0;
    return (shape_.stage_bytes() + loaded + products() * operand_bytes()) /
           target_.shared_bytes_per_cycle;
  }
  /// The boxes of all consumers of a tile are stored one after another.
  [[nodiscard]] double epilogue() const {
    const double bytes = static_cast<double>(shape_.tile.m) * shape_.tile.n * shape_.output_bytes();
    return costs_.epilogue_cycles + std::max(bytes / warpgroups::kStoreBytes * costs_.box_cycles,
                                             bytes / target_.sm_write_bytes_per_cycle);
  }

  /// Average bytes of A and B inside the matrices per k-tile, for a cluster with that many CTAs
  /// along m and n that divide them.
  [[nodiscard]] double loaded_bytes(int ctas_m, int ctas_n) const {
    const GemmProblem& p = shape_.problem;
    return depth() * (stored() * real(p.multiplied_rows()) / real(shape_.rows * ctas_m) +
                      real(p.n) / real(shape_.tiles_n * ctas_n));
  }
  /// Number of contiguous groups of rows that so many rows of tiles belong to.
  [[nodiscard]] double groups_of(double row_tiles) const {
    const RowGroups& groups = shape_.problem.groups;
    if (groups.count() == 0 || groups.is_masked()) return 1;
    return std::max(1.0, row_tiles * real(groups.count()) / real(shape_.rows));
  }
  /// DRAM bytes per k-tile of all clusters: the distinct rows and columns of the round, or its
  /// share of operands that stay in L2.
  [[nodiscard]] double dram_bytes() const {
    const GemmProblem& p = shape_.problem;
    // Rows of tiles of one matrix; masked groups have different matrices.
    const double row_tiles = std::max(1.0, real(shape_.rows) / real(p.batch));
    const double tiles = row_tiles * real(shape_.tiles_n);
    const double layers = std::max(1.0, resident_ / tiles);
    const double in_layer = std::min(resident_, tiles);
    const double columns = std::min(real(shape_.strip), in_layer);
    const double rows = std::clamp(in_layer / columns, 1.0, row_tiles);
    const double strips = std::max(1.0, in_layer / (rows * columns));
    const double tile_rows = shape_.tile.m * shape_.tile.cluster_m;
    const double tile_columns = shape_.tile.n * shape_.tile.cluster_n;
    const double of_rows = real(p.multiplied_rows()) / real(p.batch);
    const double distinct =
        layers * depth() *
        (distinct_share() * std::min(rows * tile_rows, of_rows) +
         groups_of(rows) * std::min(strips * columns * tile_columns, real(p.n)));
    const double operands =
        (distinct_share() * real(p.multiplied_rows()) + real(p.matrices_b() * p.n)) * real(p.k) *
        shape_.bytes();
    if (operands > real(target_.l2_bytes)) return distinct;
    const double share = resident_ / real(shape_.tiles);
    return std::min(distinct, operands * share / real(shape_.k_tiles));
  }
  /// Share of A's elements that is stored.
  [[nodiscard]] double stored() const { return shape_.problem.sparse ? 0.5 : 1; }
  /// Share of A's elements that are stored and do not also appear under another tap.
  [[nodiscard]] double distinct_share() const {
    const GemmProblem& p = shape_.problem;
    return p.images ? std::min(1.0, real(p.images->elements()) / (real(p.m) * real(p.k)))
                    : stored();
  }
  /// Average bytes of a k-tile along k.
  [[nodiscard]] double depth() const {
    const double k_tiles = real(shape_.k_tiles) * shape_.tile.split_k;
    return real(shape_.problem.k) / k_tiles * shape_.bytes();
  }

  const WarpgroupPlan& shape_;
  const PersistentCosts& costs_;
  const Target& target_;
  const double resident_;
  const bool is_last_;
};

}  // namespace

CostTerms estimate_warp_specialised(const GemmProblem& problem, const GemmTile& tile,
                                    const KernelFamily& family, const Target& target) {
  const WarpgroupPlan shape = warpgroups::warpgroup_plan(problem, tile, target);
  const PersistentCosts& costs = *family.persistent;
  CostTerms terms{.ctas = shape.tiles,
                  .slots = shape.grid,
                  .full_waves = ceil_div(shape.tiles, shape.grid) - 1};
  const Round full(shape, costs, target, shape.grid, /*is_last=*/false);
  const std::int64_t rest = shape.tiles - terms.full_waves * shape.grid;
  if (terms.full_waves > 0) terms.full = full.waves();
  terms.last = Round(shape, costs, target, rest, /*is_last=*/true).waves();
  terms.start = costs.fill_cycles + full.memory_cycles();
  terms.reduction = reduction_cycles(problem, tile, family.costs, target);
  return terms;
}

}  // namespace tcsim::kernels
