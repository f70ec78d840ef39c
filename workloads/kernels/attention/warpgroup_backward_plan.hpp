#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "workloads/kernels/attention/attention.hpp"
#include "workloads/kernels/attention/sum_tile.hpp"
#include "workloads/kernels/warpgroup_plan.hpp"

namespace tcsim::kernels {

/// Registers of a consumer's thread. Scores are transposed: accumulators of 64 keys by the queries
/// of a block. Number 4j + i is in column 8j + 2 (lane mod 4) + i mod 2 of row lane / 4 + 8 (i / 2)
/// of the warp's sixteen.
struct WarpgroupBackwardRegisters {
  int key_gradient = 0;    ///< 64 keys by dim
  int value_gradient = 0;  ///< 64 keys by dim
  int scores = 0;          ///< scores, then P; then packed P, followed by packed dS
  int products = 0;        ///< V dO^T, then dS; then the block's contribution to dQ
  int statistics = 0;      ///< LSE, then delta, of some or all of the thread's queries
  int shuffled = 0;        ///< those of other lanes
  int scale = 0;           ///< log2(e) / sqrt(dim)
  int addresses = 0;       ///< AddressWork
  int total = 0;
};

/// What the launches of FlashAttention-3's backward pass share. A CTA has 128 keys of a head of Q,
/// 64 for each of two consumers. It walks through the queries that see them, a block of
/// `query_tile.rows` in each step. Tiles by head size: flash_bwd_launch_template.h of
/// FlashAttention, hopper.
struct WarpgroupBackwardPlan {
  static constexpr int kKeyRows = 128;  ///< of a CTA
  static constexpr int kConsumers = SumTile::kGroups;
  static constexpr int kStages = 2;  ///< of Q, dO, dS and statistics
  static constexpr int kElementBytes = 2;
  static constexpr int kSingleBytes = 4;
  static constexpr isa::Variable kStepLoop = isa::Variable::kLoop0;

  /// Buffers of the main launch. The first ones have tensor maps of the same numbers; the others
  /// are copied in rows of bytes. So are gradients of keys and values that several heads share,
  /// which are FP32 sums in the layout of key_tile.
  enum Buffer : int {
    kQuery,
    kOutputGradient,
    kKey,
    kValue,
    kKeyGradient,
    kValueGradient,
    kLogSum,     ///< -LSE log2(e), FP32, minus infinity beyond the last query
    kDelta,      ///< minus the sum of O dO, FP32, 0 beyond the last query
    kQuerySums,  ///< dQ without its scale, in the layout of query_tile
  };

  AttentionProblem problem;
  int dim = 64;  ///< padded to a tile's
  SumTile query_tile;
  SumTile key_tile;
  std::int64_t heads_together = 1;  ///< causal: heads whose CTAs take turns
  isa::Opcode score_product{};      ///< of keys by queries, both from shared memory
  isa::Opcode key_product{};        ///< of keys by dim, A from registers
  isa::Opcode query_product{};      ///< of query_tile, both from shared memory
  WarpgroupBackwardRegisters registers;

  [[nodiscard]] int rows() const { return query_tile.rows; }  ///< queries of a block
  [[nodiscard]] std::int64_t query_blocks() const {
    return ceil_div<std::int64_t>(problem.queries, rows());
  }
  [[nodiscard]] std::int64_t padded_queries() const { return query_blocks() * rows(); }
  [[nodiscard]] std::int64_t key_blocks() const {
    return ceil_div<std::int64_t>(problem.keys, kKeyRows);
  }
  [[nodiscard]] std::int64_t group() const { return problem.heads / problem.kv_heads; }
  /// True if gradients of keys are summed over the CTAs of a group of heads.
  [[nodiscard]] bool sums_key_gradients() const { return group() > 1; }
  /// True if blocks with the diagonal have a separate loop (SeparateMaskingIterations).
  [[nodiscard]] bool separates_masks() const { return problem.causal && dim <= 64; }
  [[nodiscard]] bool has_ragged_keys() const { return problem.keys % kKeyRows != 0; }
  /// True if a thread has the statistics of every eighth of its queries and gets the others from
  /// the lanes that have them (ShuffleLSE).
  [[nodiscard]] bool shuffles_statistics() const { return dim <= 64; }
  /// Pairs of neighbouring statistics that the thread holds at once for its queries.
  [[nodiscard]] int statistic_pairs() const;

  /// hopper.md 5, two consumers; flash_bwd_kernel_sm90.h: 24 and 240.
  static constexpr warpgroups::RegisterBudget kRegisters{168, 24, 240};

