#pragma once

#include <cstdint>
#include <vector>

#include "models/functional/global_memory.hpp"
#include "models/functional/poll.hpp"
#include "models/numerics/arithmetic.hpp"
#include "workloads/kernels/gemm.hpp"

namespace tcsim::values {

/// Sums [n][m] of one chain of sparse instructions for each output of matrix `batch`: the kept
/// elements of A among the `places` along k, in ascending order, with zeros at the end for places
/// beyond k. An MMA multiplies `kept_of_mma` of them; 0: all. Operands are buffers "A", "E" and "B"
/// of `memory`. Polls at each row.
std::vector<std::uint64_t> sparse_sums(const kernels::GemmProblem& problem,
                                       const kernels::GemmTile& tile,
                                       const numerics::Arithmetic& arithmetic,
                                       const functional::GlobalMemory& memory,
                                       const std::vector<std::int64_t>& places, std::int64_t batch,
                                       std::int64_t kept_of_mma, const functional::Poll& poll);

}  // namespace tcsim::values
