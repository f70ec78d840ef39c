#pragma once

#include <algorithm>
#include <vector>

#include "scripts/gpu/common/statistics.hpp"
#include "scripts/gpu/microbench/launch_shape.cuh"

namespace tcsim::measure {

constexpr int kMostArrays = 3;
constexpr std::uint64_t kNever = 0x5bd1e9955bd1e995;  // no sum of zeros and ones
struct Arrays {
  std::uint64_t* array[kMostArrays];
};

/// One element of 8 bytes of each array for every thread: the first Reads are read, the others
/// written. A kernel that only reads would write if its sum were kNever, which never happens.
template <int Reads, int Writes>
__global__ void element_stream(Arrays arrays) {
  const std::size_t index = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  std::uint64_t sum = 1;
#pragma unroll
  for (int i = 0; i < Reads; ++i) sum ^= arrays.array[i][index];
#pragma unroll
  for (int i = 0; i < Writes; ++i) arrays.array[Reads + i][index] = sum;
  if (Writes == 0 && sum == kNever) arrays.array[0][index] = sum;
}

/// GB/s of a stream over arrays of `bytes` each with `ctas_per_sm` CTAs of `warps` warps on an SM,
/// over kRuns runs after one that warms up.
template <int Reads, int Writes>
Spread stream_rate(std::size_t bytes, int warps, int ctas_per_sm) {
  constexpr int kRuns = 7;
  DeviceArray<std::uint64_t> memory((Reads + Writes) * bytes / sizeof(std::uint64_t));
  memory.clear();
  Arrays arrays{};
  for (int i = 0; i < Reads + Writes; ++i)
    arrays.array[i] = memory.get() + i * (bytes / sizeof(std::uint64_t));
  const int threads = 32 * warps;
  const int shared = shared_bytes_for(element_stream<Reads, Writes>, ctas_per_sm);
  const auto ctas = static_cast<unsigned>(bytes / sizeof(std::uint64_t) / threads);
  std::vector<double> rates;
  for (int run = 0; run <= kRuns; ++run) {
    const double ms =
        milliseconds([&] { element_stream<Reads, Writes><<<ctas, threads, shared>>>(arrays); });
    finish("stream");
    const double moved =
        (Reads + Writes) * static_cast<double>(ctas) * threads * sizeof(std::uint64_t);
    if (run > 0) rates.push_back(moved / ms / 1e6);
  }
  return spread_of(rates);
}

/// Every CTA reads `bytes` again and again: each SM its own through the L1, or all SMs the same
/// bypassing the L1, which would otherwise serve one CTA what another on its SM has just read.
template <bool IsPrivate>
__global__ void repeated_read(const std::uint64_t* memory, std::size_t elements, int rounds,
                              std::uint64_t* sink) {
  constexpr int kLoads = 8;
  const std::uint64_t* mine = memory + (IsPrivate ? blockIdx.x * elements : 0);
  const std::size_t step = std::size_t{blockDim.x} * kLoads;
  std::size_t at = IsPrivate ? 0 : blockIdx.x * step % elements;
  std::uint64_t sum = 0;
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int load = 0; load < kLoads; ++load) {
      const std::uint64_t* element = mine + at + load * blockDim.x + threadIdx.x;
      sum ^= IsPrivate ? *element : __ldcg(reinterpret_cast<const unsigned long long*>(element));
    }
    at += step;
    if (at >= elements) at = 0;
  }
  if (sum == kNever) *sink = sum;
}

/// GB/s of reads that stay in the L1 (`is_private`, a buffer for each SM) or in the L2. Requires
/// `bytes` to be a multiple of 64 KiB.
inline Spread read_rate(std::size_t bytes, bool is_private) {
  constexpr int kRuns = 7;
  constexpr int kThreads = 1024;
  const int sms = attribute(cudaDevAttrMultiProcessorCount);
  const int ctas = is_private ? sms : 2 * sms;
  DeviceArray<std::uint64_t> memory(bytes / sizeof(std::uint64_t) * (is_private ? sms : 1));
  memory.clear();
  DeviceArray<std::uint64_t> sink(1);
  const auto kernel = is_private ? repeated_read<true> : repeated_read<false>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 0),
        "cudaFuncSetAttribute");
  const int rounds = 4096;
  std::vector<double> rates;
  for (int run = 0; run <= kRuns; ++run) {
    const double ms = milliseconds([&] {
      kernel<<<ctas, kThreads>>>(memory.get(), bytes / sizeof(std::uint64_t), rounds, sink.get());
    });
    finish("repeated read");
    if (run > 0) rates.push_back(8.0 * 8 * kThreads * rounds * ctas / ms / 1e6);
  }
  return spread_of(rates);
}

}  // namespace tcsim::measure
