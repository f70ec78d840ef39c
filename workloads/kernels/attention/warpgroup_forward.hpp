#pragma once

#include "workloads/kernels/attention/warpgroup_forward_plan.hpp"

namespace tcsim::kernels {

// FlashAttention-3's forward kernel on Hopper (github.com/Dao-AILab/flash-attention, hopper/,
// BSD-3-Clause: flash_fwd_kernel_sm90.h, mainloop_fwd_sm90_tma_gmma_ws.hpp; hopper.md 10):
// persistent CTAs of one warpgroup that loads and two or three that multiply. One thread of the
// first copies Q, once for a tile, and blocks of K and V by TMA into two stages each; V of 8 bits
// its warps transpose there. A consumer
// issues Q K^T of the next block and P V of the last one together and works on the softmax of the
// next while P V runs; consumers issue in turns, so that the softmax of one runs beside the
// products of another. O leaves by TMA from the place of V.

/// The launch but for its name and buffers, which are "Q", "K", "V", "O", "LSE" and, with scales of
/// heads, theirs of Q, K and V. Requires
/// why_not_warpgroup_forward(...) to be empty.
isa::KernelLaunch make_warpgroup_forward(const WarpgroupForwardPlan& plan);

/// What all warps begin with: CTA and thread numbers, mbarriers made by the first.
void emit_attention_setup(const WarpgroupForwardPlan& plan, ProgramBuilder& builder);

/// The program of the consumers.
isa::WarpProgram attention_consumer(const WarpgroupForwardPlan& plan);

/// Which of a ring of kKeyStages blocks a step of a tile uses, counted through all tiles of a CTA.
/// `steps` is the number of the step: a constant and terms.
class KeyRing {
 public:
  explicit KeyRing(isa::Expression steps) : steps_(std::move(steps)) {}

  /// base + weight * (the stage of the block).
  [[nodiscard]] isa::Expression stage(std::int64_t base, std::int64_t weight) const {
    return {base, {}, {quotient(weight, 1, WarpgroupForwardPlan::kKeyStages)}};
  }
  /// The parity of the phase in which it is filled; or the other one.
  [[nodiscard]] isa::Expression parity(bool opposite) const {
    return {
        opposite ? 1 : 0, {}, {quotient(opposite ? -1 : 1, WarpgroupForwardPlan::kKeyStages, 2)}};
  }
  /// The parity of what has one phase for each block.
  [[nodiscard]] isa::Expression block_parity() const { return {0, {}, {quotient(1, 1, 2)}}; }

 private:
  [[nodiscard]] isa::Quotient quotient(std::int64_t weight, std::int64_t divisor,
                                       std::int64_t modulus) const;

  isa::Expression steps_;
};

/// Parities of what has one phase for each tile.
isa::Expression tile_parity(bool opposite);

/// Tensor maps of the launch.
enum AttentionMap : int { kQueryMap, kKeyMap, kValueMap, kOutputMap };
/// Buffers that have none.
enum AttentionBuffer : int { kLogSumBuffer = kOutputMap + 1, kQueryScale, kKeyScale, kValueScale };

}  // namespace tcsim::kernels
