// What a wgmma shares with the rest of an SM of a Hopper GPU: boxes that TMA writes, loads, stores
// and arithmetic of other warps, each alone and while warpgroups multiply without a break. Rows go
// to hopper_beside.csv.
//
//   beside --out FOLDER
#include <cuda_bf16.h>

#include <algorithm>
#include <cstdio>

#include "scripts/gpu/common/device.cuh"
#include "scripts/gpu/common/options.hpp"
#include "scripts/gpu/hopper/barrier.cuh"
#include "scripts/gpu/hopper/bulk_copy.cuh"
#include "scripts/gpu/hopper/products.cuh"
#include "scripts/gpu/hopper/rows.hpp"

namespace tcsim::measure {
namespace {

constexpr int kTileBytes = 2 * 8192 + 32768;
constexpr int kStages = 3;
constexpr int kMostBox = 32768;
constexpr int kSharedBytes = kTileBytes + kStages * kMostBox + 1024;
constexpr int kOtherWarps = 8;
constexpr int kStepsOfTrip = 8;  ///< steps of an iteration, each of eight instructions

enum class Other {
  kBoxes,
  kLoads,
  kLoads32,
  kStores,
  kMatrixLoads,
  kMatrixStores,
  kExp2,
  kFma,
  kAdd,
  kMultiply,
  kInteger,
  kMove,
  kConvert
};

const char* word(Other other) {
  constexpr const char* kWords[] = {"UTMALDG", "LDS.128",  "LDS",  "STS.128", "LDSM.x4",
                                    "STSM.x4", "MUFU.EX2", "FFMA", "FADD",    "FMUL",
                                    "IADD3",   "PRMT",     "F2FP"};
  return kWords[static_cast<int>(other)];
}

/// Cycles of the other side from its first to its last instruction, and how many a warp (or the
/// thread that copies boxes) issued in them.
struct Beside {
  long long cycles;
  long long count;
};

__device__ void stream_boxes(const CUtensorMap* map, int rows, int count, std::uint32_t ring,
                             std::uint32_t full, Beside* result) {
  RingPlace place;
  long long begin = 0;
  int y = 0;
  for (int box = 0; box < count; ++box) {
    const std::uint32_t barrier = full + 8 * place.stage;
    if (box >= kStages) wait(barrier, place.parity ^ 1);
    if (box == kStages) begin = clock64();
    arrive_expecting(barrier, rows * 128);
    copy_box(ring + place.stage * kMostBox, map, 0, y, barrier);
    y = y + rows & 1023;
    place.advance(kStages);
  }
  for (int open = 0; open < kStages; ++open) {
    wait(full + 8 * place.stage, place.parity ^ 1);
    place.advance(kStages);
  }
  *result = {clock64() - begin, count - kStages};
}

/// Eight independent chains, or accesses without bank conflicts at eight places.
struct Chains {
  float f[8];
  std::uint32_t r[8];
};

template <Other kOther>
__device__ __forceinline__ void step(std::uint32_t address, Chains& c) {
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const std::uint32_t at = address + (i & 3) * 4096;
    std::uint32_t a, b, d, e;
    if constexpr (kOther == Other::kLoads) {
      asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3}, [%4];"
                   : "=r"(a), "=r"(b), "=r"(d), "=r"(e)
                   : "r"(at));
      c.r[i] ^= a;
    } else if constexpr (kOther == Other::kLoads32) {
      asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(a) : "r"(at));
      c.r[i] ^= a;
    } else if constexpr (kOther == Other::kStores) {
      asm volatile("st.volatile.shared.v4.u32 [%0], {%1,%2,%3,%4};" ::"r"(at), "r"(c.r[0]),
                   "r"(c.r[1]), "r"(c.r[2]), "r"(c.r[3]));
    } else if constexpr (kOther == Other::kMatrixLoads) {
      // The next address depends on what was loaded, zeros, so that no load can be left out.
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                   : "=r"(a), "=r"(b), "=r"(d), "=r"(e)
                   : "r"(at + c.r[i]));
      c.r[i] = a | b | d | e;
    } else if constexpr (kOther == Other::kMatrixStores) {
      asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(at),
                   "r"(c.r[0]), "r"(c.r[1]), "r"(c.r[2]), "r"(c.r[3])
                   : "memory");
    } else if constexpr (kOther == Other::kExp2) {
      asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(c.f[i]));
    } else if constexpr (kOther == Other::kFma) {
      asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(c.f[i]) : "f"(c.f[i ^ 1]), "f"(c.f[i ^ 2]));
    } else if constexpr (kOther == Other::kAdd) {
      asm volatile("add.rn.f32 %0, %0, %1;" : "+f"(c.f[i]) : "f"(c.f[i ^ 1]));
    } else if constexpr (kOther == Other::kMultiply) {
      asm volatile("mul.rn.f32 %0, %0, %1;" : "+f"(c.f[i]) : "f"(c.f[i ^ 1]));
    } else if constexpr (kOther == Other::kInteger) {
      asm volatile("xor.b32 %0, %0, %1;" : "+r"(c.r[i]) : "r"(c.r[i ^ 1]));
      asm volatile("add.u32 %0, %0, %1;" : "+r"(c.r[i]) : "r"(c.r[i ^ 2]));
    } else if constexpr (kOther == Other::kMove) {
      asm volatile("prmt.b32 %0, %0, %0, 0x1032;" : "+r"(c.r[i]));
    } else if constexpr (kOther == Other::kConvert) {
      asm volatile("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(c.r[i]) : "f"(c.f[i]), "f"(c.f[i ^ 1]));
      c.f[i] = __uint_as_float(c.r[i]);
    }
  }
}

