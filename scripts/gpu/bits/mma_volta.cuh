#pragma once

#include "scripts/gpu/bits/execute.cuh"

namespace tcsim::measure {

// FP16 m8n8k4, native on Volta and Turing, emulated later: four products of quad pairs. Thread t =
// lane % 4, plus 4 in the upper half of the warp, of quad pair lane % 16 / 4 holds row t of A and
// column t of B, and of C and D, FP16 or FP32, element t is D(t, t) (PTX manual).

struct MmaVoltaF16F32 {
  using Value = float;
  static constexpr int kRowWords = 2;
  static constexpr bool kHalf = false;
  static __device__ void issue(float (&d)[8], const std::uint32_t (&a)[2],
                               const std::uint32_t (&b)[2]) {
    asm volatile(
        "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9}, "
        "{%10,%11}, {%0,%1,%2,%3,%4,%5,%6,%7};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
          "+f"(d[7])
        : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]));
  }
};

struct MmaVoltaF16F16 {
  using Value = std::uint32_t;
  static constexpr int kRowWords = 2;
  static constexpr bool kHalf = true;
  static __device__ void issue(std::uint32_t (&d)[8], const std::uint32_t (&a)[2],
                               const std::uint32_t (&b)[2]) {
    asm volatile(
        "mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 {%0,%1,%2,%3}, {%4,%5}, {%6,%7}, "
        "{%0,%1,%2,%3};"
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]));
  }
};

template <class Mma>
__global__ void run_vectors_volta(Operands operands) {
  const int lane = threadIdx.x % 32;
  const int t = lane % 4 + 4 * (lane / 16);
  const int vector = (blockIdx.x * kWarpsPerCta + static_cast<int>(threadIdx.x) / 32) * 32 +
                     lane % 16 / 4 * kVectorsPerInstruction + t;
  if (vector - vector % 32 >= operands.count) return;
  const std::uint32_t a[2] = {operands.a[2 * vector], operands.a[2 * vector + 1]};
  const std::uint32_t b[2] = {operands.b[2 * vector], operands.b[2 * vector + 1]};
  const std::uint32_t c = operands.c[vector];
  typename Mma::Value d[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const bool mine = Mma::kHalf ? i == t / 2 : i == t;
    set_bits(d[i], mine ? (Mma::kHalf ? c << (16 * (t % 2)) : c) : 0);
  }
  Mma::issue(d, a, b);
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    if (Mma::kHalf && i == t / 2) operands.d[vector] = to_bits(d[i]) >> (16 * (t % 2)) & 0xffff;
    if (!Mma::kHalf && i == t) operands.d[vector] = to_bits(d[i]);
  }
}

template <class Mma>
struct LaunchVolta {
  static constexpr int kWordsOfResult = 1;
  static void run(const Operands& operands) {
    const int per_cta = kWarpsPerCta * 32;
    run_vectors_volta<Mma>
        <<<(operands.count + per_cta - 1) / per_cta, 32 * kWarpsPerCta>>>(operands);
  }
};
template <>
struct Launch<MmaVoltaF16F32> : LaunchVolta<MmaVoltaF16F32> {};
template <>
struct Launch<MmaVoltaF16F16> : LaunchVolta<MmaVoltaF16F16> {};

}  // namespace tcsim::measure
