#pragma once

#include "workloads/kernels/attention/stage_ring.hpp"
#include "workloads/kernels/attention/warpgroup_forward_plan.hpp"

namespace tcsim::kernels {

// FlashAttention-3's forward kernel on Hopper (github.com/Dao-AILab/flash-attention, hopper/,
// BSD-3-Clause: flash_fwd_kernel_sm90.h, mainloop_fwd_sm90_tma_gmma_ws.hpp; hopper.md 10):
// persistent CTAs with one warpgroup that loads and two or three that multiply. One thread of the
// loading warpgroup copies Q once per tile, and blocks of K and V by TMA into two stages each; its
// warps transpose 8-bit V there. A consumer issues Q K^T of the next block and P V of the last one
// together and works on the softmax of the next block while P V runs. Consumers issue in turns, so
// that the softmax of one overlaps the products of another. O is stored by TMA from the place of V.

/// The launch without its name and buffers, which are "Q", "K", "V", "O", "LSE" and, with scales of
/// heads, those of Q, K and V. Requires why_not_warpgroup_forward(...) to be empty.
isa::KernelLaunch make_warpgroup_forward(const WarpgroupForwardPlan& plan);

/// The start of all warps: CTA and thread numbers, mbarriers made by the first warp.
void emit_attention_setup(const WarpgroupForwardPlan& plan, ProgramBuilder& builder);

/// The program of the consumers.
isa::WarpProgram attention_consumer(const WarpgroupForwardPlan& plan);

/// The ring of kKeyStages blocks at a step of a tile, counted through all tiles of a CTA. `step` is
/// the number of the step, without quotients.
StageRing key_ring(const isa::Expression& step);

/// Parities for an mbarrier with one phase per tile.
isa::Expression tile_parity(bool opposite);

/// Tensor maps of the launch; its buffers have the numbers of FusedBuffer.
enum AttentionMap : int { kQueryMap, kKeyMap, kValueMap, kOutputMap };

}  // namespace tcsim::kernels