  // What the CTA works on. Causal: uniforms of the programs.
  static constexpr isa::Variable kKeyBlock = isa::uniform_variable(0);
  static constexpr isa::Variable kHead = isa::uniform_variable(1);        ///< over all batches
  static constexpr isa::Variable kFirstBlock = isa::uniform_variable(2);  ///< of queries
  static constexpr isa::Variable kSteps = isa::uniform_variable(3);
  static constexpr isa::Variable kMasked = isa::uniform_variable(4);  ///< steps
  [[nodiscard]] std::vector<isa::Expression> uniforms() const;
  [[nodiscard]] std::array<std::int64_t, 3> grid() const;
  /// factor * (number of the block of keys).
  [[nodiscard]] isa::Term key_block(std::int64_t factor) const;
  /// factor * (number of the head of Q divided by `shared`, over all batches).
  [[nodiscard]] std::vector<isa::Term> head(std::int64_t factor, std::int64_t shared) const;
  /// Coordinates of panel `panel` of the rows from `row` on, for the head of Q (the tensor has one
  /// head for each `shared_heads` of them), or for the rows of keys.
  [[nodiscard]] std::vector<isa::Expression> panel_of(int panel, const isa::Expression& row,
                                                      std::int64_t shared_heads) const;
  [[nodiscard]] std::vector<isa::Expression> key_panel(int panel, std::int64_t shared_heads) const {
    return panel_of(panel, {0, {key_block(kKeyRows)}}, shared_heads);
  }
  /// Steps of the CTA; number of the block of queries in step `step`.
  [[nodiscard]] isa::Expression steps() const;
  [[nodiscard]] isa::Expression query_block(const isa::Expression& step) const;

  // Shared memory: mbarriers, K, V, sums of dQ, stages of Q, dO and dS, statistics.
  enum Barrier : int {
    kKeysFull,
    kQueryFull,
    kQueryEmpty = kQueryFull + kStages,
    kGradientFull = kQueryEmpty + kStages,
    kGradientEmpty = kGradientFull + kStages,
    kScoresStored = kGradientEmpty + kStages,  ///< dS of both consumers
    kSumsStored,                               ///< one per consumer
    kSumsTaken = kSumsStored + kConsumers,     ///< one per consumer
    kGroupMeets = kSumsTaken + kConsumers,     ///< one per consumer, at the end
    kAllMeet = kGroupMeets + kConsumers,       ///< both consumers, at the end
    kBarrierCount
  };
  [[nodiscard]] static int barrier(int number) { return isa::kBarrierBytes * number; }
  [[nodiscard]] int panels() const { return dim * kElementBytes / warpgroups::kRowBytes; }
  [[nodiscard]] static constexpr int key_panel_bytes() { return kKeyRows * warpgroups::kRowBytes; }
  [[nodiscard]] int query_panel_bytes() const { return rows() * warpgroups::kRowBytes; }
  [[nodiscard]] int key_bytes() const { return panels() * key_panel_bytes(); }
  [[nodiscard]] int query_bytes() const { return panels() * query_panel_bytes(); }  ///< of a stage
  /// Panels of 64 keys, one for each consumer.
  [[nodiscard]] int score_bytes() const { return kConsumers * query_panel_bytes(); }
  /// Boxes of statistics begin at multiples of 256 bytes.
  [[nodiscard]] int statistic_bytes() const { return align_up(rows(), 64) * kSingleBytes; }
  [[nodiscard]] static int keys() { return warpgroups::kPatternBytes; }
  [[nodiscard]] int values() const { return keys() + key_bytes(); }
  [[nodiscard]] int query_sums() const { return values() + key_bytes(); }
  [[nodiscard]] int queries() const { return query_sums() + query_tile.bytes(); }
  [[nodiscard]] int output_gradients() const { return queries() + kStages * query_bytes(); }
  [[nodiscard]] int scores() const { return output_gradients() + kStages * query_bytes(); }
  [[nodiscard]] int log_sums() const { return scores() + kStages * score_bytes(); }
  [[nodiscard]] int deltas() const { return log_sums() + kStages * statistic_bytes(); }
  [[nodiscard]] int shared_bytes() const { return deltas() + kStages * statistic_bytes(); }
};

/// Requires backward_problem(problem, target) to be empty and `target` to have warpgroups.
WarpgroupBackwardPlan plan_warpgroup_backward(const AttentionProblem& problem);

}  // namespace tcsim::kernels
