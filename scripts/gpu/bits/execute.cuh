#pragma once

#include <vector>

#include "scripts/gpu/bits/fragment_words.hpp"
#include "scripts/gpu/bits/mma_instructions.cuh"
#include "scripts/gpu/common/cuda_check.cuh"

namespace tcsim::measure {

constexpr int kVectorsPerInstruction = 8;
constexpr int kWarpsPerCta = 4;

/// Operands of many vectors, each row of A and column of B as its words, one after the other.
struct Operands {
  const std::uint32_t* a;
  const std::uint32_t* b;
  const std::uint32_t* c;
  std::uint32_t* d;
  int count;  ///< a multiple of kVectorsPerInstruction
};

__device__ inline std::uint32_t to_bits(float value) { return __float_as_uint(value); }
__device__ inline std::uint32_t to_bits(std::uint32_t value) { return value; }
__device__ inline void set_bits(float& value, std::uint32_t bits) { value = __uint_as_float(bits); }
__device__ inline void set_bits(std::uint32_t& value, std::uint32_t bits) { value = bits; }

/// C with the c of vector `first` + lane / 4 at its place on the diagonal and 0 elsewhere.
template <class Mma>
__device__ void load_accumulator(typename Mma::Value (&d)[4], const Operands& operands, int first,
                                 int lane) {
  const std::uint32_t c = holds_result(lane) ? operands.c[first + lane / 4] : 0;
  const int element = result_element(lane);
  for (int i = 0; i < 4; ++i) set_bits(d[i], !Mma::kHalf && i == element ? c : 0);
  if (Mma::kHalf) set_bits(d[0], c << (16 * element));
}

template <class Mma>
__device__ void store_result(const typename Mma::Value (&d)[4], const Operands& operands, int first,
                             int lane) {
  if (!holds_result(lane)) return;
  const int element = result_element(lane);
  const std::uint32_t wide = to_bits(element == 0 ? d[0] : d[1]);
  operands.d[first + lane / 4] = Mma::kHalf ? to_bits(d[0]) >> (16 * element) & 0xffff : wide;
}

/// One instruction for every eight vectors, one warp each.
template <class Mma>
__global__ void run_vectors(Operands operands) {
  const int lane = threadIdx.x % 32;
  const int first =
      (blockIdx.x * kWarpsPerCta + static_cast<int>(threadIdx.x) / 32) * kVectorsPerInstruction;
  if (first >= operands.count) return;
  std::uint32_t a[4] = {};
  std::uint32_t b[2] = {};
  typename Mma::Value d[4];
  for (int r = 0; r < Mma::kRowWords / 2; ++r) {
    const Word word = word_of_a(lane, r);
    a[r] = operands.a[(first + word.vector) * Mma::kRowWords + word.word];
  }
  for (int r = 0; r < Mma::kRowWords / 4; ++r) {
    const Word word = word_of_b(lane, r);
    b[r] = operands.b[(first + word.vector) * Mma::kRowWords + word.word];
  }
  load_accumulator<Mma>(d, operands, first, lane);
  Mma::issue(d, a, b);
  store_result<Mma>(d, operands, first, lane);
}

/// How an instruction type is launched; types with another layout specialise it.
template <class Mma>
struct Launch {
  static constexpr int kWordsOfResult = 1;
  static void run(const Operands& operands) {
    const int per_cta = kWarpsPerCta * kVectorsPerInstruction;
    run_vectors<Mma><<<(operands.count + per_cta - 1) / per_cta, 32 * kWarpsPerCta>>>(operands);
  }
};

/// D of every vector. `a` and `b` hold Mma::kRowWords words of each, `c` and the result
/// Launch<Mma>::kWordsOfResult. Requires a count of vectors that is a multiple of 32.
template <class Mma>
std::vector<std::uint32_t> execute(const std::vector<std::uint32_t>& a,
                                   const std::vector<std::uint32_t>& b,
                                   const std::vector<std::uint32_t>& c) {
  const DeviceArray<std::uint32_t> device_a(a);
  const DeviceArray<std::uint32_t> device_b(b);
  const DeviceArray<std::uint32_t> device_c(c);
  DeviceArray<std::uint32_t> device_d(c.size());
  const int count = static_cast<int>(a.size()) / Mma::kRowWords;
  Launch<Mma>::run({device_a.get(), device_b.get(), device_c.get(), device_d.get(), count});
  finish("tensor-core instruction");
  return device_d.read();
}

}  // namespace tcsim::measure
