#include "workloads/kernels/attention/backward.hpp"

#include "workloads/kernels/attention/backward_delta.hpp"
#include "workloads/kernels/attention/backward_kernel.hpp"
#include "workloads/kernels/attention/backward_plan.hpp"
#include "workloads/kernels/attention/warpgroup_backward_plan.hpp"
#include "workloads/kernels/attention/warpgroup_backward_stream.hpp"
#include "workloads/kernels/buffer_row.hpp"
#include "workloads/kernels/cta_room.hpp"
#include "workloads/kernels/output_conversion.hpp"

namespace tcsim::kernels {
namespace {

std::string tile_text(const BackwardPlan& plan) {
  return std::to_string(BackwardPlan::kKeptRows) + "x" + std::to_string(plan.moving_rows) + "_w" +
         std::to_string(BackwardPlan::kWarps);
}

isa::KernelLaunch launch_of(const BackwardPlan& plan) {
  isa::KernelLaunch launch;
  launch.name = std::string(plan.is_for_keys() ? "attention_dkdv_" : "attention_dq_") +
                (plan.problem.element == Element::kBf16 ? "bf16" : "fp16") + "_d" +
                std::to_string(plan.problem.dim) + "_" + tile_text(plan) +
                (plan.problem.causal ? "_causal" : "");
  launch.grid = plan.grid();
  launch.warps_per_cta = BackwardPlan::kWarps;
  launch.registers_per_thread = plan.registers.total;
  launch.shared_bytes_per_cta = plan.shared_bytes();
  launch.programs = {backward_program(plan)};
  launch.program_of_warp.assign(BackwardPlan::kWarps, 0);
  return launch;
}

bool takes_warpgroups(const AttentionProblem& problem, const Target& target) {
  return target.features.warpgroups && problem.block_rows == 0;
}

/// What a CTA of the larger kernel takes.
isa::ResidencyNeeds needs_of(const AttentionProblem& problem, const Target& target) {
  if (takes_warpgroups(problem, target))
    return {.registers_per_thread = WarpgroupBackwardPlan::kRegisters.launch,
            .shared_bytes = plan_warpgroup_backward(problem).shared_bytes(),
            .warps = isa::kGroupWarps * (1 + WarpgroupBackwardPlan::kConsumers)};
  const BackwardPlan plan = plan_backward(problem, BackwardSide::kQueries);
  return {.registers_per_thread = plan.registers.total,
          .shared_bytes = plan.shared_bytes(),
          .warps = BackwardPlan::kWarps};
}

}  // namespace

std::string backward_problem(const AttentionProblem& problem, const Target& target) {
  if (!target.features.has_async_mma())
    return "the backward kernels need LDGSTS and HMMA.16816, which " + target.architecture +
           " lacks";
  if (!is_16_bit(problem.element)) return "the backward kernels take fp16 and bf16";
  if (problem.algorithm != AttentionAlgorithm::kFused)
    return "the backward pass is generated for the fused form";
  constexpr std::int64_t kLargestDim = 128;  // two gradients of more do not fit 255 registers
  constexpr int kVectorElements = 8;
  if (problem.dim > kLargestDim || problem.dim % kVectorElements != 0)
    return "the backward kernels take head sizes that are multiples of 8 up to 128";
  if (problem.causal && problem.queries != problem.keys)
    return "the causal backward kernels take as many keys as queries";
  constexpr std::int64_t kMostInY = 65535;  // programming guide
  if (problem.batch > kMostInY || problem.heads > kMostInY)
    return "batch or heads exceed the 65535 CTAs of a grid's y and z";
  const std::string reason = why_no_room(needs_of(problem, target), target);
  return reason.empty() ? reason : "the tile " + reason;
}

std::vector<isa::KernelLaunch> backward_stream(const AttentionProblem& problem,
                                               const Target& target) {
  if (takes_warpgroups(problem, target)) return warpgroup_backward_stream(problem);
  const std::int64_t query_bytes =
      2 * problem.batch * problem.heads * problem.queries * problem.dim;
  const std::int64_t key_bytes = 2 * problem.batch * problem.kv_heads * problem.keys * problem.dim;
  const std::int64_t row_bytes = 4 * problem.batch * problem.heads * problem.queries;
  BufferRow row;
  const isa::Buffer q = row.place("Q", query_bytes, true);
  const isa::Buffer k = row.place("K", key_bytes, true);
  const isa::Buffer v = row.place("V", key_bytes, true);
  const isa::Buffer o = row.place("O", query_bytes, true);
  const isa::Buffer log_sum = row.place("LSE", row_bytes, true);
  const isa::Buffer output_gradient = row.place("dO", query_bytes, true);
  const isa::Buffer dq = row.place("dQ", query_bytes, false);
  const isa::Buffer dk = row.place("dK", key_bytes, false);
  const isa::Buffer dv = row.place("dV", key_bytes, false);
  const isa::Buffer delta = row.place("delta", row_bytes, false);

  isa::KernelLaunch first = backward_delta(problem);
  first.buffers = {o, output_gradient, delta};
  isa::KernelLaunch queries = launch_of(plan_backward(problem, BackwardSide::kQueries));
  queries.buffers = {q, output_gradient, k, v, log_sum, as_input(delta), dq};
  isa::KernelLaunch keys = launch_of(plan_backward(problem, BackwardSide::kKeys));
  keys.buffers = {k, v, q, output_gradient, log_sum, as_input(delta), dk, dv};
  return {first, queries, keys};
}

std::vector<std::string> backward_tiles(const AttentionProblem& problem, const Target& target) {
  if (takes_warpgroups(problem, target)) return warpgroup_backward_tiles(problem);
  return {"", tile_text(plan_backward(problem, BackwardSide::kQueries)),
          tile_text(plan_backward(problem, BackwardSide::kKeys))};
}

}  // namespace tcsim::kernels
