#pragma once

#include "scripts/gpu/common/statistics.hpp"
#include "scripts/gpu/hopper/barrier.cuh"
#include "scripts/gpu/hopper/bulk_copy.cuh"
#include "scripts/gpu/hopper/products.cuh"

// The main loop of a warp-specialised product: a thread that fills a ring of stages by TMA, and
// warpgroups that multiply them. Both run coupled, each alone, or side by side without
// synchronising.

namespace tcsim::measure {

constexpr int kElementsOfKTile = 64;

struct Ring {
  int stages = 4;
  int tiles = 256;    ///< k-tiles of each CTA
  int row_tiles = 8;  ///< k-tiles in a row of the matrices; then the row repeats
  bool copies = true;
  bool multiplies = true;
  bool coupled = true;  ///< a stage is multiplied once it is full and refilled once it was read
  bool own_b = false;   ///< each CTA reads its own rows of B; otherwise all read the same
};

struct RingTimes {
  long long
      multiplying;    ///< cycles of the first warpgroup for the last three quarters of its tiles
  long long copying;  ///< cycles of the producer ...
  long long copied;   ///< ... for this many tiles
};

template <int N, int Consumers>
constexpr int kStageBytes = (64 * Consumers + N) * 2 * kElementsOfKTile;

template <int N, int Consumers>
__device__ void fill_ring(const CUtensorMap* a, const CUtensorMap* b, const Ring& ring,
                          std::uint32_t tiles, std::uint32_t full, std::uint32_t empty,
                          volatile int* finished, RingTimes* times) {
  constexpr std::uint32_t kBytes = kStageBytes<N, Consumers>;
  const int cta = blockIdx.x;
  const bool is_free = ring.multiplies && !ring.coupled;
  const bool waits_for_readers = ring.coupled && ring.multiplies;
  RingPlace place;
  long long begin = 0;
  int issued = 0;
  int x = 0;
  while (is_free ? *finished == 0 : issued < ring.tiles) {
    const std::uint32_t barrier = full + 8 * place.stage;
    if (waits_for_readers)
      wait(empty + 8 * place.stage, place.parity ^ 1);
    else if (issued >= ring.stages)
      wait(barrier, place.parity ^ 1);
    if (issued == ring.stages) begin = clock64();
    const std::uint32_t to = tiles + place.stage * kBytes;
    arrive_expecting(barrier, kBytes);
    copy_box(to, a, x, cta * 64 * Consumers, barrier);
    copy_box(to + Consumers * 8192, b, x, ring.own_b ? cta * N : 0, barrier);
    x += kElementsOfKTile;
    if (x == ring.row_tiles * kElementsOfKTile) x = 0;
    place.advance(ring.stages);
    ++issued;
  }
  const int open = issued < ring.stages ? issued : ring.stages;
  if (issued < ring.stages) place = {};
  for (int last = 0; last < open; ++last) {
    wait(full + 8 * place.stage, issued < ring.stages ? 0 : place.parity ^ 1);
    place.advance(ring.stages);
  }
  times->copying = clock64() - begin;
  times->copied = issued - ring.stages;
}

template <int N, int Consumers>
__global__ void __launch_bounds__(128 * (Consumers + 1), 1)
    ring_loop(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
              const Ring ring, RingTimes* times, std::uint32_t* sink) {
  constexpr std::uint32_t kBytes = kStageBytes<N, Consumers>;
  extern __shared__ unsigned char memory[];
  __shared__ std::uint64_t barriers[2 * 16];
  __shared__ volatile int finished;
  declare_accumulators();
  const std::uint32_t tiles = (shared_address(memory) + 1023) & ~1023u;
  const std::uint32_t full = shared_address(barriers);
  const std::uint32_t empty = full + 8 * 16;
  if (threadIdx.x == 0) {
    finished = 0;
    for (int stage = 0; stage < ring.stages; ++stage) {
      init_barrier(full + 8 * stage, 1);
      init_barrier(empty + 8 * stage, Consumers);
    }
    publish_barriers();
  }
  __syncthreads();
  const int warp = warp_index();
  const int group = warp / 4;
  if (group == Consumers) {
    if (warp % 4 == 0 && ring.copies && elected())
      fill_ring<N, Consumers>(&a, &b, ring, tiles, full, empty, &finished, times + blockIdx.x);
  } else if (ring.multiplies) {
    const bool waits = ring.coupled && ring.copies;
    long long begin = 0;
    RingPlace place;
    int before = 0;
#pragma unroll 1
    for (int tile = 0; tile < ring.tiles; ++tile) {
      if (tile == ring.tiles / 4) begin = clock64();
      if (waits) wait(full + 8 * place.stage, place.parity);
      const std::uint64_t of_a = swizzled_tile(tiles + place.stage * kBytes + group * 8192);
      const std::uint64_t of_b = swizzled_tile(tiles + place.stage * kBytes + Consumers * 8192);
      open_products();
#pragma unroll
      for (int step = 0; step < 4; ++step)
        Product<Kind::kBf16Ss, N>::issue(of_a + 2 * step, of_b + 2 * step);
      close_products();
      wait_products<1>();
      if (waits && tile > 0 && threadIdx.x % 128 == 0) arrive(empty + 8 * before);
      before = place.stage;
      place.advance(ring.stages);
    }
    wait_products<0>();
    if (threadIdx.x == 0) {
      times[blockIdx.x].multiplying = clock64() - begin;
      finished = 1;
    }
    sink[blockIdx.x * blockDim.x + threadIdx.x] = an_accumulator();
  }
}

/// Cycles per k-tile, the median over the CTAs; -1 for the side that does not run.
struct RingRate {
  double multiplying = -1;
  double copying = -1;
};

template <int N, int Consumers>
RingRate ring_rate(const Ring& ring, int ctas, void* data) {
  const auto kernel = ring_loop<N, Consumers>;
  const int shared = ring.stages * kStageBytes<N, Consumers> + 1024;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared),
        "cudaFuncSetAttribute");
  const std::uint64_t columns = std::uint64_t(ring.row_tiles) * kElementsOfKTile;
  const std::uint64_t a_rows = std::uint64_t(ctas) * 64 * Consumers;
  const CUtensorMap a = matrix_map(data, columns, a_rows, 64 * Consumers);
  const CUtensorMap b = matrix_map(static_cast<char*>(data) + a_rows * columns * 2, columns,
                                   std::uint64_t(ring.own_b ? ctas : 1) * N, N);
  DeviceArray<RingTimes> times(ctas);
  DeviceArray<std::uint32_t> sink(std::size_t(ctas) * 128 * (Consumers + 1));
  std::vector<double> multiplying, copying;
  for (int run = 0; run < 3; ++run) {
    kernel<<<ctas, 128 * (Consumers + 1), shared>>>(a, b, ring, times.get(), sink.get());
    finish("ring");
    if (run == 0) continue;
    for (const RingTimes& cta : times.read()) {
      multiplying.push_back(static_cast<double>(cta.multiplying) / (ring.tiles - ring.tiles / 4));
      if (cta.copied > 0) copying.push_back(static_cast<double>(cta.copying) / cta.copied);
    }
  }
  RingRate rate;
  if (ring.multiplies) rate.multiplying = spread_of(multiplying).median;
  if (ring.copies && !copying.empty()) rate.copying = spread_of(copying).median;
  return rate;
}

}  // namespace tcsim::measure
