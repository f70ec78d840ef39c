#pragma once

#include <cstdint>

#include "workloads/kernels/gemm.hpp"

namespace tcsim::kernels {

/// Where the metadata of a 2:4 sparse A are stored in buffer "E": in the order in which one LDSM
/// brings each lane the metadata that its HMMA.SP or IMMA.SP needs (numerics.md 11). Blocks of 128
/// bytes hold `rows()` rows over the k of one instruction and are stored [batch][step of k][group
/// of rows]. They are padded to whole CTA tiles, because every nibble that an instruction sees must
/// be legal. Warpgroup kernels find the words for their lanes in the same blocks, which then hold
/// the 16 rows of a warp over 16 chunks of k: those of two steps, or of one.
class MetadataOrder {
 public:
  MetadataOrder(const GemmProblem& problem, const GemmTile& tile);

  /// Elements of A's row that one nibble describes, and how many of them are kept.
  static int chunk_elements(Element input) { return input == Element::kTf32 ? 2 : 4; }
  static int kept_elements(Element input) { return chunk_elements(input) / 2; }
  /// For warpgroup kernels: chunks of k whose metadata one register of each lane holds.
  static constexpr int kChunksOfWord = 16;
  /// k of one sparse instruction; a product's k is a multiple of it. 0: no sparse instruction.
  static int step_k(Element input);

  static constexpr int kBlockBytes = 128;
  [[nodiscard]] int rows() const { return rows_; }
  /// Bytes in a block for one row of A.
  [[nodiscard]] int row_bytes() const { return kBlockBytes / rows_; }
  [[nodiscard]] std::int64_t padded_rows() const { return padded_rows_; }
  /// Blocks along k: one for each step; for warpgroup kernels one for each kChunksOfWord chunks.
  [[nodiscard]] std::int64_t steps() const { return steps_; }
  [[nodiscard]] std::int64_t bytes_of_batch() const { return steps_ * padded_rows_ * row_bytes(); }

  /// Number of the nibble (low half of a byte first) of chunk `chunk` of row `row` inside a batch.
  /// Requires row < padded_rows() and a chunk inside the row's steps().
  [[nodiscard]] std::int64_t nibble(std::int64_t row, std::int64_t chunk) const;

 private:
  int chunks_of_step_;  ///< chunks of one instruction, and of a block
  int chunks_of_block_;
  int rows_;
  std::int64_t padded_rows_;
  std::int64_t steps_;
};

}  // namespace tcsim::kernels
