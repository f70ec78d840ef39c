#include "workloads/kernels/conv/winograd_method.hpp"

#include "workloads/kernels/vector/lane_vectors.hpp"

namespace tcsim::kernels {

WinogradMethod::WinogradMethod(const ConvProblem& problem, int outputs, Target target)
    : TransformMethod(problem, std::move(target)),
      shape_{.problem = problem, .outputs = outputs, .unit = vector_unit(target_)} {
  // M[point][tile][k] = V[point][tile][c] * U[point][k][c]
  product_ = {.m = shape_.tiles(),
              .n = problem.k,
              .k = problem.c,
              .batch = shape_.points(),
              .input = problem.input,
              .accumulate = Element::kFp32,
              .output = Element::kFp32,
              .unit = problem.unit};
}

std::string WinogradMethod::why_not() const {
  if (std::string reason = why_no_winograd(problem_, target_.features); !reason.empty())
    return reason;
  return why_no_kernel(product_, target_);
}

TransformMethod::Transforms WinogradMethod::transforms() const {
  return {make_winograd_filter(shape_, problem_.input), make_winograd_input(shape_),
          make_winograd_output(shape_)};
}

}  // namespace tcsim::kernels
