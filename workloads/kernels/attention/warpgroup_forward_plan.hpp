#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "workloads/kernels/attention/fused_plan.hpp"
#include "workloads/kernels/program_builder.hpp"
#include "workloads/kernels/warpgroup_plan.hpp"

namespace tcsim::kernels {

// What the programs of FlashAttention-3's forward kernel share (warpgroup_forward.hpp).

/// Registers of a consumer's thread. Scores and output are accumulators of wgmma: number 4j + i
/// holds column 8j + 2 (lane mod 4) + i mod 2 of row lane / 4 + 8 (i / 2) of the warp's sixteen.
struct WarpgroupRegisters {
  int output = 0;
  int scores = 0;
  int probabilities = 0;  ///< A fragments, packed; none if they go through shared memory
  int maximum = 0;        ///< one per row of the thread, like the next four
  int sum = 0;
  int factor = 0;  ///< the previous maximum, then the factor that rescales output and sums
  int negative = 0;
  int shuffled = 0;
  int scale = 0;           ///< log2(e) / sqrt(dim), times the scales of Q and K if they have scales
  int negative_scale = 0;  ///< with scales of heads: -scale
  int addresses = 0;       ///< AddressWork
  int total = 0;
};

/// Numbers of the kernel. A tile has tile.rows rows of a head, and one consumer for each 64 of
/// them; its keys come in blocks, the last block first. Step s of a tile is its block s. Rows are
/// queries; with pages or packed heads they are the queries of all heads of a group, which count as
/// one head. With split keys there is one tile per split.
struct WarpgroupForwardPlan {
  AttentionProblem problem;
  FusedTile tile;
  FusedPlan common;  ///< what other fused kernels have too: rows, strides, copy destinations
  int dim = 64;      ///< padded to whole panels of O
  isa::Opcode score_product{};
  isa::Opcode output_product{};
  std::int64_t row_blocks = 0;
  std::int64_t heads_together = 1;  ///< heads whose keys and values stay in the L2: causal tiles
                                    ///< (splits of a head count)
  std::int64_t tiles = 0;
  std::int64_t grid = 0;
  WarpgroupRegisters registers;

  static constexpr int kResultBytes = 2;    ///< of an element of O, and of P in shared memory
  static constexpr int kPanelColumns = 64;  ///< of O and P: a row of a panel has 128 bytes
  static constexpr int kGroupPanelBytes = isa::kGroupRows * warpgroups::kRowBytes;
  static constexpr int kKeyStages = 2;   ///< of K, and of V
  static constexpr int kThreadRows = 2;  ///< rows of a consumer's tile that a thread has part of
  static constexpr isa::Variable kTileLoop = isa::Variable::kLoop0;
  static constexpr isa::Variable kStepLoop = isa::Variable::kLoop1;

  // Uniforms of the programs.
  static constexpr isa::Variable kNumber = isa::uniform_variable(0);     ///< of the tile
  static constexpr isa::Variable kRowBlock = isa::uniform_variable(1);   ///< of the tile
  static constexpr isa::Variable kHead = isa::uniform_variable(2);       ///< of all batches
  static constexpr isa::Variable kBlocks = isa::uniform_variable(3);     ///< of keys
  static constexpr isa::Variable kBlocksEnd = isa::uniform_variable(4);  ///< with all tiles before
  /// Masked blocks after the first.
  static constexpr isa::Variable kMasked = isa::uniform_variable(5);
  [[nodiscard]] std::vector<isa::Expression> uniforms() const;
  /// True if CTAs take tiles from a counter and their loading warp passes the number to the others
  /// (tile_scheduler.hpp of FlashAttention-3: Dynamic and VarlenDynamicPersistentTileScheduler).
  [[nodiscard]] bool takes_tiles() const { return problem.causal || keys_by_threads(); }
  /// Number of the buffer with the counter, after all others.
  [[nodiscard]] int counter() const;

