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
// copies k-tiles of A and B by TMA into `stages` buffers; the others multiply them by
// wgmma, with one group of products open, and store D through shared memory by TMA
// (warpgroup_epilogue.hpp). Cooperative: one to three work on equal parts of the rows of a tile, or
// of its columns. Ping-pong: each on tiles of its own, one storing while the other multiplies.
//
// With stream-K clusters share tiles of the last one or two waves (stream_k_deal.hpp), one
// warpgroup handing its sums over to the same one of another CTA (partial_sums.hpp).
//
// Every stage has two mbarriers: full, which the bytes of a k-tile complete, and empty, at which
// each warpgroup arrives that has read it.

/// Why there is no such kernel for `problem` with `tile` on `target`; empty if there is. Requires
/// tile.roles other than kUniform.
std::string why_not_warp_specialised(const GemmProblem& problem, const GemmTile& tile,
                                     const Target& target);

/// Why `tile` is none of such a kernel for operands and sums of `problem`, whatever the machine and
/// the size of the matrices; empty if it may be.
std::string warp_specialised_problem(const GemmProblem& problem, const GemmTile& tile);

/// The recipe of such kernels for `problem`; nothing, with the reason, if no library of `target`
/// has any.
std::optional<Recipe> find_warp_specialised(const GemmProblem& problem, const Target& target,
                                            std::string& reason);

/// Whose kernels they are, in the order in which libraries are asked.
std::vector<std::shared_ptr<const KernelFamily>> warp_specialised_families(
    const GemmProblem& problem, const Target& target);

/// The launch, without its name: `buffers` are "A", "B", "D" and those of the epilogue. Requires
/// that there is one.
isa::KernelLaunch make_warp_specialised(const GemmProblem& problem, const GemmTile& tile,
                                        const Target& target,
                                        const std::vector<isa::Buffer>& buffers);

/// Parts of tiles that CTAs of stream-K hand over to each other, at least one, and the bytes of the
/// sums of each. Requires that there is such a kernel.
struct SharedParts {
  std::int64_t count;
  std::int64_t bytes;
};
SharedParts shared_parts(const GemmProblem& problem, const GemmTile& tile, const Target& target);

/// stream_k_cuts of such a kernel.
std::vector<std::int64_t> warpgroup_cuts(const GemmProblem& problem, const GemmTile& tile,
                                         const Target& target, std::int64_t row,
                                         std::int64_t column);

}  // namespace tcsim::kernels
