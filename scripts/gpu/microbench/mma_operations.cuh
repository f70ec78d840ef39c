#pragma once

#include "scripts/gpu/bits/mma_fp64.cuh"
#include "scripts/gpu/bits/mma_instructions.cuh"
#include "scripts/gpu/bits/mma_sparse.cuh"
#include "scripts/gpu/bits/mma_volta.cuh"

namespace tcsim::measure {

// Operations for operation_loop: each accumulates onto its own D, so one chain measures latency.

template <class Mma>
struct MmaOperation {
  typename Mma::Value d[4];
  std::uint32_t a[4];
  std::uint32_t b[2];

  __device__ void start(int chain, const std::uint32_t* memory, int) {
    for (int i = 0; i < 4; ++i) set_bits(d[i], memory[chain * 32 + i]);
    for (int i = 0; i < 4; ++i) a[i] = memory[512 + i];
    for (int i = 0; i < 2; ++i) b[i] = memory[520 + i];
  }
  __device__ void step() { Mma::issue(d, a, b); }
  __device__ std::uint32_t result() const {
    return to_bits(d[0]) ^ to_bits(d[1]) ^ to_bits(d[2]) ^ to_bits(d[3]);
  }
};

template <class Mma>
struct VoltaOperation {
  typename Mma::Value d[8];
  std::uint32_t a[2];
  std::uint32_t b[2];

  __device__ void start(int chain, const std::uint32_t* memory, int) {
    for (int i = 0; i < 8; ++i) set_bits(d[i], memory[chain * 32 + i]);
    for (int i = 0; i < 2; ++i) a[i] = memory[512 + i];
    for (int i = 0; i < 2; ++i) b[i] = memory[520 + i];
  }
  __device__ void step() { Mma::issue(d, a, b); }
  __device__ std::uint32_t result() const {
    std::uint32_t bits = 0;
    for (int i = 0; i < 8; ++i) bits ^= to_bits(d[i]);
    return bits;
  }
};

#if TC_SM >= 80
struct DmmaOperation {
  double d[2];
  double a;
  double b;

  __device__ void start(int chain, const std::uint32_t* memory, int) {
    d[0] = d[1] = memory[chain * 32];
    a = memory[512];
    b = memory[520];
  }
  __device__ void step() { MmaF64K4::issue(d, a, b); }
  __device__ std::uint32_t result() const { return static_cast<std::uint32_t>(d[0] + d[1]); }
};

struct SparseOperation {
  float d[4];
  std::uint32_t a[4];
  std::uint32_t b[4];

  __device__ void start(int chain, const std::uint32_t* memory, int) {
    for (int i = 0; i < 4; ++i) d[i] = __uint_as_float(memory[chain * 32 + i]);
    for (int i = 0; i < 4; ++i) a[i] = memory[512 + i];
    for (int i = 0; i < 4; ++i) b[i] = memory[520 + i];
  }
  __device__ void step() { MmaSparseF16F32::issue(d, a, b); }
  __device__ std::uint32_t result() const { return __float_as_uint(d[0] + d[1] + d[2] + d[3]); }
};
#endif

}  // namespace tcsim::measure