  /// True if threads of the producer's warpgroup copy what TMA cannot: pages of K and V, and packed
  /// heads as rows of Q; consumers store those rows of O.
  [[nodiscard]] bool keys_by_threads() const { return common.is_paged(); }
  [[nodiscard]] bool rows_by_threads() const { return common.is_paged() || tile.packs_heads; }
  /// True if the other warps of the producer's warpgroup have work.
  [[nodiscard]] bool has_helpers() const { return transposes_values() || rows_by_threads(); }
  /// True if O and LSE are parts that another launch combines.
  [[nodiscard]] bool is_partial() const { return tile.splits > 1; }
  /// True if O goes through the place of V; parts are stored from registers.
  [[nodiscard]] bool stages_output() const { return !is_partial(); }
  [[nodiscard]] int consumers() const { return tile.warps / isa::kGroupWarps; }
  [[nodiscard]] int output_panels() const { return dim / kPanelColumns; }
  [[nodiscard]] int bytes() const { return element_bytes(problem.element); }  ///< of Q, K and V
  /// Swizzle of the panels of Q, K and V, whose rows are as long as whole panels allow.
  [[nodiscard]] isa::TileSwizzle swizzle() const { return widest_swizzle(dim * bytes()); }
  [[nodiscard]] int panel_row_bytes() const { return isa::row_bytes(swizzle()); }
  [[nodiscard]] int panel_columns() const { return panel_row_bytes() / bytes(); }
  [[nodiscard]] int panels() const { return dim / panel_columns(); }
  /// 8-bit operands of wgmma lie along k, so the producer's warpgroup transposes V
  /// (warpgroup_transpose.hpp).
  [[nodiscard]] bool transposes_values() const { return bytes() == 1; }
  /// Swizzle of the panels of transposed V, whose rows are columns of O.
  [[nodiscard]] isa::TileSwizzle transposed_swizzle() const { return widest_swizzle(tile.keys); }
  /// Keys, or columns of Q and K, of one product.
  [[nodiscard]] int product_depth() const { return isa::kGroupRowBytes / bytes(); }
  /// Accumulators of columns 8j + 2 (lane mod 4) and its neighbour, if `index` is 4j or 4j + 2;
  /// transposed V has its columns in another order.
  [[nodiscard]] std::array<int, 2> output_pair(int index) const;
  [[nodiscard]] int score_registers() const { return tile.keys / 2; }
  [[nodiscard]] int output_registers() const { return dim / 2; }
  /// True if the consumers take turns in issuing products (mainloop_fwd_sm90_tma_gmma_ws.hpp,
  /// UseSchedulerBarrier).
  [[nodiscard]] bool takes_turns() const {
    return consumers() > 1 && (bytes() == 1 ? dim >= 128 : problem.dim <= 128);
  }
  /// 8-bit probabilities are multiplied by 2^this, so that few are too small to represent
  /// (softmax.h, Max_offset).
  [[nodiscard]] int probability_exponent() const { return bytes() == 1 ? 8 : 0; }
  /// hopper.md 5; flash_fwd_kernel_sm90.h, MmaRegisterRequirement: one consumer has 256, two have
  /// 240, with a producer that copies by TMA.
  [[nodiscard]] warpgroups::RegisterBudget register_budget() const {
    if (consumers() == 1) return {168, 56, 256};
    if (rows_by_threads()) return warpgroups::register_budget(consumers());
    return consumers() < warpgroups::kMostConsumers ? warpgroups::RegisterBudget{168, 24, 240}
                                                    : warpgroups::register_budget(consumers());
  }
  [[nodiscard]] bool has_ragged_keys() const { return problem.keys % tile.keys != 0; }
  /// True if the first block of a tile may have keys after the last one.
  [[nodiscard]] bool may_pass_end() const {
    return has_ragged_keys() || (problem.causal && is_partial());
  }
  /// Number of the block of step `step`, and its first key.
  [[nodiscard]] isa::Expression block(const isa::Expression& step) const;
  [[nodiscard]] isa::Expression first_key(const isa::Expression& step) const;
  /// Most blocks of keys of a tile of row block `row_block`.
  [[nodiscard]] std::int64_t blocks_of(std::int64_t row_block) const;
  [[nodiscard]] double score_scale() const;
  /// The same times log2(e), as an FP32 literal.
  [[nodiscard]] std::int32_t softmax_scale() const;

