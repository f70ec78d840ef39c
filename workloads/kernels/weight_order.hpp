#pragma once

#include <cstdint>

#include "workloads/kernels/gemm.hpp"

namespace tcsim::kernels {

/// Where the integers and the scales of a B with PackedWeights are stored. They are shuffled before
/// the kernel runs, so that the data that a lane's HMMAs need are adjacent, as in the kernels of
/// Marlin (Frantar et al., arXiv 2408.11743) and of TensorRT-LLM (fpA_intB).
///
/// Buffer "B": [k / 16][n / 32] blocks of 16 of k by 32 columns, with 2 x bits bytes for each lane,
/// lane after lane. A word holds a lane's integers of 16 columns (INT4) or of 8 (INT8), in the
/// order in which LOP3 and PRMT make registers of them. Integers are stored unsigned, with 8 or 128
/// added.
///
/// Buffer "scale_b": [k / group][n]; of 32 columns, those of lane 4 g + q, 8 j + g, are adjacent.
///
/// k and n are padded to whole blocks with zeros.
class WeightOrder {
 public:
  static constexpr int kBlockK = 16;
  static constexpr int kBlockColumns = 32;

  /// Requires problem.weights.
  explicit WeightOrder(const GemmProblem& problem);

  [[nodiscard]] int bits() const { return bits_; }
  [[nodiscard]] int lane_bytes() const { return 2 * bits_; }
  /// Bytes of a column for kBlockK elements along k; a block has as many lanes as columns.
  [[nodiscard]] int bytes_of_column() const { return lane_bytes(); }
  /// The value added to an integer.
  [[nodiscard]] int bias() const { return 1 << (bits_ - 1); }

  /// Blocks along k.
  [[nodiscard]] std::int64_t steps() const { return steps_; }
  [[nodiscard]] std::int64_t padded_columns() const { return padded_columns_; }
  /// Bytes of one step.
  [[nodiscard]] std::int64_t row_bytes() const { return padded_columns_ * bytes_of_column(); }
  [[nodiscard]] std::int64_t bytes_of_batch() const { return steps_ * row_bytes(); }

  /// Elements along k per scale: a power of two, at least kBlockK. With one scale per column, a
  /// power of two of at least k.
  [[nodiscard]] std::int64_t group() const { return group_; }
  [[nodiscard]] std::int64_t groups() const { return groups_; }
  [[nodiscard]] std::int64_t scales_of_batch() const { return groups_ * padded_columns_; }

  /// Number of the integer for element (k, column) of B inside a batch, counted from the low bits
  /// of the buffer.
  [[nodiscard]] std::int64_t integer(std::int64_t k, std::int64_t column) const;
  /// Number of the scale for element (k, column) of B inside a batch.
  [[nodiscard]] std::int64_t scale(std::int64_t k, std::int64_t column) const;

 private:
  int bits_;
  std::int64_t group_;
  std::int64_t groups_;
  std::int64_t steps_;
  std::int64_t padded_columns_;
};

}  // namespace tcsim::kernels