template <Other kOther>
__device__ void repeat(std::uint32_t base, int trips, Beside* result, std::uint32_t* sink) {
  Chains c;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    c.f[i] = 1.0f + static_cast<float>(threadIdx.x + i);
    c.r[i] = kOther == Other::kMatrixLoads ? 0 : threadIdx.x + i;
  }
  const std::uint32_t address =
      base + threadIdx.x % (32 * kOtherWarps) * (kOther == Other::kLoads32 ? 4 : 16);
  const long long begin = clock64();
#pragma unroll 1
  for (int trip = 0; trip < trips; ++trip) {
#pragma unroll
    for (int i = 0; i < kStepsOfTrip; ++i) step<kOther>(address, c);
  }
  const long long end = clock64();
  std::uint32_t sum = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) sum ^= c.r[i] ^ __float_as_uint(c.f[i]);
  *sink = sum;
  if (threadIdx.x % 32 == 0) *result = {end - begin, 8LL * kStepsOfTrip * trips};
}

/// `Groups` warpgroups that multiply what is in shared memory until the `others` warps after them
/// have finished their own work.
template <Kind kKind, int N, int Groups, Other kOther>
__global__ void __launch_bounds__(128 * Groups + 32 * kOtherWarps, 1)
    products_beside(const __grid_constant__ CUtensorMap map, int rows, bool multiplies, int others,
                    int count, Beside* result, std::uint32_t* sink) {
  extern __shared__ unsigned char memory[];
  __shared__ std::uint64_t barriers[kStages];
  __shared__ volatile int finished;
  __shared__ volatile int stops[Groups];
  declare_accumulators();
  const std::uint32_t tiles = (shared_address(memory) + 1023) & ~1023u;
  const std::uint32_t full = shared_address(barriers);
  for (int i = threadIdx.x; i < (kSharedBytes - 1024) / 4; i += blockDim.x)
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(tiles + 4 * i), "r"(0) : "memory");
  if (threadIdx.x == 0) {
    finished = 0;
    for (int stage = 0; stage < kStages; ++stage) init_barrier(full + 8 * stage, 1);
  }
  publish_barriers();
  __syncthreads();
  const int warp = warp_index();
  const int other = warp - 4 * Groups;
  std::uint32_t* mine = sink + threadIdx.x;
  if (other >= 0) {
    if constexpr (kOther == Other::kBoxes) {
      if (other == 0 && elected())
        stream_boxes(&map, rows, count, tiles + kTileBytes, full, result);
    } else if (other < others) {
      repeat<kOther>(tiles + kTileBytes, count, result + other, mine);
    }
    __syncwarp();
    asm volatile("bar.sync 1, %0;" ::"n"(32 * kOtherWarps) : "memory");
    finished = 1;
  } else if (multiplies) {
    const std::uint64_t a = swizzled_tile(tiles + warp / 4 * 8192);
    const std::uint64_t b = swizzled_tile(tiles + 2 * 8192);
    for (bool stop = false; !stop;) {
#pragma unroll 1
      for (int group = 0; group < 32; ++group) {
        open_products();
#pragma unroll
        for (int i = 0; i < 4; ++i) Product<kKind, N>::issue(a, b);
        close_products();
        wait_products<1>();
      }
      // One thread checks, so that the warps of the group agree.
      if (threadIdx.x % 128 == 0) stops[warp / 4] = finished;
      asm volatile("bar.sync %0, 128;" ::"r"(2 + warp / 4) : "memory");
      stop = stops[warp / 4] != 0;
      asm volatile("bar.sync %0, 128;" ::"r"(2 + warp / 4) : "memory");
    }
    wait_products<0>();
    *mine = an_accumulator();
  }
}

