#pragma once

#include <cstdint>
#include <vector>

#include "workloads/kernels/gemm.hpp"

namespace tcsim::values {

/// Rows [first, first + count) of matrix `a` of A and D, which are multiplied by matrix `b` of B.
struct RowBlock {
  std::int64_t a;
  std::int64_t b;
  std::int64_t first;
  std::int64_t count;
};

/// All rows of D that `problem` defines, in memory order: those of a matrix, or of a group.
std::vector<RowBlock> row_blocks(const kernels::GemmProblem& problem);

/// By row of D, matrix after matrix: the matrix of B, or kUndefined.
inline constexpr std::int64_t kUndefined = -1;
std::vector<std::int64_t> matrices_of_rows(const kernels::GemmProblem& problem);

}  // namespace tcsim::values
