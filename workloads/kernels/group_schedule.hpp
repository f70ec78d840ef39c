#pragma once

#include <vector>

#include "workloads/kernels/warpgroup_plan.hpp"

namespace tcsim::kernels::warpgroups {

/// How a kernel over groups of rows finds its tiles, as DeepGEMM's Scheduler does: tiles follow
/// each other in strips of columns, of all rows where the groups are contiguous, of one group after
/// the other where they are masked. A warp reads the group of its row, or how many rows the groups
/// up to its own have, from memory and waits for that before it copies or multiplies anything of
/// the tile. Which numbers are there is known when the kernel is made: addresses and trips of its
/// program are those that follow from them, as with pages (docs/generated-kernels.md).
class GroupSchedule {
 public:
  /// `walk` has one walker. Both outlive this object. Requires problem.is_grouped().
  GroupSchedule(const WarpgroupPlan& shape, const Walk& walk) : shape_(shape), walk_(walk) {}

  /// By GroupUniform.
  [[nodiscard]] std::vector<isa::Expression> uniforms() const;
  /// Reads the schedule of the next tile, inside the loop over tiles. Uses registers 4 to 7.
  void emit(ProgramBuilder& builder) const;

 private:
  /// Strips of columns in the order of tiles, each of one group if they are masked.
  struct Strip {
    std::int64_t first;  ///< number of its first tile
    std::int64_t column;
    std::int64_t group;
  };
  [[nodiscard]] std::vector<Strip> strips() const;
  [[nodiscard]] isa::Expression group() const;
  [[nodiscard]] isa::Expression looks() const;
  void look_up_row(ProgramBuilder& builder) const;
  void walk_to_group(ProgramBuilder& builder) const;

  const WarpgroupPlan& shape_;
  const Walk& walk_;
};

}  // namespace tcsim::kernels::warpgroups
