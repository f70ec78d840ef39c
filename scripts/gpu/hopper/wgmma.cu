// wgmma on one SM of a Hopper GPU: intervals of every type and width, several warpgroups, the queue
// of products, moves of registers between warpgroups. Rows go to hopper_wgmma.csv.
//
//   wgmma --out FOLDER
#include <algorithm>
#include <cstdio>
#include <string>

#include "scripts/gpu/common/device.cuh"
#include "scripts/gpu/common/options.hpp"
#include "scripts/gpu/hopper/barrier.cuh"
#include "scripts/gpu/hopper/products.cuh"
#include "scripts/gpu/hopper/rows.hpp"

namespace tcsim::measure {
namespace {

constexpr int kWarpgroup = 128;
constexpr int kMostStamps = 24;

/// Groups of PerGroup products on one accumulator; `Open` groups stay open after each wait. The
/// number of warpgroups is a maximum: fewer leave more registers to each.
template <Kind kKind, int N, int PerGroup, int Open, int Warpgroups>
__global__ void __launch_bounds__(Warpgroups* kWarpgroup, 1)
    product_loop(int groups, long long* cycles, std::uint32_t* sink) {
  extern __shared__ __align__(1024) unsigned char tile[];
  declare_accumulators();
  const std::uint64_t a = swizzled_tile(shared_address(tile));
  const std::uint64_t b = swizzled_tile(shared_address(tile) + 8192);
  __syncthreads();
  const long long begin = clock64();
#pragma unroll 1
  for (int group = 0; group < groups; ++group) {
    open_products();
#pragma unroll
    for (int i = 0; i < PerGroup; ++i) Product<kKind, N>::issue(a, b);
    close_products();
    wait_products<Open>();
  }
  wait_products<0>();
  const long long end = clock64();
  sink[threadIdx.x] = an_accumulator();
  if (threadIdx.x % kWarpgroup == 0) cycles[threadIdx.x / kWarpgroup] = end - begin;
}

constexpr int kTileBytes = 8192 + 32768;

/// Cycles from one product to the next of each warpgroup (the slowest), by the difference of two
/// lengths of the loop.
template <Kind kKind, int N, int PerGroup, int Open, int Warpgroups>
double product_interval(int warpgroups) {
  const auto kernel = product_loop<kKind, N, PerGroup, Open, Warpgroups>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kTileBytes),
        "cudaFuncSetAttribute");
  DeviceArray<long long> cycles(3);
  DeviceArray<std::uint32_t> sink(3 * kWarpgroup);
  const auto run = [&](int groups) {
    kernel<<<1, warpgroups * kWarpgroup, kTileBytes>>>(groups, cycles.get(), sink.get());
    finish("product loop");
    const auto read = cycles.read();
    return static_cast<double>(*std::max_element(read.begin(), read.begin() + warpgroups));
  };
  run(16);
  std::vector<double> intervals;
  for (int repeat = 0; repeat < 5; ++repeat) {
    const double brief = run(32);
    intervals.push_back((run(160) - brief) / (128.0 * PerGroup));
  }
  return spread_of(intervals).median;
}

template <Kind kKind, int N>
void add_width(Rows& rows, const char* name) {
  for (const int warpgroups : {1, 2})
    rows.add("interval", std::string(name) + " n" + std::to_string(N),
             product_interval<kKind, N, 8, 1, 2>(warpgroups), "cycles/wgmma",
             "warpgroups=" + std::to_string(warpgroups) + ";per_group=8;open=1");
}

template <Kind kKind>
void add_widths(Rows& rows, const char* name) {
  add_width<kKind, 8>(rows, name);
  add_width<kKind, 16>(rows, name);
  add_width<kKind, 32>(rows, name);
  add_width<kKind, 64>(rows, name);
  add_width<kKind, 96>(rows, name);
  add_width<kKind, 128>(rows, name);
  add_width<kKind, 192>(rows, name);
  add_width<kKind, 256>(rows, name);
  std::printf("  %s\n", name);
  std::fflush(stdout);
}

template <int N, int PerGroup, int Open>
void add_pattern(Rows& rows) {
  for (const int warpgroups : {1, 2, 3})
    rows.add("interval", "bf16 SS n" + std::to_string(N),
             product_interval<Kind::kBf16Ss, N, PerGroup, Open, 3>(warpgroups), "cycles/wgmma",
             "warpgroups=" + std::to_string(warpgroups) + ";per_group=" + std::to_string(PerGroup) +
                 ";open=" + std::to_string(Open));
}

template <int N>
void add_patterns(Rows& rows) {
  add_pattern<N, 1, 0>(rows);
  add_pattern<N, 1, 1>(rows);
  add_pattern<N, 1, 3>(rows);
  add_pattern<N, 2, 0>(rows);
  add_pattern<N, 2, 1>(rows);
  add_pattern<N, 4, 0>(rows);
  add_pattern<N, 4, 1>(rows);
  add_pattern<N, 8, 0>(rows);
}

