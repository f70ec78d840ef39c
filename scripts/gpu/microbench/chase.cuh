#pragma once

#include <numeric>
#include <vector>

#include "scripts/gpu/common/cuda_check.cuh"
#include "scripts/gpu/common/random.hpp"
#include "scripts/gpu/common/statistics.hpp"

namespace tcsim::measure {

constexpr std::size_t kChaseLineBytes = 128;

/// A list through all lines of `bytes` in random order: each line starts with the address of the
/// next. One cycle through all of them (Sattolo's algorithm).
inline std::vector<std::uint64_t> chase_list(std::size_t bytes, std::uint64_t base) {
  const std::size_t lines = bytes / kChaseLineBytes;
  const std::size_t words = kChaseLineBytes / sizeof(std::uint64_t);
  std::vector<std::size_t> next(lines);
  std::iota(next.begin(), next.end(), std::size_t{0});
  Random random(lines);
  for (std::size_t i = lines - 1; i > 0; --i) std::swap(next[i], next[random.below(i)]);
  std::vector<std::uint64_t> list(lines * words);
  for (std::size_t i = 0; i < lines; ++i) list[i * words] = base + next[i] * kChaseLineBytes;
  return list;
}

/// CTA `walker` follows the list from `start_line` on for `first` loads, then for `loads` that
/// count.
__global__ void chase(const std::uint64_t* start_line, int walker, long first, long loads,
                      long long* cycles) {
  if (static_cast<int>(blockIdx.x) != walker) return;
  auto address = reinterpret_cast<std::uint64_t>(start_line);
  for (long i = 0; i < first; ++i) asm volatile("ld.global.u64 %0, [%0];" : "+l"(address));
  const long long start = clock64();
#pragma unroll 16
  for (long i = 0; i < loads; ++i) asm volatile("ld.global.u64 %0, [%0];" : "+l"(address));
  cycles[0] = clock64() - start;
  cycles[1] = static_cast<long long>(address);  // so that the compiler keeps the loads
}

/// Cycles of a load, for walkers on SMs spread over the GPU.
inline Spread chase_cycles(std::size_t bytes) {
  constexpr int kWalkers = 8;
  constexpr long kMostLoads = 1 << 15;
  DeviceArray<std::uint64_t> list(bytes / sizeof(std::uint64_t));
  const auto values = chase_list(bytes, reinterpret_cast<std::uint64_t>(list.get()));
  check(cudaMemcpy(list.get(), values.data(), values.size() * sizeof(std::uint64_t),
                   cudaMemcpyHostToDevice),
        "cudaMemcpy");
  DeviceArray<long long> cycles(2);
  check(cudaFuncSetAttribute(chase, cudaFuncAttributePreferredSharedMemoryCarveout, 0),
        "cudaFuncSetAttribute");
  const int sms = attribute(cudaDevAttrMultiProcessorCount);
  const auto lines = static_cast<long>(bytes / kChaseLineBytes);
  const long loads = std::min(2 * lines, kMostLoads);
  std::vector<double> means;
  for (int walker = 0; walker < kWalkers; ++walker) {
    // Two passes, or enough loads to bring the caches into their final state. Each walker starts
    // elsewhere, so that it does not first read the lines that the previous walker read last.
    const long first = std::min(2 * lines, 16 * kMostLoads);
    const auto line = static_cast<std::size_t>(walker * lines / kWalkers);
    chase<<<sms, 1>>>(list.get() + line * (kChaseLineBytes / sizeof(std::uint64_t)),
                      walker * sms / kWalkers, first, loads, cycles.get());
    finish("pointer chase");
    means.push_back(static_cast<double>(cycles.read()[0]) / static_cast<double>(loads));
  }
  return spread_of(means);
}

}  // namespace tcsim::measure