  // Shared memory: mbarriers, Q, K, V as the products read it, P, and V as it is loaded if it is
  // transposed. O takes the place of the first V.
  enum Barrier : int {
    kKeyFull,
    kKeyEmpty = kKeyFull + kKeyStages,
    kValueFull = kKeyEmpty + kKeyStages,
    kValueEmpty = kValueFull + kKeyStages,
    kQueryFull = kValueEmpty + kKeyStages,
    kQueryEmpty,
    kOutputStored,
    kValuesRead,  ///< by all consumers, for the last time in a tile
    kMeeting,     ///< one per consumer
    kTurn = kMeeting + warpgroups::kMostConsumers,
    kProbabilitiesStored = kTurn + warpgroups::kMostConsumers,        ///< one per consumer
    kLoadedFull = kProbabilitiesStored + warpgroups::kMostConsumers,  ///< V to be transposed
    kLoadedEmpty = kLoadedFull + kKeyStages,
    kNumberFull = kLoadedEmpty + kKeyStages,  ///< the number of the next tile has been stored
    kNumberEmpty,
    kBarrierCount
  };
  [[nodiscard]] static int barrier(int number) { return isa::kBarrierBytes * number; }
  /// Where the number of the next tile is stored.
  static constexpr int kNextTile = isa::kBarrierBytes * kBarrierCount;
  [[nodiscard]] int query_bytes() const { return tile.rows * dim * bytes(); }
  [[nodiscard]] int block_bytes() const { return tile.keys * dim * bytes(); }
  [[nodiscard]] int output_bytes() const { return tile.rows * dim * kResultBytes; }
  [[nodiscard]] static int query() { return warpgroups::kPatternBytes; }
  [[nodiscard]] int keys() const { return query() + query_bytes(); }
  [[nodiscard]] int values() const { return keys() + kKeyStages * block_bytes(); }
  [[nodiscard]] int probabilities() const {
    return values() + std::max(kKeyStages * block_bytes(), output_bytes());
  }
  /// Bytes for one consumer, in panels of 64 keys.
  [[nodiscard]] int probability_bytes() const {
    const int key_panels = (tile.keys + kPanelColumns - 1) / kPanelColumns;
    return tile.probabilities_in_shared ? key_panels * kGroupPanelBytes : 0;
  }
  /// Where V is loaded.
  [[nodiscard]] int loaded_values() const {
    return transposes_values() ? after_probabilities() : values();
  }
  [[nodiscard]] int shared_bytes() const {
    return after_probabilities() + (transposes_values() ? kKeyStages * block_bytes() : 0);
  }

 private:
  [[nodiscard]] int after_probabilities() const {
    return probabilities() + consumers() * probability_bytes();
  }
  /// The widest swizzle whose rows divide `bytes`. Requires a multiple of 32.
  [[nodiscard]] static isa::TileSwizzle widest_swizzle(int bytes);
  /// Causal splits take every splits-th block, others take neighbouring blocks.
  [[nodiscard]] std::int64_t block_stride() const { return problem.causal ? tile.splits : 1; }
  [[nodiscard]] isa::Expression block_count() const;
  [[nodiscard]] isa::Expression masked_count() const;
};

/// Requires why_not_warpgroup_forward(problem, tile, target) to be empty.
WarpgroupForwardPlan plan_warpgroup_forward(const AttentionProblem& problem, const FusedTile& tile,
                                            const Target& target);

/// Why no such kernel of `tile` can be built, in one sentence; empty if one can.
std::string why_not_warpgroup_forward(const AttentionProblem& problem, const FusedTile& tile,
                                      const Target& target);

}  // namespace tcsim::kernels
