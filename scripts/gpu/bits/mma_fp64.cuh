#pragma once

#include "scripts/gpu/bits/execute.cuh"

namespace tcsim::measure {

#if TC_SM >= 80

/// FP64 m8n8k4: A row lane / 4, k = lane % 4; B column lane / 4, the same k; C and D row lane / 4,
/// columns 2 (lane % 4) and the next (PTX manual). A vector is row and column j, its result D(j,
/// j).
struct MmaF64K4 {
  static constexpr int kRowWords = 8;
  static __device__ void issue(double (&d)[2], double a, double b) {
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                 : "+d"(d[0]), "+d"(d[1])
                 : "d"(a), "d"(b));
  }
};

__global__ void run_vectors_fp64(Operands operands) {
  const int lane = threadIdx.x % 32;
  const int first =
      (blockIdx.x * kWarpsPerCta + static_cast<int>(threadIdx.x) / 32) * kVectorsPerInstruction;
  if (first >= operands.count) return;
  const int vector = first + lane / 4;
  const double* a = reinterpret_cast<const double*>(operands.a);
  const double* b = reinterpret_cast<const double*>(operands.b);
  const double* c = reinterpret_cast<const double*>(operands.c);
  double d[2] = {0, 0};
  if (holds_result(lane)) d[result_element(lane)] = c[vector];
  MmaF64K4::issue(d, a[vector * 4 + lane % 4], b[vector * 4 + lane % 4]);
  if (holds_result(lane)) reinterpret_cast<double*>(operands.d)[vector] = d[result_element(lane)];
}

template <>
struct Launch<MmaF64K4> {
  static constexpr int kWordsOfResult = 2;
  static void run(const Operands& operands) {
    const int per_cta = kWarpsPerCta * kVectorsPerInstruction;
    run_vectors_fp64<<<(operands.count + per_cta - 1) / per_cta, 32 * kWarpsPerCta>>>(operands);
  }
};

#endif

}  // namespace tcsim::measure
