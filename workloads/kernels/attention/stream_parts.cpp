#include "workloads/kernels/attention/stream_parts.hpp"

namespace tcsim::kernels {

std::string attention_name(const std::string& kind, const AttentionProblem& problem,
                           const std::string& tile) {
  return kind + "_" + std::string(element_name(problem.element)) + "_d" +
         std::to_string(problem.dim) + "_" + tile + (problem.causal ? "_causal" : "");
}

std::string tile_text(int rows, int columns, int warps) {
  return std::to_string(rows) + "x" + std::to_string(columns) + "_w" + std::to_string(warps);
}

BackwardBuffers::BackwardBuffers(BufferRow& row, const AttentionProblem& problem) {
  const std::int64_t queries = problem.batch * problem.heads * problem.queries;
  const std::int64_t keys = problem.batch * problem.kv_heads * problem.keys;
  const auto tensor = [&](const char* name, std::int64_t rows, bool input) {
    return row.place(name, rows * problem.dim, problem.element, input);
  };
  q = tensor("Q", queries, true);
  k = tensor("K", keys, true);
  v = tensor("V", keys, true);
  o = tensor("O", queries, true);
  log_sum = row.place("LSE", queries, Element::kFp32, true);
  output_gradient = tensor("dO", queries, true);
  dq = tensor("dQ", queries, false);
  dk = tensor("dK", keys, false);
  dv = tensor("dV", keys, false);
}

}  // namespace tcsim::kernels
