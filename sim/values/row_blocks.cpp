#include "sim/values/row_blocks.hpp"

#include <algorithm>

namespace tcsim::values {

std::vector<RowBlock> row_blocks(const kernels::GemmProblem& problem) {
  std::vector<RowBlock> blocks;
  std::int64_t first = 0;
  for (std::int64_t b = 0; b < problem.matrices_b(); ++b) {
    if (!problem.is_grouped()) {
      blocks.push_back({b, b, 0, problem.m});
      continue;
    }
    const std::int64_t rows = problem.groups.rows[static_cast<std::size_t>(b)];
    if (problem.groups.is_masked())
      blocks.push_back({b, b, 0, rows});
    else
      blocks.push_back({0, b, first, rows});
    first += rows;
  }
  return blocks;
}

std::vector<std::int64_t> matrices_of_rows(const kernels::GemmProblem& problem) {
  std::vector<std::int64_t> matrices(static_cast<std::size_t>(problem.batch * problem.m),
                                     kUndefined);
  for (const RowBlock& block : row_blocks(problem))
    std::fill_n(matrices.begin() + block.a * problem.m + block.first, block.count, block.b);
  return matrices;
}

}  // namespace tcsim::values
