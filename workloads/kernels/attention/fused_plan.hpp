#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/isa/group_mma.hpp"
#include "workloads/kernels/attention/fused_tile.hpp"
#include "workloads/kernels/attention/shared_panels.hpp"
#include "workloads/kernels/program_builder.hpp"

namespace tcsim::kernels {

/// A number of a CTA: (variable / divisor) % modulus; modulus 0 means no modulo.
struct GridAxis {
  isa::Variable variable = isa::Variable::kCtaX;
  std::uint32_t divisor = 1;
  std::uint32_t modulus = 0;

  /// coefficient * (number / group). Requires group to divide the modulus.
  [[nodiscard]] isa::Term term(std::int64_t coefficient, std::int64_t group = 1) const;
};

/// Strides of a tensor of rows in memory: Q, K and V in units of 16 bits, O in elements.
struct RowStrides {
  std::int64_t batch = 0;
  std::int64_t head = 0;
  std::int64_t row = 0;
};

/// Registers of a thread. Scores and output are FP32 accumulators; the packed probabilities take
/// the first half of the scores.
struct FusedRegisters {
  int output = 0;
  int scores = 0;
  int query = 0;       ///< Q fragments of two k-steps
  int ring = 0;        ///< groups of four registers that K and V fragments pass through
  int bias = 0;        ///< INT8: four registers of kIntegerBias, the first addend of sums
  int products = 0;    ///< INT8: P V of one key block, two groups of 16 columns
  int kept_query = 0;  ///< fragments of Q of all k-steps, where the tile keeps them
  int maximum = 0;     ///< one per row of the thread
  int sum = 0;         ///< one per row of the thread
  int scale = 0;       ///< log2(e) / sqrt(dim)
  int row_scale = 0;   ///< scales by blocks: one per row of the thread
  int factor = 0;      ///< the same times the scale of the keys; for integer sums
  int key_scale = 0;   ///< scale of the block's keys, then of their values
  int page = 0;        ///< paged: the pointer to a key's page, two registers
  int number = 0;      ///< number of the next tile, if CTAs take tiles from a counter
  int staged = 0;      ///< K or V on its way through registers
  int addresses = 0;   ///< AddressWork
  int total = 0;

  [[nodiscard]] int address_count() const {
    return (number > addresses ? number : total) - addresses;
  }
};

/// 1.5 * 2^23 as FP32. Adding an integer below 2^22 in magnitude to these bits gives the bits of
/// the FP32 number 1.5 * 2^23 + the integer.
inline constexpr std::int32_t kIntegerBias = 0x4b400000;
inline constexpr float kIntegerBiasValue = 12582912.0F;
/// Factor by which INT8 probabilities are multiplied.
inline constexpr double kProbabilitySteps = 127;

/// Lower limit for the sums of rows that may see no key. Sums of rows that see a key are at least
/// 1.
inline constexpr double kLeastSum = 1e-30;

/// What the parts of the fused kernel share.
struct FusedPlan {
  AttentionProblem problem;
  FusedTile tile;
  FusedForm form = FusedForm::kAsync;
  isa::Opcode mma = isa::Opcode::kHmma16816F32;
  isa::Opcode pack = isa::Opcode::kF2fp;
  int bytes = 2;         ///< of an element of Q, K and V
  int result_bytes = 2;  ///< of an element of O
  int dim = 64;          ///< padded to the next head size of the menu
  /// Heads of a group that form the rows of one tile: row r is head r % group_rows of query r /
  /// group_rows.
  std::int64_t group_rows = 1;
  std::int64_t rows = 0;      ///< rows of Q as the kernel sees it: group_rows times the queries
  std::int64_t heads = 0;     ///< as the kernel sees them
  std::int64_t kv_group = 1;  ///< heads that share K and V
  RowStrides query;           ///< of Q
  RowStrides key;             ///< of K and V
  RowStrides result;          ///< of O
  GridAxis tile_axis, split_axis, batch_axis, head_axis;
  std::int64_t ctas = 0;  ///< persistent: of the grid
  SharedPanels shared_q, shared_k, shared_v;
  SharedPanels shared_p;  ///< quad pairs: probabilities, in place of K if they fit there
  FusedRegisters registers;

  /// Persistent: number of the tile, counted over all tiles, and of its row block.
  static constexpr isa::Variable kNumber = isa::uniform_variable(0);
  static constexpr isa::Variable kRowBlock = isa::uniform_variable(1);

  static constexpr int kMmaRows = 16;
  static constexpr int kMmaColumns = 8;
  static constexpr int kQuadPairBlock = 16;  ///< rows and columns that a warp computes at once

  [[nodiscard]] int m_tiles() const { return tile.rows / (kMmaRows * tile.warps); }
  [[nodiscard]] int thread_rows() const { return 2 * m_tiles(); }
  [[nodiscard]] int score_tiles() const { return tile.keys / kMmaColumns; }
  [[nodiscard]] int output_tiles() const { return dim / kMmaColumns; }
  [[nodiscard]] int ring_groups() const { return (registers.bias - registers.ring) / 4; }
  [[nodiscard]] bool is_int8() const { return bytes == 1; }
  [[nodiscard]] bool is_tf32() const { return bytes == 4; }
  [[nodiscard]] bool is_staged() const { return form != FusedForm::kAsync; }
  [[nodiscard]] bool has_quad_pairs() const { return form == FusedForm::kQuadPairs; }
  [[nodiscard]] bool stores_over_keys() const { return shared_p.base == shared_k.base; }
  /// CTAs take tiles in reverse order, from the last one.
  [[nodiscard]] bool reverses_tiles() const { return tile.is_persistent && !tile.has_roles; }
  [[nodiscard]] bool is_paged() const { return problem.algorithm == AttentionAlgorithm::kPaged; }
  /// 16-bit units in a row of Q, K or V, padded and as stored.
  [[nodiscard]] int row_halves() const { return dim * bytes / 2; }
  [[nodiscard]] std::int64_t stored_halves() const { return problem.dim * bytes / 2; }
  /// Factor that turns sums of products into scores.
  [[nodiscard]] double score_scale() const;
  /// Accumulator `part` (0, 1: the upper row; 2, 3: the lower one) of an m16n8 tile. For quad
  /// pairs: columns 0..3 (even tiles) or 4..7 (odd tiles) of a block, numerics.md 12.
  [[nodiscard]] int output(int m_tile, int n_tile, int part) const;
  /// Four registers from two neighbouring tiles each, so that they form an A fragment when packed.
  [[nodiscard]] int score(int m_tile, int n_tile, int part) const;
  /// First of the four registers with the probabilities of k-step `step` as an A fragment.
  [[nodiscard]] int probability(int m_tile, int step) const;

