#pragma once

#include <string>

#include "workloads/kernels/attention/fused_plan.hpp"

namespace tcsim::kernels {

/// How FlashAttention-3 divides a paged problem on Ampere: `hopper/tile_size.h`,
/// `hopper/heuristics.h`, `get_num_splits` and `hopper/flash_prepare_scheduler.cu` of
/// github.com/Dao-AILab/flash-attention (BSD-3-Clause; forks of it have the same). The host allows
/// splits by the tiles of one sequence alone; the launch in front then finds how many each sequence
/// of the batch gets. Once they are allowed, the tiles of persistent CTAs are taken, and a
/// combining launch follows, even where no sequence is split.
FusedTile choose_paged_tile(const AttentionProblem& problem, const Target& target);

/// Why there is no paged kernel, in one sentence; empty if there is one.
std::string paged_problem(const AttentionProblem& problem, const Target& target);

}  // namespace tcsim::kernels
