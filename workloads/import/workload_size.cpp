#include "workloads/import/workload_size.hpp"

#include <numeric>

#include "workloads/kernels/weight_order.hpp"

namespace tcsim::workload {
namespace {

using kernels::AttentionProblem;
using kernels::GemmProblem;
using kernels::VectorProblem;

double number(std::int64_t value) { return static_cast<double>(value); }

std::vector<OperandSize> sizes_of(const GemmProblem& p) {
  const auto size = [](std::int64_t matrices, std::int64_t a, std::int64_t b,
                       kernels::Element element) {
    return number(matrices) * number(a) * number(b) * kernels::element_bytes(element);
  };
  std::vector<OperandSize> sizes{{"A", size(p.batch, p.m, p.stored_k(), p.input)},
                                 {"B", size(p.matrices_b(), p.k, p.n, p.input)},
                                 {"D", size(p.batch, p.m, p.n, p.output)}};
  if (p.weights.are_packed()) {
    const kernels::WeightOrder order(p);
    sizes[1].bytes = number(p.batch * order.bytes_of_batch());
    sizes.push_back(
        {"scale_b", number(p.batch * order.scales_of_batch() * kernels::element_bytes(p.input))});
  }
  // A nibble of metadata for every two kept elements; for TF32, for every one.
  if (p.sparse)
    sizes.push_back({"E", number(p.batch) * number(p.m) * number(p.k) /
                              (p.input == kernels::Element::kTf32 ? 4 : 8)});
  const double vector = size(p.matrices_b(), 1, p.n, kernels::Element::kFp32);
  if (p.epilogue.scale) sizes.push_back({"scale", vector});
  if (p.epilogue.bias) sizes.push_back({"bias", vector});
  if (p.epilogue.residual) sizes.push_back({"C", size(p.batch, p.m, p.n, p.output)});
  return sizes;
}

std::vector<OperandSize> sizes_of(const AttentionProblem& p) {
  const double elements = number(p.batch) * number(p.dim) * number(p.queries) * number(p.heads);
  const int bytes = kernels::element_bytes(p.element);
  const double queries = elements * bytes;
  const double results = elements * kernels::element_bytes(kernels::attention_result(p.element));
  const double keys = number(p.batch) * number(p.dim) * number(p.keys) * number(p.kv_heads) * bytes;
  std::vector<OperandSize> sizes{{"Q", queries}, {"K", keys}, {"V", keys}, {"O", results}};
  if (p.pass == kernels::AttentionPass::kBackward)
    sizes.insert(sizes.end(), {{"dO", results}, {"dQ", queries}, {"dK", keys}, {"dV", keys}});
  return sizes;
}

std::vector<OperandSize> sizes_of(const kernels::ConvProblem& p) {
  const double y = number(p.y_bytes());
  const double pooled = number(p.pooled_elements() * kernels::element_bytes(p.output));
  std::vector<OperandSize> sizes{
      {"x", number(p.x_bytes())}, {"w", number(p.w_bytes())}, {"y", p.post.pool ? pooled : y}};
  const double vector = number(p.k * kernels::element_bytes(kernels::Element::kFp32));
  if (p.post.scale) sizes.push_back({"scale", vector});
  if (p.post.bias) sizes.push_back({"bias", vector});
  if (p.post.residual) sizes.push_back({"z", y});
  return sizes;
}

std::vector<OperandSize> sizes_of(const kernels::PoolProblem& p) {
  const auto size = [&](std::int64_t elements) {
    return number(elements) * kernels::element_bytes(p.element);
  };
  return {{"x", size(p.x_elements())}, {"y", size(p.y_elements())}};
}

}  // namespace

std::optional<double> useful_flop(const Workload& workload) {
  if (const auto* gemm = std::get_if<GemmProblem>(&workload.work))
    return 2.0 * number(gemm->multiplied_rows()) * number(gemm->n) * number(gemm->k);
  if (const auto* attention = std::get_if<AttentionProblem>(&workload.work))
    return kernels::attention_flop(*attention);
  if (const auto* conv = std::get_if<ConvWork>(&workload.work))
    return 2.0 * number(conv->problem.macs());
  if (const auto* unsupported = std::get_if<Unsupported>(&workload.work)) return unsupported->flop;
  return std::nullopt;
}

std::int64_t samples(const Workload& workload) {
  if (const auto* attention = std::get_if<AttentionProblem>(&workload.work))
    return attention->batch;
  if (const auto* conv = std::get_if<ConvWork>(&workload.work)) return conv->problem.n;
  if (const auto* unsupported = std::get_if<Unsupported>(&workload.work))
    return unsupported->samples;
  return 1;
}

std::vector<OperandSize> operand_sizes(const Workload& workload) {
  if (const auto* gemm = std::get_if<GemmProblem>(&workload.work)) return sizes_of(*gemm);
  if (const auto* attention = std::get_if<AttentionProblem>(&workload.work))
    return sizes_of(*attention);
  if (const auto* conv = std::get_if<ConvWork>(&workload.work)) return sizes_of(conv->problem);
  if (const auto* vector = std::get_if<VectorProblem>(&workload.work))
    return {{"operands and result", number(kernels::vector_bytes(*vector))}};
  if (const auto* pool = std::get_if<kernels::PoolProblem>(&workload.work)) return sizes_of(*pool);
  return {};
}

std::optional<double> operand_bytes(const Workload& workload) {
  const std::vector<OperandSize> sizes = operand_sizes(workload);
  if (sizes.empty()) return std::nullopt;
  return std::accumulate(
      sizes.begin(), sizes.end(), 0.0,
      [](double sum, const OperandSize& operand) { return sum + operand.bytes; });
}

}  // namespace tcsim::workload
