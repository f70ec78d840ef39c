#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/isa/launch.hpp"
#include "workloads/kernels/gemm.hpp"
#include "workloads/kernels/kernel_plan.hpp"

namespace tcsim::kernels {

// Hopper's kernels (hopper.md 9, CUTLASS 3): persistent CTAs of warpgroups. One thread of the first
// warpgroup copies k-tiles of A and B by TMA into `stages` buffers. The other warpgroups multiply
// them by wgmma, with one group of products open, and store D through shared memory by TMA
// (warpgroup_epilogue.hpp). Cooperative: one to three warpgroups work on equal parts of the rows,
// or of the columns, of a tile. Ping-pong: each works on its own tiles, and one stores while the
// other multiplies.
//
// With stream-K, clusters share the tiles of the last one or two waves (stream_k_deal.hpp); a
// warpgroup hands its sums over to the same warpgroup of another CTA (partial_sums.hpp).
//
// Every stage has two mbarriers. "Full" completes when the bytes of a k-tile have arrived; each
// warpgroup arrives at "empty" when it has read the stage.

/// Why there is no such kernel for `problem` with `tile` on `target`; empty if there is. Requires
/// tile.roles other than kUniform.
std::string why_not_warp_specialised(const GemmProblem& problem, const GemmTile& tile,
                                     const Target& target);

/// Why no such kernel can have `tile` for the operands and sums of `problem`, whatever the machine
/// and the size of the matrices; empty if one may.
std::string warp_specialised_problem(const GemmProblem& problem, const GemmTile& tile);

/// The recipe of such kernels for `problem`; nothing, with the reason, if no library of `target`
/// has one.
std::optional<Recipe> find_warp_specialised(const GemmProblem& problem, const Target& target,
                                            std::string& reason);

/// The families of these kernels, in the order in which libraries are asked.
std::vector<std::shared_ptr<const KernelFamily>> warp_specialised_families(
    const GemmProblem& problem, const Target& target);

/// The launch, without its name. `buffers` are "A", "B", "D" and those of the epilogue. Requires
/// that such a kernel exists.
isa::KernelLaunch make_warp_specialised(const GemmProblem& problem, const GemmTile& tile,
                                        const Target& target,
                                        const std::vector<isa::Buffer>& buffers);

/// The number of tile parts that stream-K CTAs hand over to each other, at least one, and the bytes
/// of each part's sums. Requires that such a kernel exists.
struct SharedParts {
  std::int64_t count;
  std::int64_t bytes;
};
SharedParts shared_parts(const GemmProblem& problem, const GemmTile& tile, const Target& target);

/// stream_k_cuts for such a kernel.
std::vector<std::int64_t> warpgroup_cuts(const GemmProblem& problem, const GemmTile& tile,
                                         const Target& target, std::int64_t row,
                                         std::int64_t column);

}  // namespace tcsim::kernels
