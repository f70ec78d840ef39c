#include "workloads/kernels/conv/im2col_method.hpp"

#include <limits>

#include "workloads/kernels/conv/conv_buffers.hpp"
#include "workloads/kernels/conv/im2col.hpp"
#include "workloads/kernels/cost_model.hpp"
#include "workloads/kernels/operand.hpp"

namespace tcsim::kernels {

Im2colMethod::Im2colMethod(const ConvProblem& problem, Target target)
    : ConvMethod(problem, std::move(target)),
      product_{.m = problem.n * problem.p() * problem.q(),
               .n = problem.k,
               .k = problem.r * problem.s * problem.c,
               .input = problem.input,
               .accumulate = problem.accumulate,
               .output = problem.output,
               .unit = problem.unit} {}

std::string Im2colMethod::why_not() const {
  if (problem_.pass != ConvPass::kForward) return "patches are written for forward passes only";
  if (problem_.groups > 1) return "patches are written for one group only";
  if (problem_.c * element_bytes(problem_.input) % 2 != 0)
    return "pixels of an odd number of bytes cannot be loaded";
  // No memory holds more, and larger counts of bytes do not fit an integer.
  constexpr std::int64_t kMostPatchElements = std::int64_t{1} << 40;
  if (product_.m > kMostPatchElements / product_.k)
    return "the patches have more than 2^40 elements";
  // The kernel divides the number of a vector by this one, and divisors have 32 bits.
  const std::int64_t vectors_of_image = problem_.p() * problem_.q() * product_.k /
                                        widest_vector(problem_.c, element_bytes(problem_.input));
  if (vectors_of_image > std::numeric_limits<std::uint32_t>::max())
    return "the patches of an image have 2^32 vectors or more";
  return why_no_kernel(product_, target_);
}

TileMenu Im2colMethod::menu() const {
  return {gemm_tiles(product_, target_),
          [this](const GemmTile& tile) {
            if (tile.serial_k || tile.stream_k)
              return std::string("CTAs take turns at a tile only in products");
            return why_no_tile(product_, tile, target_);
          },
          [this](const GemmTile& a, const GemmTile& b) {
            return is_preferred(a, b, product_, target_);
          }};
}

std::vector<Candidate> Im2colMethod::candidates() const {
  std::vector<Candidate> all = gemm_candidates(product_, target_);
  std::erase_if(all, [](const Candidate& one) { return one.tile.serial_k; });
  return all;
}

double Im2colMethod::estimate(const GemmTile& tile) const {
  // The patches are written and x is read; the L2 serves pixels that several taps see.
  const auto bytes = static_cast<double>((product_.m * product_.k + problem_.x_elements()) *
                                         element_bytes(problem_.input));
  return estimate_cycles(product_, tile, target_) + cycles_around(1, bytes);
}

std::vector<isa::KernelLaunch> Im2colMethod::stream(const GemmTile& tile) const {
  ConvBuffers buffers(problem_);
  const isa::Buffer patches = buffers.workspace("patches", product_.m * product_.k, problem_.input);
  std::vector<isa::KernelLaunch> stream{make_im2col(problem_)};
  stream.front().buffers = {buffers.x(), patches};
  std::vector<isa::KernelLaunch> product = make_gemm_stream(product_, tile, target_);
  isa::Buffer result = buffers.y();
  if (tile.split_k > 1) {
    const isa::Buffer sums =
        buffers.workspace("workspace", product_.m * product_.n * tile.split_k, problem_.accumulate);
    product.back().buffers = {as_input(sums), buffers.y()};
    result = sums;
  }
  product.front().buffers = {as_input(patches), buffers.w(), result};
  std::ranges::move(product, std::back_inserter(stream));
  return stream;
}

}  // namespace tcsim::kernels
