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

#if TC_SM == 90

// FP64 m16n8k8 and m16n8k16 have the layout of every m16n8, with an element for each 32-bit word.

struct MmaF64K8 {
  static constexpr int kRowWords = 16;
  static constexpr int kK = 8;
  static __device__ void issue(double (&d)[4], const double (&a)[4], const double (&b)[2]) {
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%0,%1,%2,%3};"
        : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
  }
};

struct MmaF64K16 {
  static constexpr int kRowWords = 32;
  static constexpr int kK = 16;
  static __device__ void issue(double (&d)[4], const double (&a)[8], const double (&b)[4]) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, "
        "{%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15}, {%0,%1,%2,%3};"
        : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]),
          "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
  }
};

template <class Mma>
__global__ void run_vectors_fp64_m16(Operands operands) {
  const int lane = threadIdx.x % 32;
  const int first =
      (blockIdx.x * kWarpsPerCta + static_cast<int>(threadIdx.x) / 32) * kVectorsPerInstruction;
  if (first >= operands.count) return;
  const int vector = first + lane / 4;
  const double* row = reinterpret_cast<const double*>(operands.a) + vector * Mma::kK;
  const double* column = reinterpret_cast<const double*>(operands.b) + vector * Mma::kK;
  double a[Mma::kK / 2];
  double b[Mma::kK / 4];
  for (int r = 0; r < Mma::kK / 2; ++r) a[r] = row[word_of_a(lane, r).word];
  for (int r = 0; r < Mma::kK / 4; ++r) b[r] = column[word_of_b(lane, r).word];
  const double c = holds_result(lane) ? reinterpret_cast<const double*>(operands.c)[vector] : 0;
  double d[4] = {};
  d[0] = result_element(lane) == 0 ? c : 0;
  d[1] = result_element(lane) == 1 ? c : 0;
  Mma::issue(d, a, b);
  if (holds_result(lane))
    reinterpret_cast<double*>(operands.d)[vector] = result_element(lane) == 0 ? d[0] : d[1];
}

template <class Mma>
struct LaunchF64M16 {
  static constexpr int kWordsOfResult = 2;
  static void run(const Operands& operands) {
    const int per_cta = kWarpsPerCta * kVectorsPerInstruction;
    run_vectors_fp64_m16<Mma>
        <<<(operands.count + per_cta - 1) / per_cta, 32 * kWarpsPerCta>>>(operands);
  }
};
template <>
struct Launch<MmaF64K8> : LaunchF64M16<MmaF64K8> {};
template <>
struct Launch<MmaF64K16> : LaunchF64M16<MmaF64K16> {};

#endif

}  // namespace tcsim::measure
