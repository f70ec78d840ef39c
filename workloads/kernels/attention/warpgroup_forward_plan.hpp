#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "workloads/kernels/attention/fused_tile.hpp"
#include "workloads/kernels/program_builder.hpp"
#include "workloads/kernels/warpgroup_plan.hpp"

namespace tcsim::kernels {

// What the programs of FlashAttention-3's forward kernel agree on (warpgroup_forward.hpp).

/// Registers of a consumer's thread. Scores and output are accumulators of wgmma: number 4j + i
/// holds column 8j + 2 (lane mod 4) + i mod 2 of row lane / 4 + 8 (i / 2) of the warp's sixteen.
struct WarpgroupRegisters {
  int output = 0;
  int scores = 0;
  int probabilities = 0;  ///< A fragments, packed; none where they go through shared memory
  int maximum = 0;        ///< one per row of the thread, like the next four
  int sum = 0;
  int factor = 0;  ///< the maximum before, then what output and sums are rescaled by
  int negative = 0;
  int shuffled = 0;
  int scale = 0;      ///< log2(e) / sqrt(dim)
  int addresses = 0;  ///< AddressWork
  int total = 0;
};

/// Numbers of the kernel. A tile is tile.rows queries of a head, worked on by one consumer for each
/// 64 of them; its keys come in blocks, the last one first. Step s of a tile is its block s.
struct WarpgroupForwardPlan {
  AttentionProblem problem;
  FusedTile tile;
  int dim = 64;  ///< padded to whole panels
  isa::Opcode score_product{};
  isa::Opcode output_product{};
  std::int64_t row_blocks = 0;
  std::int64_t heads_together = 1;  ///< whose keys and values stay in the L2: causal tiles
  std::int64_t tiles = 0;
  std::int64_t grid = 0;
  bool goes_back =
      false;  ///< every other round of tiles is dealt out from the last CTA to the first
  WarpgroupRegisters registers;

  static constexpr int kBytes = 2;          ///< of an element
  static constexpr int kPanelColumns = 64;  ///< elements of a row that a panel holds: 128 bytes
  static constexpr int kGroupPanelBytes = isa::kGroupRows * warpgroups::kRowBytes;
  static constexpr int kKeyStages = 2;   ///< of K, and of V
  static constexpr int kThreadRows = 2;  ///< rows of a consumer's tile that a thread has part of
  static constexpr isa::Variable kTileLoop = isa::Variable::kLoop0;
  static constexpr isa::Variable kStepLoop = isa::Variable::kLoop1;

  // Uniforms of the programs.
  static constexpr isa::Variable kRowBlock = isa::uniform_variable(1);   ///< of the tile
  static constexpr isa::Variable kHead = isa::uniform_variable(2);       ///< of all batches
  static constexpr isa::Variable kBlocks = isa::uniform_variable(3);     ///< of keys
  static constexpr isa::Variable kBlocksEnd = isa::uniform_variable(4);  ///< with all tiles before
  static constexpr isa::Variable kMasked = isa::uniform_variable(5);  ///< masked behind the first
  [[nodiscard]] std::vector<isa::Expression> uniforms() const;
  /// Tiles of a CTA.
  [[nodiscard]] isa::Expression tile_count() const;

  [[nodiscard]] int consumers() const { return tile.warps / isa::kGroupWarps; }
  [[nodiscard]] int panels() const { return dim / kPanelColumns; }
  [[nodiscard]] int score_registers() const { return tile.keys / 2; }
  [[nodiscard]] int output_registers() const { return dim / 2; }
  /// True where the consumers take turns in issuing products (mainloop_fwd_sm90_tma_gmma_ws.hpp,
  /// UseSchedulerBarrier).
  [[nodiscard]] bool takes_turns() const { return consumers() > 1 && problem.dim <= 128; }
  [[nodiscard]] bool has_ragged_keys() const { return problem.keys % tile.keys != 0; }
  [[nodiscard]] std::int64_t key_blocks() const;
  /// Blocks of keys that tile number `row_block` of a head sees.
  [[nodiscard]] std::int64_t blocks_of(std::int64_t row_block) const;
  [[nodiscard]] double score_scale() const;

  // Shared memory: mbarriers, Q, K, V, P. O takes the place of V.
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
    kProbabilitiesStored = kTurn + warpgroups::kMostConsumers,  ///< one per consumer
    kBarrierCount = kProbabilitiesStored + warpgroups::kMostConsumers
  };
  [[nodiscard]] static int barrier(int number) { return isa::kBarrierBytes * number; }
  [[nodiscard]] int query_bytes() const { return tile.rows * dim * kBytes; }
  [[nodiscard]] int block_bytes() const { return tile.keys * dim * kBytes; }
  [[nodiscard]] static int query() { return warpgroups::kPatternBytes; }
  [[nodiscard]] int keys() const { return query() + query_bytes(); }
  [[nodiscard]] int values() const { return keys() + kKeyStages * block_bytes(); }
  [[nodiscard]] int probabilities() const {
    return values() + std::max(kKeyStages * block_bytes(), query_bytes());
  }
  /// Of one consumer, panels of 64 keys.
  [[nodiscard]] int probability_bytes() const {
    const int key_panels = (tile.keys + kPanelColumns - 1) / kPanelColumns;
    return tile.probabilities_in_shared ? key_panels * kGroupPanelBytes : 0;
  }
  [[nodiscard]] int shared_bytes() const {
    return probabilities() + consumers() * probability_bytes();
  }

 private:
  [[nodiscard]] isa::Expression tile_number() const;
  [[nodiscard]] isa::Expression block_count() const;
  [[nodiscard]] isa::Expression masked_count() const;
};

/// Requires warpgroup_forward_problem(problem, target) to be empty.
WarpgroupForwardPlan plan_warpgroup_forward(const AttentionProblem& problem, const FusedTile& tile,
                                            const Target& target);

/// Why no such kernel of `tile` can be built, in one sentence; empty if one can.
std::string why_not_warpgroup_forward(const AttentionProblem& problem, const FusedTile& tile,
                                      const Target& target);

}  // namespace tcsim::kernels
