#include "workloads/kernels/conv/transformed_product.hpp"

#include <iterator>

#include "workloads/kernels/conv/conv_buffers.hpp"
#include "workloads/kernels/cost_model.hpp"
#include "workloads/kernels/kernel_plan.hpp"

namespace tcsim::kernels {

TileMenu product_menu(const GemmProblem& product, const Target& target) {
  return {
      gemm_tiles(product, target),
      [=](const GemmTile& tile) {
        if (tile.split_k > 1 || tile.stream_k)
          return std::string("products of transformed tensors are not split");
        return why_no_tile(product, tile, target);
      },
      [=](const GemmTile& a, const GemmTile& b) { return is_preferred(a, b, product, target); }};
}

GemmTile choose_product_tile(const GemmProblem& product, const Target& target) {
  return gemm_candidates(product, target, /*may_split=*/false).front().tile;
}

double estimate_transformed(const ConvProblem& p, const GemmProblem& product, const GemmTile& tile,
                            const Target& target) {
  constexpr double kDramEfficiency = 0.8;  // cost_model.cpp
  const auto count = [](std::int64_t elements, Element element) {
    return static_cast<double>(elements) * element_bytes(element);
  };
  const double bytes = count(p.x_elements() + p.w_elements(), p.input) +
                       count(product.batch * (product.m + product.n) * product.k, product.input) +
                       count(product.batch * product.m * product.n, Element::kFp32) +
                       count(p.y_elements(), p.output);
  return estimate_cycles(product, tile, target) + 3 * target.launch_cycles +
         bytes / (kDramEfficiency * target.dram_bytes_per_cycle);
}

std::vector<isa::KernelLaunch> transformed_stream(const ConvProblem& problem, const GemmProblem& g,
                                                  const GemmTile& tile, const Target& target,
                                                  Transforms transforms) {
  ConvBuffers buffers(problem);
  const isa::Buffer v = buffers.workspace("v", g.batch * g.m * g.k, g.input);
  const isa::Buffer u = buffers.workspace("u", g.batch * g.n * g.k, g.input);
  const isa::Buffer m = buffers.workspace("m", g.batch * g.m * g.n, g.output);
  std::vector<isa::KernelLaunch> stream;
  stream.push_back(std::move(transforms.filter));
  stream.back().buffers = {buffers.w(), u};
  stream.push_back(std::move(transforms.input));
  stream.back().buffers = {buffers.x(), v};
  std::vector<isa::KernelLaunch> product = make_gemm_stream(g, tile, target);
  product.front().buffers = {as_input(v), as_input(u), m};
  std::ranges::move(product, std::back_inserter(stream));
  stream.push_back(std::move(transforms.output));
  stream.back().buffers = {as_input(m), buffers.y()};
  return stream;
}

}  // namespace tcsim::kernels
