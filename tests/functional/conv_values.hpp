#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/functional/global_memory.hpp"
#include "models/numerics/generation.hpp"
#include "workloads/kernels/conv/conv.hpp"

namespace tcsim::functional::testing {

/// A convolution to execute with small integers, whose sums every format holds exactly, so that the
/// order of additions does not matter.
struct ConvValues {
  kernels::Target target;
  numerics::Generation generation;
  kernels::ConvProblem problem;
  kernels::ConvPlan plan;
  double tolerance = 0;  ///< allowed error of an element, relative to the largest of the result
  std::vector<isa::KernelLaunch> stream{};  ///< replaces that of the plan
};

/// A tensor of numbers, innermost last: x NHWC, w KRSC, y NPQK.
struct ConvTensors {
  std::vector<double> x;
  std::vector<double> w;
  std::vector<double> y;  ///< including the steps after the sums
  std::vector<double> scale;
  std::vector<double> bias;
  std::vector<double> z;  ///< as y before pooling
};

/// Random integers in [-2, 2] for the inputs of the pass; the result by its definition, loop by
/// loop.
ConvTensors reference_convolution(const kernels::ConvProblem& problem);

/// Executes the generated stream and expects the values of the definition and no race.
void expect_convolution(const ConvValues& conv);

}  // namespace tcsim::functional::testing
