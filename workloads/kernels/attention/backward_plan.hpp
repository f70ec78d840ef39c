#pragma once

#include <array>
#include <cstdint>

#include "workloads/kernels/attention/attention.hpp"
#include "workloads/kernels/attention/shared_panels.hpp"
#include "workloads/kernels/program_builder.hpp"

namespace tcsim::kernels {

/// Which gradients a backward kernel computes. Each kernel recomputes the probabilities, so that no
/// sums cross CTAs and no atomics are needed: seven products instead of the five in
/// FlashAttention-2's single kernel.
enum class BackwardSide : std::uint8_t {
  kQueries,  ///< dQ: a CTA keeps 64 rows of Q and dO, and walks through K and V
  kKeys,     ///< dK and dV: a CTA keeps 64 rows of K and V, and walks through Q and dO of all
             ///< heads that share them
};

/// Buffers of a backward kernel, in this order; the kernel for queries has no second gradient.
enum BackwardBuffer {
  kKeptFirst,       ///< Q, or K
  kKeptSecond,      ///< dO, or V
  kMovingFirst,     ///< K, or Q
  kMovingSecond,    ///< V, or dO
  kRowLogSums,      ///< LSE
  kRowDeltas,       ///< sum of O * dO over a row
  kFirstGradient,   ///< dQ, or dK
  kSecondGradient,  ///< dV
};

/// Registers of a thread; sums are FP32 accumulators of 16 rows per warp.
struct BackwardRegisters {
  int first_gradient = 0;   ///< dQ, or dK
  int second_gradient = 0;  ///< dV; none for queries
  int scores = 0;           ///< scores, then probabilities
  int products = 0;         ///< dO V^T, then the gradient of the scores
  int log_sums = 0;         ///< -LSE log2(e) of each row of Q that the thread meets
  int deltas = 0;           ///< minus delta of the same rows
  int kept = 0;             ///< two k-steps of fragments of the kept rows
  int ring = 0;             ///< groups of four registers that moving fragments pass through
  int scale = 0;            ///< log2(e) / sqrt(dim)
  int addresses = 0;        ///< AddressWork
  int total = 0;

  [[nodiscard]] int address_count() const { return total - addresses; }
};

/// What the parts of a backward kernel share. Blocks of moving rows have places from 0 on. Blocks
/// with masked scores come first, and the heads of a group take turns.
struct BackwardPlan {
  static constexpr int kKeptRows = 64;
  static constexpr int kWarps = 4;
  static constexpr int kThreads = 32 * kWarps;
  static constexpr int kMmaRows = 16;
  static constexpr int kMmaColumns = 8;
  static constexpr int kStages = 2;  ///< of moving blocks in shared memory

  AttentionProblem problem;
  BackwardSide side = BackwardSide::kQueries;
  isa::Opcode mma = isa::Opcode::kHmma16816F32;
  isa::Opcode pack = isa::Opcode::kF2fp;
  int dim = 64;          ///< padded to a multiple of 32
  int moving_rows = 64;  ///< of a block
  SharedPanels kept_first, kept_second;
  SharedPanels moving_first, moving_second;  ///< of stage 0
  BackwardRegisters registers;

  [[nodiscard]] bool is_for_keys() const { return side == BackwardSide::kKeys; }
  [[nodiscard]] std::int64_t kept_total() const {
    return is_for_keys() ? problem.keys : problem.queries;
  }
  [[nodiscard]] std::int64_t moving_total() const {
    return is_for_keys() ? problem.queries : problem.keys;
  }
  /// Heads of Q that share one of K and V, and how many of them a CTA walks through.
  [[nodiscard]] std::int64_t group() const { return problem.heads / problem.kv_heads; }
  [[nodiscard]] std::int64_t turns() const { return is_for_keys() ? group() : 1; }
  [[nodiscard]] int score_tiles() const { return moving_rows / kMmaColumns; }
  [[nodiscard]] int gradient_tiles() const { return dim / kMmaColumns; }
  /// Register of part 0 ... 3 (0, 1: row g; 2, 3: row g + 8) of an m16n8 tile of sums.
  [[nodiscard]] static int part_of(int first, int tile, int part) {
    return first + 4 * tile + part;
  }

  [[nodiscard]] std::int64_t kept_blocks() const;
  /// Number of moving blocks that a CTA works through.
  [[nodiscard]] isa::Expression block_count() const;
  /// Number of these blocks, the first ones, whose scores are masked.
  [[nodiscard]] int masked_blocks() const;
  /// Number of the block at place `place`; in the loop, at `place` + the iteration.
  [[nodiscard]] isa::Expression block(int place, bool in_loop) const;
  /// Bytes from stage 0 to the stage of that block.
  [[nodiscard]] isa::Expression stage_offset(int place, bool in_loop) const;
  /// Kept row that is the CTA's row 0.
  [[nodiscard]] isa::Expression first_row() const;
  /// Element offset of the CTA's batch and head in the kept tensors; in the moving tensors, of the
  /// head whose block has that place.
  [[nodiscard]] isa::Expression kept_origin() const;
  [[nodiscard]] isa::Expression moving_origin(int place, bool in_loop) const;
  /// The same in LSE and delta, in rows.
  [[nodiscard]] isa::Expression row_origin(int place, bool in_loop) const;
  /// From one row of a tensor to the next, in elements.
  [[nodiscard]] std::int64_t kept_stride() const { return problem.dim * kept_heads(); }
  [[nodiscard]] std::int64_t moving_stride() const {
    return problem.dim * (is_for_keys() ? problem.heads : problem.kv_heads);
  }

  [[nodiscard]] std::array<std::int64_t, 3> grid() const;
  [[nodiscard]] int shared_bytes() const;

 private:
  [[nodiscard]] std::int64_t kept_heads() const {
    return is_for_keys() ? problem.kv_heads : problem.heads;
  }
  /// Adds weight * number of the head of Q whose block has that place.
  void add_query_head(isa::Expression& sum, std::int64_t weight, int place, bool in_loop) const;
};

/// Requires backward_problem(...) to be empty.
BackwardPlan plan_backward(const AttentionProblem& problem, BackwardSide side);

}  // namespace tcsim::kernels
