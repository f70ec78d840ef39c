#pragma once

#include <vector>

#include "scripts/gpu/common/graph.cuh"
#include "scripts/gpu/common/statistics.hpp"
#include "scripts/gpu/microbench/launch_shape.cuh"

namespace tcsim::measure {

__global__ void empty_kernel() {}

/// Microseconds from one empty kernel to the next, for 1000 kernels in a graph or in a stream.
inline Spread kernel_interval_us(bool in_graph) {
  constexpr int kKernels = 1000;
  constexpr int kRuns = 11;
  const auto all = [&](cudaStream_t stream) {
    for (int i = 0; i < kKernels; ++i) empty_kernel<<<1, 32, 0, stream>>>();
  };
  const Graph graph(all);
  std::vector<double> intervals;
  for (int run = 0; run <= kRuns; ++run) {
    const double ms = milliseconds([&] {
      if (in_graph)
        graph.launch(nullptr);
      else
        all(nullptr);
    });
    finish("empty kernels");
    if (run > 0) intervals.push_back(ms * 1000 / kKernels);
  }
  return spread_of(intervals);
}

}  // namespace tcsim::measure
