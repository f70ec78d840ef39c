#pragma once

#include "workloads/kernels/attention/shared_panels.hpp"

namespace tcsim::kernels {

/// The addresses that an LDSM.x4 reads 16 x 16 elements of `panels` from. Lanes 8i..8i+7 name the
/// rows of matrix i: lane bit `row_bit` (3 or 4) chooses the second eight rows, the other one the
/// second eight columns.
isa::Address matrix_rows(const SharedPanels& panels, isa::Expression first_row, int column,
                         int row_bit);

/// Fragments on their way through registers: group i lies in place i mod `groups`.
class FragmentRing {
 public:
  FragmentRing(int first, int groups) : first_(first), groups_(groups) {}

  [[nodiscard]] int ahead() const { return groups_ - 1; }
  [[nodiscard]] int place(int group) const { return first_ + 4 * (group % groups_); }

 private:
  int first_;
  int groups_;
};

}  // namespace tcsim::kernels
