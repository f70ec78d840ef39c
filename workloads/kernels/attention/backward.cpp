#include "workloads/kernels/attention/backward.hpp"

#include "workloads/kernels/attention/backward_delta.hpp"
#include "workloads/kernels/attention/backward_kernel.hpp"
#include "workloads/kernels/attention/backward_plan.hpp"
#include "workloads/kernels/attention/stream_parts.hpp"
#include "workloads/kernels/attention/warpgroup_backward_plan.hpp"
#include "workloads/kernels/attention/warpgroup_backward_stream.hpp"
#include "workloads/kernels/cta_room.hpp"

namespace tcsim::kernels {
namespace {

std::string text_of(const BackwardPlan& plan) {
  return tile_text(BackwardPlan::kKeptRows, plan.moving_rows, BackwardPlan::kWarps);
}

isa::KernelLaunch launch_of(const BackwardPlan& plan) {
  const char* const kind = plan.is_for_keys() ? "attention_dkdv" : "attention_dq";
  return uniform_launch({.name = attention_name(kind, plan.problem, text_of(plan)),
                         .grid = plan.grid(),
                         .warps_per_cta = BackwardPlan::kWarps,
                         .registers_per_thread = plan.registers.total,
                         .shared_bytes_per_cta = plan.shared_bytes()},
                        backward_program(plan));
}

bool takes_warpgroups(const AttentionProblem& problem, const Target& target) {
  return target.features.warpgroups && problem.block_rows == 0;
}

/// Why an SM has no room for a CTA of one of the kernels; empty if it has.
std::string why_no_room_for_kernels(const AttentionProblem& problem, const Target& target) {
  if (takes_warpgroups(problem, target))
    return why_no_room({.registers_per_thread = WarpgroupBackwardPlan::kRegisters.launch,
                        .shared_bytes = plan_warpgroup_backward(problem).shared_bytes(),
                        .warps = isa::kGroupWarps * (1 + WarpgroupBackwardPlan::kConsumers)},
                       target);
  for (const BackwardSide side : {BackwardSide::kQueries, BackwardSide::kKeys}) {
    const BackwardPlan plan = plan_backward(problem, side);
    std::string reason = why_no_room({.registers_per_thread = plan.registers.total,
                                      .shared_bytes = plan.shared_bytes(),
                                      .warps = BackwardPlan::kWarps},
                                     target);
    if (!reason.empty()) return reason;
  }
  return {};
}

}  // namespace

std::string backward_problem(const AttentionProblem& problem, const Target& target) {
  if (!target.features.has_async_mma())
    return "the backward kernels need LDGSTS and HMMA.16816, which " + target.architecture +
           " lacks";
  if (!is_16_bit(problem.element)) return "the backward kernels support fp16 and bf16";
  if (problem.algorithm != AttentionAlgorithm::kFused)
    return "the backward pass is generated for the fused form";
  constexpr std::int64_t kLargestDim = 128;  // two gradients of more do not fit 255 registers
  constexpr int kVectorElements = 8;
  if (problem.dim > kLargestDim || problem.dim % kVectorElements != 0)
    return "the backward kernels need head sizes that are multiples of 8 up to 128";
  if (problem.causal && problem.queries != problem.keys)
    return "the causal backward kernels need as many keys as queries";
  if (problem.batch > isa::kLargestGrid[2] || problem.heads > isa::kLargestGrid[1])
    return "batch or heads exceed the 65535 CTAs of a grid's y and z";
  const std::string reason = why_no_room_for_kernels(problem, target);
  return reason.empty() ? reason : "the tile " + reason;
}

std::vector<isa::KernelLaunch> backward_stream(const AttentionProblem& problem,
                                               const Target& target) {
  if (takes_warpgroups(problem, target)) return warpgroup_backward_stream(problem);
  BufferRow row;
  const BackwardBuffers of(row, problem);
  const isa::Buffer delta =
      row.place("delta", problem.batch * problem.heads * problem.queries, Element::kFp32, false);

  isa::KernelLaunch first = backward_delta(problem);
  first.buffers = {of.o, of.output_gradient, delta};
  isa::KernelLaunch queries = launch_of(plan_backward(problem, BackwardSide::kQueries));
  queries.buffers = {of.q, of.output_gradient, of.k, of.v, of.log_sum, as_input(delta), of.dq};
  isa::KernelLaunch keys = launch_of(plan_backward(problem, BackwardSide::kKeys));
  keys.buffers = {of.k, of.v, of.q, of.output_gradient, of.log_sum, as_input(delta), of.dk, of.dv};
  return {first, queries, keys};
}

std::vector<std::string> backward_tiles(const AttentionProblem& problem, const Target& target) {
  if (takes_warpgroups(problem, target)) return warpgroup_backward_tiles(problem);
  return {"", text_of(plan_backward(problem, BackwardSide::kQueries)),
          text_of(plan_backward(problem, BackwardSide::kKeys))};
}

}  // namespace tcsim::kernels
