#include "workloads/kernels/conv/transformed_product.hpp"

#include <algorithm>
#include <iterator>

#include "workloads/kernels/conv/conv_buffers.hpp"
#include "workloads/kernels/cost_model.hpp"
#include "workloads/kernels/kernel_plan.hpp"

namespace tcsim::kernels {

TileMenu TransformMethod::menu() const {
  return {gemm_tiles(product_, target_),
          [this](const GemmTile& tile) {
            if (tile.split_k > 1 || tile.stream_k)
              return std::string("products of transformed tensors are not split");
            return why_no_tile(product_, tile, target_);
          },
          [this](const GemmTile& a, const GemmTile& b) {
            return is_preferred(a, b, product_, target_);
          }};
}

std::vector<Candidate> TransformMethod::candidates() const {
  return gemm_candidates(product_, target_, /*may_split=*/false);
}

double TransformMethod::estimate(const GemmTile& tile) const {
  const GemmProblem& g = product_;
  const auto count = [](std::int64_t elements, Element element) {
    return static_cast<double>(elements) * element_bytes(element);
  };
  const double bytes =
      static_cast<double>(problem_.x_bytes() + problem_.w_bytes() + problem_.y_bytes()) +
      count(g.batch * (g.m + g.n) * g.k, g.input) + count(g.batch * g.m * g.n, Element::kFp32);
  return estimate_cycles(g, tile, target_) + cycles_around(3, bytes);
}

std::vector<isa::KernelLaunch> TransformMethod::stream(const GemmTile& tile) const {
  const GemmProblem& g = product_;
  ConvBuffers buffers(problem_);
  const isa::Buffer v = buffers.workspace("v", g.batch * g.m * g.k, g.input);
  const isa::Buffer u = buffers.workspace("u", g.batch * g.n * g.k, g.input);
  const isa::Buffer m = buffers.workspace("m", g.batch * g.m * g.n, g.output);
  Transforms around = transforms();
  std::vector<isa::KernelLaunch> stream;
  stream.push_back(std::move(around.filter));
  stream.back().buffers = {buffers.w(), u};
  stream.push_back(std::move(around.input));
  stream.back().buffers = {buffers.x(), v};
  std::vector<isa::KernelLaunch> product = make_gemm_stream(g, tile, target_);
  product.front().buffers = {as_input(v), as_input(u), m};
  std::ranges::move(product, std::back_inserter(stream));
  stream.push_back(std::move(around.output));
  stream.back().buffers = {as_input(m), buffers.y()};
  return stream;
}

}  // namespace tcsim::kernels
