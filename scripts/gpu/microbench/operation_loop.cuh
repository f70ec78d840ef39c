#pragma once

#include <algorithm>
#include <vector>

#include "scripts/gpu/common/cuda_check.cuh"
#include "scripts/gpu/common/statistics.hpp"

namespace tcsim::measure {

struct Ticks {
  long long start;
  long long stop;
};

/// Groups of a loop body: long enough for the branch at its end not to matter.
template <int Chains>
constexpr int kGroupsPerBody = 64 / Chains;

/// Every warp runs the same unrolled body `bodies` times: groups of one operation from each of
/// `Chains` chains, in which each operation depends on the previous one. Operation: start(chain,
/// memory) prepares it, step() is the operation, result() keeps its value alive.
template <class Operation, int Chains>
__global__ void operation_loop(int bodies, const std::uint32_t* memory, int stride, Ticks* ticks,
                               std::uint32_t* sink) {
  Operation operations[Chains];
#pragma unroll
  for (int chain = 0; chain < Chains; ++chain) operations[chain].start(chain, memory, stride);
  __syncthreads();
  const long long start = clock64();
#pragma unroll 1
  for (int body = 0; body < bodies; ++body) {
#pragma unroll
    for (int group = 0; group < kGroupsPerBody<Chains>; ++group) {
#pragma unroll
      for (int chain = 0; chain < Chains; ++chain) operations[chain].step();
    }
  }
  const long long stop = clock64();
  std::uint32_t result = 0;
#pragma unroll
  for (int chain = 0; chain < Chains; ++chain) result ^= operations[chain].result();
  sink[blockIdx.x * blockDim.x + threadIdx.x] = result;
  if (threadIdx.x % 32 == 0) ticks[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = {start, stop};
}

struct LoopShape {
  int warps = 1;
  int ctas_per_sm = 0;  ///< 0: one CTA on the whole GPU
  int stride = 1;       ///< between lanes, in elements of the access
};

/// Cycles from the first start to the last stop of a CTA, the median over the CTAs.
inline double cta_cycles(const std::vector<Ticks>& ticks, int warps) {
  std::vector<double> spans;
  for (std::size_t first = 0; first < ticks.size(); first += static_cast<std::size_t>(warps)) {
    Ticks span = ticks[first];
    for (std::size_t warp = first; warp < first + static_cast<std::size_t>(warps); ++warp) {
      span.start = std::min(span.start, ticks[warp].start);
      span.stop = std::max(span.stop, ticks[warp].stop);
    }
    spans.push_back(static_cast<double>(span.stop - span.start));
  }
  return spread_of(spans).median;
}

/// Cycles of one group (an operation of every chain of every warp of a CTA): the difference of two
/// loops that differ only in their iterations, after one that warms caches; the median of seven.
template <class Operation, int Chains>
double cycles_per_group(const LoopShape& shape) {
  constexpr int kShortBodies = 4;
  constexpr int kLongBodies = 36;
  constexpr int kRepeats = 7;
  const int sms = attribute(cudaDevAttrMultiProcessorCount);
  const int ctas = std::max(1, shape.ctas_per_sm * sms);
  const int shared =
      shape.ctas_per_sm > 0
          ? attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor) / (shape.ctas_per_sm + 1) & ~1023
          : 0;
  const int dynamic = std::min(shared, attribute(cudaDevAttrMaxSharedMemoryPerBlock) - 20480);
  const std::size_t threads = static_cast<std::size_t>(ctas) * 32 * shape.warps;
  DeviceArray<std::uint32_t> memory(1 << 16);
  memory.clear();
  DeviceArray<Ticks> ticks(threads / 32);
  DeviceArray<std::uint32_t> sink(threads);
  const auto run = [&](int bodies) {
    operation_loop<Operation, Chains><<<ctas, 32 * shape.warps, std::max(0, dynamic)>>>(
        bodies, memory.get(), shape.stride, ticks.get(), sink.get());
    finish("operation loop");
    return cta_cycles(ticks.read(), shape.warps);
  };
  run(kShortBodies);
  std::vector<double> groups;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    const double brief = run(kShortBodies);
    groups.push_back((run(kLongBodies) - brief) /
                     ((kLongBodies - kShortBodies) * kGroupsPerBody<Chains>));
  }
  return spread_of(groups).median;
}

}  // namespace tcsim::measure
