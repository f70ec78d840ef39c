#include "workloads/kernels/conv/pool_shape.hpp"

#include "models/isa/cycle.hpp"
#include "workloads/kernels/layout/flat_kernel.hpp"
#include "workloads/kernels/operand.hpp"

namespace tcsim::kernels {
namespace {

using isa::kLanes;

constexpr int kSectorBytes = 32;      // least bytes of a run of items, so that none is read twice
constexpr int kMostUnsplitTaps = 16;  // what a thread loads in two rounds
constexpr int kPoolCtasPerSm = 2;     // before a CTA takes more items (assumption)

std::int64_t threads_of_machine(const Target& target) {
  return std::int64_t{target.sms} * target.max_warps_per_sm * kLanes;
}

/// The widest vectors that leave every SM some CTAs, with at least two elements if rows have them.
int flat_vector(const PoolProblem& problem, const Target& target) {
  const std::int64_t threads = std::int64_t{FlatKernel::kWarps} * kLanes;
  int vector = widest_vector(problem.c, element_bytes(problem.element));
  while (vector > 2 && problem.y_elements() / vector < threads * kPoolCtasPerSm * target.sms)
    vector /= 2;
  return vector;
}

}  // namespace

PoolShape pool_shape(const PoolProblem& problem, const Target& target) {
  const std::int64_t taps = problem.r * problem.s;
  const int bytes = element_bytes(problem.element);
  const int widest = widest_vector(problem.c, bytes);
  const std::int64_t items = problem.y_elements() / widest;
  if (problem.is_upsampling() || taps <= kMostUnsplitTaps || items >= threads_of_machine(target))
    return {.vector = flat_vector(problem, target)};
  const int threads = FlatKernel::kWarps * kLanes;
  PoolShape shape{.vector = widest, .splits = FlatKernel::kWarps, .items = kLanes};
  while (ceil_div<std::int64_t>(items, shape.items) < std::int64_t{kPoolCtasPerSm} * target.sms &&
         shape.items / 2 * widest * bytes >= kSectorBytes &&
         std::int64_t{threads} / shape.items * 2 <= taps)
    shape.items /= 2;
  shape.splits = threads / shape.items;
  return shape;
}

PoolProblem with_joined_rows(const PoolProblem& problem) {
  if (problem.s != problem.w || problem.pad_w != 0 || problem.q() != 1) return problem;
  PoolProblem joined = problem;
  joined.h = problem.h * problem.w;
  joined.r = problem.r * problem.w;
  joined.stride_h = problem.stride_h * problem.w;
  joined.pad_h = problem.pad_h * problem.w;
  joined.w = joined.s = joined.stride_w = 1;
  return joined;
}

}  // namespace tcsim::kernels
