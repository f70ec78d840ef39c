#pragma once

#include <array>

#include "workloads/kernels/program_builder.hpp"

namespace tcsim::kernels {

/// The rows of a thread in a step of the on-line softmax, whatever holds the scores: registers of
/// which each row has one, those of the others behind it.
struct SoftmaxRows {
  int rows;
  int maximum;
  int previous;  ///< the maximum before; may be `factor`
  int negative;  ///< -scale * the maximum
  int factor;    ///< what the output and the sums so far are multiplied by
  int sum;
  int shuffled;  ///< of other lanes
  int scale;     ///< one register for all rows
  /// XORs of the lane number that reach the other lanes of a row, one behind the other.
  std::array<int, 2> distances;

  [[nodiscard]] Instructions keep_previous() const;
  /// Exchanges between the four lanes of a row until all hold the sum (or the maximum) of the
  /// registers from `first` on.
  [[nodiscard]] Instructions reduce(isa::Opcode opcode, int first) const;
  /// Maxima of rows without visible keys become a number so low that exp2 of any difference is 0,
  /// but finite, so that differences are numbers, and a power of two, so that its product with the
  /// scale is exact and cancels where the next block has no visible keys either.
  [[nodiscard]] Instructions bound_maxima() const;
  /// factor = exp2(scale * (the maximum before - the maximum)); the sums times that.
  [[nodiscard]] Instructions rescale_sums() const;
};

}  // namespace tcsim::kernels
