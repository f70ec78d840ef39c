#pragma once

#include <array>

#include "workloads/kernels/program_builder.hpp"

namespace tcsim::kernels {

/// The rows of a thread in a step of the on-line softmax, independent of what holds the scores.
/// Each row has one register of each kind; the registers of all rows are consecutive.
struct SoftmaxRows {
  int rows;
  int maximum;
  int previous;  ///< the previous maximum; may be `factor`
  int negative;  ///< -scale * the maximum
  int factor;    ///< factor for the output and the sums so far
  int sum;
  int shuffled;  ///< of other lanes
  int scale;     ///< one register for all rows
  /// XORs of the lane number that reach the other lanes of a row, one after another.
  std::array<int, 2> distances;

  [[nodiscard]] Instructions keep_previous() const;
  /// Exchanges between the four lanes of a row until all hold the sum (or the maximum) of the
  /// registers from `first` on.
  [[nodiscard]] Instructions reduce(isa::Opcode opcode, int first) const;
  /// Sets the maxima of rows without visible keys to a number so low that exp2 of any difference is
  /// 0. It is finite, so that differences are numbers. It is a power of two, so that its product
  /// with the scale is exact and cancels if the next block has no visible keys either.
  [[nodiscard]] Instructions bound_maxima() const;
  /// factor = exp2(scale * (previous maximum - maximum)); multiplies the sums by it.
  [[nodiscard]] Instructions rescale_sums() const;
};

/// Makes the score in register `score` minus infinity in lanes where `slack` is negative. The
/// caller emits the ISETP that compares.
isa::Instruction hide_score(ProgramBuilder& builder, int score, const isa::Expression& slack);

}  // namespace tcsim::kernels
