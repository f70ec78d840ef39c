#pragma once

#include <cuda_fp16.h>

#include "scripts/gpu/bits/mma_instructions.cuh"

// D[m][n] = A[m][k] * B[n][k]^T, FP16 with FP32 accumulation and FP16 result, by mma.sync: a CTA of
// 2 x 4 warps computes a tile of 128 x 128. Operands pass through shared memory in slices of 32 k,
// kStages slices deep (cp.async from compute capability 8.0 on). Rows of 64 bytes are kept in four
// pieces of 16, exchanged by the row so that ldmatrix meets no bank twice.

namespace tcsim::measure {

#if TC_SM >= 75

struct OwnGemm {
  static constexpr int kTile = 128;
  static constexpr int kSlice = 32;
  static constexpr int kStages = TC_SM >= 80 ? 4 : 2;
  static constexpr int kThreads = 256;
  static constexpr int kPieces = kSlice / 8;             ///< of 16 bytes, in a row
  static constexpr int kOperandHalves = kTile * kSlice;  ///< of one operand and stage
  static constexpr int kSharedBytes = 2 * kStages * kOperandHalves * 2;
};

__device__ inline int own_place(int row, int piece) {
  return row * OwnGemm::kSlice + (piece ^ (row / 2 % 4)) * 8;
}

__device__ inline std::uint32_t own_address(const __half* place) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(place));
}

__device__ inline void own_copy(__half* to, const __half* from) {
#if TC_SM >= 80
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(own_address(to)), "l"(from)
               : "memory");
#else
  *reinterpret_cast<uint4*>(to) = *reinterpret_cast<const uint4*>(from);
#endif
}

__device__ inline void own_commit() {
#if TC_SM >= 80
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/// Waits until all but the newest kStages - 2 slices have arrived.
__device__ inline void own_wait() {
#if TC_SM >= 80
  asm volatile("cp.async.wait_group %0;" ::"n"(OwnGemm::kStages - 2) : "memory");
#endif
}

/// One slice of 128 rows of a matrix with `k` columns.
__device__ inline void own_load(__half* stage, const __half* matrix, int k, int slice) {
  for (int i = threadIdx.x; i < OwnGemm::kTile * OwnGemm::kPieces; i += OwnGemm::kThreads) {
    const int row = i / OwnGemm::kPieces;
    const int piece = i % OwnGemm::kPieces;
    own_copy(stage + own_place(row, piece),
             matrix + static_cast<std::size_t>(row) * k + slice * OwnGemm::kSlice + piece * 8);
  }
}

/// Four 8 x 8 matrices: rows `row` to `row` + 15, pieces `piece` and the next. `rows_first`: the
/// second matrix is the lower one (A), otherwise the one to the right (B).
__device__ inline void own_fragment(std::uint32_t (&fragment)[4], const __half* stage, int row,
                                    int piece, bool rows_first) {
  const int matrix = threadIdx.x % 32 / 8;
  const int down = rows_first ? matrix % 2 : matrix / 2;
  const int right = rows_first ? matrix / 2 : matrix % 2;
  const __half* place = stage + own_place(row + 8 * down + threadIdx.x % 8, piece + right);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(fragment[0]), "=r"(fragment[1]), "=r"(fragment[2]), "=r"(fragment[3])
               : "r"(own_address(place))
               : "memory");
}

/// A 16 x 16 product on 16 x 8 of the accumulators.
__device__ inline void own_mma(float (&d)[4], const std::uint32_t (&a)[4], std::uint32_t low,
                               std::uint32_t high) {
#if TC_SM >= 80
  const std::uint32_t b[2] = {low, high};
  MmaF16F32K16::issue(d, a, b);
#else
  const std::uint32_t upper[4] = {a[2], a[3], 0, 0};
  const std::uint32_t first[2] = {low, 0};
  const std::uint32_t second[2] = {high, 0};
  MmaF16F32K8::issue(d, a, first);
  MmaF16F32K8::issue(d, upper, second);
#endif
}

/// The warp's 64 x 32 of one slice.
__device__ inline void own_multiply(float (&d)[4][4][4], const __half* a_stage,
                                    const __half* b_stage, int row, int column) {
#pragma unroll
  for (int step = 0; step < OwnGemm::kSlice / 16; ++step) {
    std::uint32_t a[4][4];
    std::uint32_t b[2][4];
    for (int i = 0; i < 4; ++i) own_fragment(a[i], a_stage, row + 16 * i, 2 * step, true);
    for (int j = 0; j < 2; ++j) own_fragment(b[j], b_stage, column + 16 * j, 2 * step, false);
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j)
        own_mma(d[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
  }
}

/// Requires m and n to be multiples of 128, k of 32; one CTA for each tile, n along x.
__global__ void __launch_bounds__(OwnGemm::kThreads)
    own_gemm(const __half* a, const __half* b, __half* d, int n, int k) {
  extern __shared__ uint4 own_shared[];
  auto* a_stages = reinterpret_cast<__half*>(own_shared);
  __half* b_stages = a_stages + OwnGemm::kStages * OwnGemm::kOperandHalves;
  const std::size_t first_row = std::size_t{blockIdx.y} * OwnGemm::kTile;
  const std::size_t first_column = std::size_t{blockIdx.x} * OwnGemm::kTile;
  const int slices = k / OwnGemm::kSlice;
  const auto load = [&](int slice) {
    const int stage = slice % OwnGemm::kStages * OwnGemm::kOperandHalves;
    if (slice < slices) {
      own_load(a_stages + stage, a + first_row * k, k, slice);
      own_load(b_stages + stage, b + first_column * k, k, slice);
    }
    own_commit();
  };
  const int warp = threadIdx.x / 32;
  const int row = warp / 4 * 64;
  const int column = warp % 4 * 32;
  float sums[4][4][4] = {};
  for (int slice = 0; slice < OwnGemm::kStages - 1; ++slice) load(slice);
  for (int slice = 0; slice < slices; ++slice) {
    own_wait();
    __syncthreads();
    load(slice + OwnGemm::kStages - 1);
    const int stage = slice % OwnGemm::kStages * OwnGemm::kOperandHalves;
    own_multiply(sums, a_stages + stage, b_stages + stage, row, column);
  }
  const int lane = threadIdx.x % 32;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      for (int half = 0; half < 2; ++half) {
        const std::size_t at = (first_row + row + 16 * i + 8 * half + lane / 4) * n + first_column +
                               column + 8 * j + 2 * (lane % 4);
        *reinterpret_cast<__half2*>(d + at) =
            __floats2half2_rn(sums[i][j][2 * half], sums[i][j][2 * half + 1]);
      }
}

#endif

}  // namespace tcsim::measure
