#include "workloads/kernels/conv/post_method.hpp"

#include <algorithm>
#include <iterator>

#include "workloads/kernels/conv/conv_buffers.hpp"
#include "workloads/kernels/conv/pair_values.hpp"
#include "workloads/kernels/conv/pool.hpp"
#include "workloads/kernels/conv/post_kernels.hpp"
#include "workloads/kernels/vector/lane_vectors.hpp"

namespace tcsim::kernels {
namespace {

/// The part that the product's kernel does itself.
ConvProblem inner_problem(ConvProblem problem, ConvAlgorithm algorithm) {
  const bool fuses = problem.post.is_fused && fuses_post(algorithm);
  if (fuses && problem.order == TensorOrder::kNhwc)
    problem.post.pool = false;
  else
    problem.post = {};
  return problem;
}

/// The maximum of every 2 x 2 pixels; a last odd row or column is dropped.
PoolProblem post_pool(const ConvProblem& problem) {
  PoolProblem pool{.n = problem.n, .h = problem.p(), .w = problem.q(), .c = problem.k};
  pool.element = problem.output;
  return pool;
}

}  // namespace

PostMethod::PostMethod(const ConvProblem& problem, ConvAlgorithm algorithm, Target target)
    : ConvMethod(problem, std::move(target)),
      algorithm_(algorithm),
      inner_(make_conv_method(inner_problem(problem, algorithm), algorithm, target_)) {}

std::string PostMethod::why_not() const {
  const ConvPost& post = problem_.post;
  if (problem_.pass != ConvPass::kForward)
    return "scale, bias, residual, relu and pool follow forward passes";
  if (problem_.order == TensorOrder::kNchw)
    return "scale, bias, residual, relu and pool are generated for NHWC tensors";
  if (post.is_fused && post.changes_values() && !fuses_post(algorithm_))
    return "scale, bias, residual and relu are fused only into implicit GEMM; fused=0 runs them "
           "after it";
  const bool has_pairs = PairValues::knows(problem_.output) && problem_.k % 2 == 0;
  if ((post.pool || !post.is_fused) && !has_pairs)
    return "scale, bias, residual, relu and pool kernels take fp16, bf16 or fp32 results and an "
           "even "
           "number of channels";
  if (post.pool && (problem_.p() < 2 || problem_.q() < 2)) return "the image is too small to pool";
  return inner_->why_not();
}

double PostMethod::estimate(const GemmTile& tile) const {
  const ConvPost& post = problem_.post;
  const int bytes = element_bytes(problem_.output);
  double moved = 0;
  int kernels = 0;
  if (has_kernel_of_its_own()) {
    moved += (post.residual ? 3.0 : 2.0) * static_cast<double>(problem_.y_elements()) * bytes;
    ++kernels;
  }
  if (post.pool) {
    moved += static_cast<double>(problem_.y_elements() + problem_.pooled_elements()) * bytes;
    ++kernels;
  }
  return inner_->estimate(tile) + cycles_around(kernels, moved);
}

std::vector<isa::KernelLaunch> PostMethod::stream(const GemmTile& tile) const {
  std::vector<isa::KernelLaunch> stream = inner_->stream(tile);
  const bool has_more = has_kernel_of_its_own() || problem_.post.pool;
  if (!has_more) return stream;
  isa::Buffer result;
  for (isa::KernelLaunch& launch : stream)
    for (isa::Buffer& buffer : launch.buffers)
      if (buffer.name == "y") {
        buffer.name = "sums";
        result = as_input(buffer);
      }
  BufferRow row(stream);
  if (has_kernel_of_its_own()) {
    const isa::Buffer to = row.place(problem_.post.pool ? "activations" : "y",
                                     problem_.y_elements(), problem_.output, false);
    stream.push_back(make_post(problem_, vector_unit(target_)));
    stream.back().buffers = {result, to};
    std::ranges::move(post_operands(problem_, row), std::back_inserter(stream.back().buffers));
    result = as_input(to);
  }
  if (problem_.post.pool) {
    stream.push_back(make_pool(post_pool(problem_), target_));
    stream.back().buffers = {result,
                             row.place("y", problem_.pooled_elements(), problem_.output, false)};
  }
  return stream;
}

}  // namespace tcsim::kernels