template <Kind kKind, int N, int Groups, Other kOther>
void measure(Rows& rows, const char* name, void* data, int others, int box_rows = 8) {
  constexpr int kCount = kOther == Other::kBoxes ? 400 : 100;
  const auto kernel = products_beside<kKind, N, Groups, kOther>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes),
        "cudaFuncSetAttribute");
  const CUtensorMap map = matrix_map(data, 64, 1024, box_rows);
  const int threads = 128 * Groups + 32 * kOtherWarps;
  DeviceArray<Beside> result(kOtherWarps);
  DeviceArray<std::uint32_t> sink(threads);
  const auto cycles_each = [&](bool multiplies) {
    for (int i = 0; i < 2; ++i) {
      kernel<<<1, threads, kSharedBytes>>>(map, box_rows, multiplies, others, kCount, result.get(),
                                           sink.get());
      finish("products beside");
    }
    double longest = 0;
    const auto read = result.read();
    for (int warp = 0; warp < others; ++warp)
      longest = std::max(
          longest, static_cast<double>(read[warp].cycles) / static_cast<double>(read[warp].count));
    return longest;
  };
  const double alone = cycles_each(false);
  const double beside = cycles_each(true);
  std::string notes = "alone=" + number(alone) + ";warps=" + std::to_string(others);
  if (kOther == Other::kBoxes)
    notes += ";box=" + std::to_string(box_rows * 128) +
             ";bytes_per_cycle=" + number(box_rows * 128 / beside) +
             ";alone_bytes_per_cycle=" + number(box_rows * 128 / alone);
  rows.add("beside",
           std::string(name) + " m" + std::to_string(64 * Groups) + " n" + std::to_string(N) + " " +
               word(kOther),
           beside, "cycles/instruction of a warp", notes);
}

template <Kind kKind, int N, int Groups>
void measure_all(Rows& rows, const char* name, void* data) {
  for (const int box_rows : {8, 64, 128, 256})
    measure<kKind, N, Groups, Other::kBoxes>(rows, name, data, 1, box_rows);
  for (const int others : {4, 8}) {
    measure<kKind, N, Groups, Other::kLoads>(rows, name, data, others);
    measure<kKind, N, Groups, Other::kLoads32>(rows, name, data, others);
    measure<kKind, N, Groups, Other::kStores>(rows, name, data, others);
    measure<kKind, N, Groups, Other::kMatrixLoads>(rows, name, data, others);
    measure<kKind, N, Groups, Other::kMatrixStores>(rows, name, data, others);
    measure<kKind, N, Groups, Other::kExp2>(rows, name, data, others);
    measure<kKind, N, Groups, Other::kFma>(rows, name, data, others);
    measure<kKind, N, Groups, Other::kAdd>(rows, name, data, others);
    measure<kKind, N, Groups, Other::kMultiply>(rows, name, data, others);
    measure<kKind, N, Groups, Other::kInteger>(rows, name, data, others);
    measure<kKind, N, Groups, Other::kMove>(rows, name, data, others);
    measure<kKind, N, Groups, Other::kConvert>(rows, name, data, others);
  }
}

}  // namespace
}  // namespace tcsim::measure

int main(int argc, char** argv) {
  using namespace tcsim::measure;
  return run_program("beside", [&] {
    const Options options(argc, argv, {"out"});
    const Device device = open_device();
    Rows rows(options.text("out", ".") + "/hopper_beside.csv", device.board.gpu);
    DeviceArray<std::uint32_t> data(1 << 20);
    data.clear();
    measure_all<Kind::kBf16Ss, 32, 1>(rows, "bf16 SS", data.get());
    measure_all<Kind::kBf16Ss, 64, 1>(rows, "bf16 SS", data.get());
    measure_all<Kind::kBf16Ss, 128, 1>(rows, "bf16 SS", data.get());
    measure_all<Kind::kBf16Ss, 128, 2>(rows, "bf16 SS", data.get());
    measure_all<Kind::kBf16Ss, 192, 1>(rows, "bf16 SS", data.get());
    measure_all<Kind::kBf16Rs, 64, 1>(rows, "bf16 RS", data.get());
    measure_all<Kind::kBf16Rs, 128, 1>(rows, "bf16 RS", data.get());
    measure_all<Kind::kBf16Rs, 128, 2>(rows, "bf16 RS", data.get());
    measure_all<Kind::kE4m3Ss, 128, 1>(rows, "e4m3 SS", data.get());
  });
}
