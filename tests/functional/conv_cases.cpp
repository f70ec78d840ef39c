#include "tests/functional/conv_cases.hpp"

#include "tests/support/targets.hpp"

namespace tcsim::functional::testing {

using kernels::ConvAlgorithm;
using kernels::ConvProblem;
using kernels::GemmTile;
using numerics::Generation;

ConvValues ampere(const ConvProblem& problem, GemmTile tile, ConvAlgorithm algorithm) {
  return {kernels::testing::a100(), Generation::kAmpere, problem, {algorithm, tile}};
}
ConvValues volta(const ConvProblem& problem) {
  return {kernels::testing::v100(),
          Generation::kVolta,
          problem,
          {ConvAlgorithm::kImplicitGemm, kStaged}};
}
ConvValues turing(const ConvProblem& problem) {
  return {kernels::testing::t4(),
          Generation::kTuring,
          problem,
          {ConvAlgorithm::kImplicitGemm, kStaged}};
}

ConvProblem strided(ConvProblem problem, int stride) {
  problem.stride_h = stride;
  problem.stride_w = stride;
  return problem;
}

std::vector<ConvProblem> conv_shapes() {
  ConvProblem oblong{.n = 1, .h = 11, .w = 8, .c = 32, .k = 64, .r = 5, .s = 2, .pad_h = 2};
  oblong.stride_h = 3;
  oblong.stride_w = 2;
  return {kThree,
          strided(kThree, 2),
          {.n = 3, .h = 5, .w = 5, .c = 64, .k = 64},
          strided({.n = 2, .h = 6, .w = 7, .c = 64, .k = 32}, 2),
          {.n = 1, .h = 9, .w = 9, .c = 8, .k = 32, .r = 3, .s = 3, .pad_h = 1, .pad_w = 1},
          {.n = 1, .h = 12, .w = 12, .c = 24, .k = 16, .r = 4, .s = 4},
          oblong};
}

}  // namespace tcsim::functional::testing
