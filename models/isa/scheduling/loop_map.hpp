#pragma once

#include <vector>

#include "models/isa/program.hpp"

namespace tcsim::isa {

/// Passes over a program repeat until what its loops carry stays the same. From this pass on it may
/// only grow, so that the passes terminate.
inline constexpr int kGrowingPass = 8;

/// Finds the loops of a program by position. The program must not change while the map is in use.
class LoopMap {
 public:
  /// Requires properly nested loops.
  explicit LoopMap(const WarpProgram& program);

  /// Indices of the loops whose first instruction is at `position`, outermost first.
  [[nodiscard]] const std::vector<int>& starting_at(int position) const;
  /// Index of the loop whose BRA is at `position`, or kNoIndex.
  [[nodiscard]] int ending_at(int position) const { return ending_at_[position]; }
  /// Index of the innermost loop that holds both positions, or kNoIndex.
  [[nodiscard]] int common(int position, int other) const;

 private:
  const WarpProgram& program_;
  std::vector<int> ending_at_;
  std::vector<int> innermost_;
  std::vector<int> parent_;               ///< of each loop, kNoIndex: none
  std::vector<std::vector<int>> starts_;  ///< distinct first positions, in order of position
  std::vector<int> start_of_position_;    ///< index into starts_, or kNoIndex
};

}  // namespace tcsim::isa
