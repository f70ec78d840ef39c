#pragma once

#include <cstdint>
#include <memory>

#include "models/isa/expression.hpp"
#include "models/isa/program.hpp"
#include "workloads/kernels/expression_math.hpp"
#include "workloads/kernels/gather.hpp"
#include "workloads/kernels/raster.hpp"

namespace tcsim::kernels {

/// A k-tile: number `index`, or the one that is `index` ahead of the main loop's counter.
struct KTile {
  bool in_loop = false;
  int index = 0;
};

inline constexpr int kChunkBytes = 16;  ///< one LDSM row, one 128-bit access

/// One operand's k-tiles in shared memory: `stages` buffers, each a matrix whose rows run along k
/// or across it.
struct SharedTile {
  bool k_contiguous = true;  ///< rows run along k
  int element_bytes = 2;
  int pitch_bytes = 64;  ///< from row to row
  isa::Swizzle swizzle;
  int base = 0;  ///< byte offset of stage 0
  int stage_bytes = 0;
  int stages = 2;

  /// Where element (across, k) of the k-tile is stored. Both count elements inside the tile.
  [[nodiscard]] isa::Address at(const isa::Expression& across, const isa::Expression& k,
                                KTile tile) const;
};

/// One operand (A: across = m, B: across = n) of a CTA.
struct Operand {
  int buffer = 0;
  bool is_a = true;
  bool k_contiguous = true;  ///< in global memory
  int element_bytes = 2;
  int vector_elements = 8;  ///< moved by one lane at once, along the contiguous direction
  int tile_across = 128;
  int tile_k = 32;
  /// Consecutive k-tiles that read the same row along k; more than one with tile_k 1.
  std::int64_t k_tiles_per_row = 1;
  std::int64_t total_across = 0;
  std::int64_t total_k = 0;
  SharedTile shared;
  ThreadDeal deal;
  /// Rows of k in memory whose elements are combined in one element of the k-tile: bytes that DP4A
  /// multiplies as a word but that lie across k. `element_bytes` and `total_k` count words.
  int interleave = 1;
  std::shared_ptr<const Gather> gather;  ///< set if the operand is not stored as a matrix

  [[nodiscard]] int vector_bytes() const { return vector_elements * element_bytes; }
  /// Bytes of a row in memory.
  [[nodiscard]] std::int64_t row_bytes() const {
    return (k_contiguous ? total_k : total_across) * element_bytes / interleave;
  }
  [[nodiscard]] int vectors() const { return tile_across * tile_k / vector_elements; }
  /// Bytes of a k-tile in shared memory.
  [[nodiscard]] int tile_bytes() const { return tile_across * tile_k * element_bytes; }
  /// Vectors that one thread moves per k-tile.
  [[nodiscard]] int rounds() const;
  /// True if the last k-tile is not full.
  [[nodiscard]] bool has_k_tail() const { return total_k % tile_k != 0; }
  /// True if k-tiles that are multiplied may hold elements that do not exist.
  [[nodiscard]] bool needs_zeros() const { return gather != nullptr || has_k_tail(); }
  /// Elements that a batch of the operand has in memory.
  [[nodiscard]] std::int64_t stored_elements() const {
    return gather ? gather->elements() : total_across * total_k;
  }

  /// What one thread moves in round `round` of a k-tile.
  struct Move {
    isa::Address global;
    isa::Address shared;
    isa::Guard has_vector;  ///< the thread has a vector in this round
    isa::Guard inside;      ///< the vector lies inside the matrix

    /// Both conditions.
    [[nodiscard]] isa::Guard guard() const;
  };
  [[nodiscard]] Move move(const Raster& raster, int round, KTile tile) const;

 private:
  /// Adds the row along k at which k-tile number `k_tile`, counted over all slices, begins.
  void add_first_k(isa::Expression& sum, const isa::Expression& k_tile) const;
  /// `absolute_across` and `k` are inside k-tile number `k_tile`, counted over all slices.
  void place_in_matrix(const isa::Expression& absolute_across, const isa::Expression& k,
                       const isa::Expression& k_tile, Move& move) const;
  void bound_k(const Raster& raster, const isa::Expression& k, const isa::Expression& k_tile,
               KTile tile, Move& move) const;
};

/// The widest vector, at most 16 bytes, that divides rows of `contiguous` elements.
int widest_vector(std::int64_t contiguous, int element_bytes);

/// The swizzle that spreads eight 16-byte chunks of one column of chunks over all shared-memory
/// banks, for rows of `pitch_bytes` (a power of two, at least 32).
isa::Swizzle chunk_swizzle(int pitch_bytes);

/// The same for rows of 32-bit words across k: the lanes of a warp read eight neighbouring words in
/// each of four rows at once.
isa::Swizzle word_swizzle(int pitch_bytes);

}  // namespace tcsim::kernels