  [[nodiscard]] std::int64_t row_blocks() const;
  [[nodiscard]] std::int64_t key_blocks() const;
  /// Places of a CTA's key blocks that may contain masked scores; these are peeled before the loop.
  [[nodiscard]] int masked_blocks() const;
  /// Number of key blocks that a CTA works through. Causal splits take the blocks of a tile in
  /// turn, the same number each, so that the last ones may lie beyond the diagonal.
  [[nodiscard]] isa::Expression block_count() const;
  /// 1 for CTAs with more than `place` key blocks, else 0. Requires place < masked_blocks().
  [[nodiscard]] isa::Expression has_place(int place) const;
  /// Number of the key block that a CTA takes at place `place`, the last block first; in the loop,
  /// of the blocks after the masked ones.
  [[nodiscard]] isa::Expression block(int place, bool in_loop) const;
  /// Row of Q that is a tile's row 0.
  [[nodiscard]] isa::Expression first_row() const;
  /// Query that `row` of Q belongs to.
  [[nodiscard]] isa::Expression query_of(const isa::Expression& row) const;

  /// Row of the CTA's tile for row `row` of the thread: part / 2 of m tile row / 2.
  [[nodiscard]] isa::Expression tile_row(int row) const;
  /// Key of the block that accumulator `part` of score tile `n_tile` belongs to.
  [[nodiscard]] isa::Expression score_key(int n_tile, int part) const;
  /// Column of part 0 of output tile `n_tile`: the sum of these two. Not for INT8.
  [[nodiscard]] int output_column(int n_tile) const;
  [[nodiscard]] isa::Expression lane_column() const;
  /// Number of the lane among the four that hold a row.
  [[nodiscard]] isa::Expression place_in_row() const;
  /// XORs of the lane number that reach the other lanes, one after another.
  [[nodiscard]] std::array<int, 2> row_distances() const;

  /// Offset of the CTA's batch and head, in the units of the strides.
  [[nodiscard]] isa::Expression query_origin() const { return row_tensor_origin(query); }
  [[nodiscard]] isa::Expression result_origin() const { return row_tensor_origin(result); }
  [[nodiscard]] isa::Expression key_origin() const;
  /// Offset of `row` from there.
  [[nodiscard]] isa::Expression row_offset(const RowStrides& strides,
                                           const isa::Expression& row) const;

  /// The same two for a row of partial outputs, in rows, and from there for a row of "LSE".
  [[nodiscard]] isa::Expression row_origin() const;
  [[nodiscard]] isa::Expression log_sum_offset(const isa::Expression& row) const;

  [[nodiscard]] std::array<std::int64_t, 3> grid() const;
  /// Persistent: the number of all tiles, and the numbers that a CTA computes for its current tile.
  [[nodiscard]] std::int64_t tiles() const {
    return heads * tile.splits * row_blocks() * problem.batch;
  }
  [[nodiscard]] std::vector<isa::Expression> uniforms() const;
  [[nodiscard]] std::int64_t blocks_per_split() const;
  /// The smallest block_count() of any CTA.
  [[nodiscard]] std::int64_t shortest_count() const;
  [[nodiscard]] int threads() const { return 32 * tile.warps; }
  /// True if the threads of a row of Q, K or V share the work on its pointer.
  [[nodiscard]] bool shares_pointers() const { return is_paged() || tile.has_roles; }
  /// Threads that copy Q, K and V; with roles, the threads of the producer's warpgroup.
  [[nodiscard]] int copying_threads() const {
    return tile.has_roles ? 32 * isa::kGroupWarps : threads();
  }
  [[nodiscard]] int shared_bytes() const;
  /// Persistent: the number of the next tile, after everything else in shared memory.
  static constexpr int kNumberBytes = 16;
  [[nodiscard]] int number_place() const { return shared_bytes() - kNumberBytes; }

 private:
  [[nodiscard]] isa::Expression row_tensor_origin(const RowStrides& strides) const;
  /// Adds factor * number of the tile, or factor for the last tile.
  void add_tile(isa::Expression& sum, std::int64_t factor) const;
  void add_last_tile(isa::Expression& sum, std::int64_t factor) const;
  /// Value of `expression` for a CTA of tile `tile`, or for the first tile.
  [[nodiscard]] std::int64_t at_tile(const isa::Expression& expression, std::int64_t tile) const;
  [[nodiscard]] isa::Expression causal_count() const;
  /// Key blocks of a tile that none of its rows masks.
  [[nodiscard]] isa::Expression whole_blocks() const;
};

/// Requires a problem that fused_problem(...) accepts, except for reasons that concern its tile.
FusedPlan plan_fused(const AttentionProblem& problem, const FusedTile& tile, const Target& target);

}  // namespace tcsim::kernels
