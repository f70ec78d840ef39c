#pragma once

#include "scripts/gpu/bits/execute.cuh"

namespace tcsim::measure {

#if TC_SM >= 80

// CUDA 12.5 (PTX 8.5) names the kind of metadata; the older spelling is deprecated.
#if __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ >= 1205
#define TC_MMA_SP "mma.sp::ordered_metadata.sync.aligned."
#else
#define TC_MMA_SP "mma.sp.sync.aligned."
#endif

/// FP16 m16n8k32 with 2:4 sparse A: of every four elements of a row the first two are stored,
/// whichever thread provides the metadata. Registers as m16n8k16; B continues with k 16 to 31.
struct MmaSparseF16F32 {
  static constexpr int kRowWords = 8;  ///< stored elements of A, selected ones of B
  static constexpr std::uint32_t kFirstTwo = 0x44444444;
  static __device__ void issue(float (&d)[4], const std::uint32_t (&a)[4],
                               const std::uint32_t (&b)[4]) {
    asm volatile(TC_MMA_SP
                 "m16n8k32.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
                 "{%8,%9,%10,%11}, {%0,%1,%2,%3}, %12, 0x0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]),
                   "r"(b[3]), "r"(kFirstTwo));
  }
};

/// One warp: row 0 of A (8 words, stored elements), column 0 of B (16 words), c; d is D(0, 0).
__global__ void run_sparse(const std::uint32_t* row, const std::uint32_t* column, float c,
                           std::uint32_t* d) {
  const int lane = threadIdx.x;
  std::uint32_t a[4] = {};
  std::uint32_t b[4] = {};
  if (lane < 4) {
    a[0] = row[lane];
    a[2] = row[lane + 4];
    for (int r = 0; r < 4; ++r) b[r] = column[lane + 4 * r];
  }
  float sum[4] = {lane == 0 ? c : 0, 0, 0, 0};
  MmaSparseF16F32::issue(sum, a, b);
  if (lane == 0) *d = __float_as_uint(sum[0]);
}

/// Vectors of 16 stored elements and the 16 elements of B that they are multiplied by. The other
/// elements of B hold the inverted bits of those and must not affect any result.
__global__ void run_vectors_sparse(Operands operands) {
  const int lane = threadIdx.x % 32;
  const int first =
      (blockIdx.x * kWarpsPerCta + static_cast<int>(threadIdx.x) / 32) * kVectorsPerInstruction;
  if (first >= operands.count) return;
  std::uint32_t a[4];
  std::uint32_t b[4];
  for (int r = 0; r < 4; ++r) {
    const Word word = word_of_a(lane, r);
    a[r] = operands.a[(first + word.vector) * 8 + word.word];
  }
  for (int r = 0; r < 4; ++r) {
    const Word word = word_of_b(lane, r);
    const std::uint32_t selected = operands.b[(first + word.vector) * 8 + word.word / 2];
    b[r] = word.word % 2 == 0 ? selected : ~selected;
  }
  const float c = holds_result(lane) ? __uint_as_float(operands.c[first + lane / 4]) : 0;
  const bool is_first = result_element(lane) == 0;
  float d[4] = {is_first ? c : 0, is_first ? 0 : c, 0, 0};
  MmaSparseF16F32::issue(d, a, b);
  if (holds_result(lane)) operands.d[first + lane / 4] = __float_as_uint(is_first ? d[0] : d[1]);
}

template <>
struct Launch<MmaSparseF16F32> {
  static constexpr int kWordsOfResult = 1;
  static void run(const Operands& operands) {
    const int per_cta = kWarpsPerCta * kVectorsPerInstruction;
    run_vectors_sparse<<<(operands.count + per_cta - 1) / per_cta, 32 * kWarpsPerCta>>>(operands);
  }
};

#endif

}  // namespace tcsim::measure
