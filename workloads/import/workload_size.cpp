#include "workloads/import/workload_size.hpp"

namespace tcsim::workload {
namespace {

using kernels::AttentionProblem;
using kernels::GemmProblem;
using kernels::VectorProblem;

double number(std::int64_t value) { return static_cast<double>(value); }

double bytes_of(const GemmProblem& p) {
  const auto size = [](std::int64_t a, std::int64_t b, kernels::Element element) {
    return number(a) * number(b) * kernels::element_bytes(element);
  };
  // A nibble of metadata for every two kept elements, TF32 for every one.
  const double nibbles =
      p.sparse ? number(p.m) * number(p.k) / (p.input == kernels::Element::kTf32 ? 2 : 4) : 0;
  return number(p.batch) * (size(p.m, p.stored_k(), p.input) + nibbles / 2 +
                            size(p.k, p.n, p.input) + size(p.m, p.n, p.output));
}

double bytes_of(const AttentionProblem& p) {
  const double rows =
      2 * number(p.queries) * number(p.heads) + 2 * number(p.keys) * number(p.kv_heads);
  return number(p.batch) * rows * number(p.dim) * kernels::element_bytes(p.element);
}

double bytes_of(const kernels::ConvProblem& p) {
  return number(p.x_elements() + p.w_elements() + p.y_elements()) * kernels::element_bytes(p.input);
}

}  // namespace

std::optional<double> useful_flop(const Workload& workload) {
  if (const auto* gemm = std::get_if<GemmProblem>(&workload.work))
    return 2.0 * number(gemm->m) * number(gemm->n) * number(gemm->k) * number(gemm->batch);
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

std::optional<double> operand_bytes(const Workload& workload) {
  if (const auto* gemm = std::get_if<GemmProblem>(&workload.work)) return bytes_of(*gemm);
  if (const auto* attention = std::get_if<AttentionProblem>(&workload.work))
    return bytes_of(*attention);
  if (const auto* conv = std::get_if<ConvWork>(&workload.work)) return bytes_of(conv->problem);
  if (const auto* vector = std::get_if<VectorProblem>(&workload.work))
    return number(kernels::vector_bytes(*vector));
  if (const auto* pool = std::get_if<kernels::PoolProblem>(&workload.work))
    return number(pool->x_elements() + pool->y_elements()) * kernels::element_bytes(pool->element);
  return std::nullopt;
}

}  // namespace tcsim::workload
