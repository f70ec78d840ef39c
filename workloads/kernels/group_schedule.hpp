#pragma once

#include <vector>

#include "workloads/kernels/warpgroup_plan.hpp"

namespace tcsim::kernels::warpgroups {

/// How a kernel over groups of rows finds its tiles, as DeepGEMM's Scheduler does. Tiles follow
/// each other in strips of columns: over all rows if the groups are contiguous, over one group
/// after another if they are masked. A warp reads from memory the group of its row, or the number
/// of rows of each group up to its own. It waits for that number before it copies or multiplies
/// anything of the tile. The numbers are known when the kernel is made, so the program's addresses
/// and iteration counts already follow from them, as with pages (docs/generated-kernels.md).
class GroupSchedule {
 public:
  /// `walk` has one walker. Both arguments outlive this object. Requires problem.is_grouped().
  GroupSchedule(const WarpgroupPlan& shape, const Walk& walk) : shape_(shape), walk_(walk) {}

  /// Indexed by GroupUniform.
  [[nodiscard]] std::vector<isa::Expression> uniforms() const;
  /// Reads the schedule of the next tile, inside the loop over tiles. Uses registers 4 to 7.
  void emit(ProgramBuilder& builder) const;

 private:
  /// Strips of columns in the order of tiles; each belongs to one group if groups are masked.
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