/// When each of a series of products and its commit were issued: the warp waits when the queue is
/// full.
template <Kind kKind, int N, bool Commits>
__global__ void __launch_bounds__(2 * kWarpgroup, 1)
    issue_times(unsigned* stamps, std::uint32_t* sink) {
  extern __shared__ __align__(1024) unsigned char tile[];
  declare_accumulators();
  const std::uint64_t a = swizzled_tile(shared_address(tile));
  const std::uint64_t b = swizzled_tile(shared_address(tile) + 8192);
  unsigned times[kMostStamps + 2];
  for (int warm = 0; warm < 2; ++warm) {
    __syncthreads();
    asm volatile("mov.u32 %0, %%clock;" : "=r"(times[0])::"memory");
    open_products();
#pragma unroll
    for (int i = 0; i < kMostStamps; ++i) {
      Product<kKind, N>::issue(a, b);
      if (Commits) close_products();
      asm volatile("mov.u32 %0, %%clock;" : "=r"(times[i + 1])::"memory");
    }
    close_products();
    wait_products<0>();
    asm volatile("mov.u32 %0, %%clock;" : "=r"(times[kMostStamps + 1])::"memory");
  }
  sink[threadIdx.x] = an_accumulator();
  if (threadIdx.x % kWarpgroup == 0)
#pragma unroll
    for (int i = 0; i < kMostStamps + 2; ++i)
      stamps[threadIdx.x / kWarpgroup * (kMostStamps + 2) + i] = times[i];
}

template <Kind kKind, int N, bool Commits>
void add_issue_times(Rows& rows, const char* name) {
  const auto kernel = issue_times<kKind, N, Commits>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kTileBytes),
        "cudaFuncSetAttribute");
  for (const int warpgroups : {1, 2}) {
    DeviceArray<unsigned> stamps(2 * (kMostStamps + 2));
    DeviceArray<std::uint32_t> sink(2 * kWarpgroup);
    kernel<<<1, warpgroups * kWarpgroup, kTileBytes>>>(stamps.get(), sink.get());
    finish("issue times");
    const auto read = stamps.read();
    for (int group = 0; group < warpgroups; ++group) {
      std::string text;
      const unsigned* mine = read.data() + group * (kMostStamps + 2);
      for (int i = 1; i < kMostStamps + 2; ++i) text += " " + std::to_string(mine[i] - read[0]);
      rows.add("issue_times", std::string(name) + " n" + std::to_string(N), mine[0] - read[0],
               "cycles",
               "warpgroups=" + std::to_string(warpgroups) + ";group=" + std::to_string(group) +
                   ";commits=" + std::to_string(Commits) + ";times=" + text);
    }
  }
}

template <int N>
void add_all_issue_times(Rows& rows) {
  add_issue_times<Kind::kBf16Ss, N, true>(rows, "bf16 SS");
  add_issue_times<Kind::kBf16Ss, N, false>(rows, "bf16 SS");
  add_issue_times<Kind::kBf16Rs, N, true>(rows, "bf16 RS");
  add_issue_times<Kind::kBf16Rs, N, false>(rows, "bf16 RS");
}

/// Two warpgroups request the registers that a third releases `delay` cycles later.
__global__ void __launch_bounds__(3 * kWarpgroup, 1) move_registers(int delay, long long* stamps) {
  const int group = threadIdx.x / kWarpgroup;
  __syncthreads();
  long long begin, end;
  if (group == 0) {
    const long long start = clock64();
    while (clock64() - start < delay) {
    }
    begin = clock64();
    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;" ::: "memory");
    end = clock64();
  } else {
    begin = clock64();
    asm volatile("setmaxnreg.inc.sync.aligned.u32 240;" ::: "memory");
    end = clock64();
  }
  if (threadIdx.x % 32 == 0) {
    stamps[threadIdx.x / 32 * 2] = begin;
    stamps[threadIdx.x / 32 * 2 + 1] = end;
  }
}

void add_register_moves(Rows& rows) {
  for (const int delay : {0, 1000}) {
    DeviceArray<long long> stamps(24);
    for (int run = 0; run < 2; ++run) {
      move_registers<<<1, 3 * kWarpgroup>>>(delay, stamps.get());
      finish("setmaxnreg");
    }
    const auto read = stamps.read();
    for (int warp = 0; warp < 12; ++warp)
      rows.add("setmaxnreg", warp < 4 ? "dec" : "inc",
               static_cast<double>(read[2 * warp + 1] - read[2 * warp]), "cycles",
               "delay=" + std::to_string(delay) + ";warp=" + std::to_string(warp) +
                   ";begin=" + std::to_string(read[2 * warp] - read[0]) +
                   ";end=" + std::to_string(read[2 * warp + 1] - read[0]));
  }
}

}  // namespace
}  // namespace tcsim::measure

int main(int argc, char** argv) {
  using namespace tcsim::measure;
  return run_program("wgmma", [&] {
    const Options options(argc, argv, {"out"});
    const Device device = open_device();
    Rows rows(options.text("out", ".") + "/hopper_wgmma.csv", device.board.gpu);
    add_widths<Kind::kBf16Ss>(rows, "bf16 SS");
    add_widths<Kind::kBf16Rs>(rows, "bf16 RS");
    add_widths<Kind::kTf32Ss>(rows, "tf32 SS");
    add_widths<Kind::kTf32Rs>(rows, "tf32 RS");
    add_widths<Kind::kE4m3Ss>(rows, "e4m3 SS");
    add_widths<Kind::kE4m3Rs>(rows, "e4m3 RS");
    add_widths<Kind::kS8Ss>(rows, "s8 SS");
    add_widths<Kind::kS8Rs>(rows, "s8 RS");
    add_widths<Kind::kSparseSs>(rows, "sparse bf16 SS");
    add_widths<Kind::kSparseRs>(rows, "sparse bf16 RS");
    add_widths<Kind::kSparseE4m3Ss>(rows, "sparse e4m3 SS");
    add_patterns<64>(rows);
    add_patterns<128>(rows);
    add_patterns<256>(rows);
    add_all_issue_times<64>(rows);
    add_all_issue_times<128>(rows);
    add_all_issue_times<256>(rows);
    add_register_moves(rows);
  });
}
