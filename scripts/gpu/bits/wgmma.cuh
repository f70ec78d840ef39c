#pragma once

#include "scripts/gpu/bits/execute.cuh"

// wgmma m64n8: A in registers with the layout of mma (16 rows for each warp), B in shared memory
// without swizzle, D as mma. B is two core matrices of 8 columns x 16 bytes of k, one after the
// other. A K step is always 32 bytes. Instructions, descriptor and layouts: PTX manual.

#define TC_WGMMA(NAME, PTX, VALUE, LETTER, HALF, FLAGS)                                         \
  struct NAME {                                                                                 \
    using Value = VALUE;                                                                        \
    static constexpr int kRowWords = 8;                                                         \
    static constexpr bool kHalf = HALF;                                                         \
    static __device__ void issue(VALUE (&d)[4], const std::uint32_t (&a)[4], std::uint64_t b) { \
      TC_WGMMA_##HALF(PTX, LETTER, FLAGS);                                                      \
    }                                                                                           \
  }
#define TC_WGMMA_false(PTX, LETTER, FLAGS)                                                         \
  asm volatile("wgmma.mma_async.sync.aligned." PTX " {%0,%1,%2,%3}, {%4,%5,%6,%7}, %8, " FLAGS ";" \
               : "+" LETTER(d[0]), "+" LETTER(d[1]), "+" LETTER(d[2]), "+" LETTER(d[3])            \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b))
#define TC_WGMMA_true(PTX, LETTER, FLAGS)                                                    \
  asm volatile("wgmma.mma_async.sync.aligned." PTX " {%0,%1}, {%2,%3,%4,%5}, %6, " FLAGS ";" \
               : "+" LETTER(d[0]), "+" LETTER(d[1])                                          \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b))

namespace tcsim::measure {

#if TC_SM == 90

// Flags: scale-d, negate A, negate B; 16-bit types also: B is not transposed.
TC_WGMMA(WgmmaF16F32, "m64n8k16.f32.f16.f16", float, "f", false, "1, 1, 1, 0");
TC_WGMMA(WgmmaF16F16, "m64n8k16.f16.f16.f16", std::uint32_t, "r", true, "1, 1, 1, 0");
TC_WGMMA(WgmmaBf16F32, "m64n8k16.f32.bf16.bf16", float, "f", false, "1, 1, 1, 0");
TC_WGMMA(WgmmaTf32F32, "m64n8k8.f32.tf32.tf32", float, "f", false, "1, 1, 1");
TC_WGMMA(WgmmaE4m3F32, "m64n8k32.f32.e4m3.e4m3", float, "f", false, "1, 1, 1");
TC_WGMMA(WgmmaE5m2F32, "m64n8k32.f32.e5m2.e5m2", float, "f", false, "1, 1, 1");
TC_WGMMA(WgmmaE4m3F16, "m64n8k32.f16.e4m3.e4m3", std::uint32_t, "r", true, "1, 1, 1");
TC_WGMMA(WgmmaE5m2F16, "m64n8k32.f16.e5m2.e5m2", std::uint32_t, "r", true, "1, 1, 1");
// Integer instructions have only scale-d.
TC_WGMMA(WgmmaS8S32, "m64n8k32.s32.s8.s8", std::uint32_t, "r", false, "1");
TC_WGMMA(WgmmaS8S32Sat, "m64n8k32.s32.s8.s8.satfinite", std::uint32_t, "r", false, "1");
TC_WGMMA(WgmmaF16F32ScaleD0, "m64n8k16.f32.f16.f16", float, "f", false, "0, 1, 1, 0");
TC_WGMMA(WgmmaF16F32NegatedA, "m64n8k16.f32.f16.f16", float, "f", false, "1, -1, 1, 0");

__device__ inline void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }

/// A point that no use of the register may be moved across.
__device__ inline void pin(float& value) { asm volatile("" : "+f"(value)::"memory"); }
__device__ inline void pin(std::uint32_t& value) { asm volatile("" : "+r"(value)::"memory"); }

/// Waits for the instructions so far; their accumulators `d` may be read only after it.
template <class Value>
__device__ void wgmma_finish(Value (&d)[4]) {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  for (Value& value : d) pin(value);
}

/// Descriptor of B at `address` in shared memory: 128 bytes from one core matrix to the next along
/// k (leading) and along n (stride; there is one along n).
__device__ inline std::uint64_t b_descriptor(const void* address) {
  const auto shared = static_cast<std::uint64_t>(__cvta_generic_to_shared(address));
  return (shared & 0x3ffff) >> 4 | std::uint64_t{128 >> 4} << 16 | std::uint64_t{128 >> 4} << 32;
}

/// The same bits through an instruction that the compiler keeps.
__device__ inline std::uint32_t moved(std::uint32_t value) {
  asm volatile("mov.b32 %0, %0;" : "+r"(value));
  return value;
}

/// Word `word` of column `column`: its place among the words of B in shared memory.
__device__ constexpr int b_place(int column, int word) {
  return word / 4 * 32 + column * 4 + word % 4;
}

/// `Steps` instructions on the same accumulators for eight vectors of each warpgroup. The first
/// warp holds the vectors; the rows of the other warps are 0. The instructions form one group, or
/// the warpgroup waits for each and its result passes through the registers.
template <class Wgmma, int Steps, bool IsOneGroup>
__global__ void run_vectors_wgmma(Operands operands) {
  constexpr int kWords = 8 * Steps;
  __shared__ alignas(128) std::uint32_t columns[Steps][8 * 8];
  const int lane = threadIdx.x % 32;
  const int first = blockIdx.x * kVectorsPerInstruction;
  for (int i = threadIdx.x; i < 8 * kWords; i += blockDim.x) {
    const int column = i / kWords;
    const int word = i % kWords;
    columns[word / 8][b_place(column, word % 8)] = operands.b[first * kWords + i];
  }
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  std::uint32_t a[Steps][4] = {};
  typename Wgmma::Value d[4] = {};
  if (threadIdx.x < 32) {
#pragma unroll
    for (int step = 0; step < Steps; ++step)
      for (int r = 0; r < 4; ++r) {
        const Word word = word_of_a(lane, r);
        a[step][r] = operands.a[(first + word.vector) * kWords + 8 * step + word.word];
      }
    load_accumulator<Wgmma>(d, operands, first, lane);
  }
  wgmma_fence();
#pragma unroll
  for (int step = 0; step < Steps; ++step) {
    Wgmma::issue(d, a[step], b_descriptor(columns[step]));
    if (IsOneGroup || step == Steps - 1) continue;
    wgmma_finish(d);
    for (int i = 0; i < (Wgmma::kHalf ? 2 : 4); ++i) set_bits(d[i], moved(to_bits(d[i])));
    wgmma_fence();
  }
  wgmma_finish(d);
  if (threadIdx.x < 32) store_result<Wgmma>(d, operands, first, lane);
}

template <class Wgmma, int Steps = 1, bool IsOneGroup = true>
struct LaunchWgmma {
  static constexpr int kWordsOfResult = 1;
  static void run(const Operands& operands) {
    run_vectors_wgmma<Wgmma, Steps, IsOneGroup>
        <<<operands.count / kVectorsPerInstruction, 128>>>(operands);
  }
};

/// Two K steps as one operation with twice the k.
template <class Wgmma, bool IsOneGroup>
struct TwoSteps {
  static constexpr int kRowWords = 16;
};
template <class Wgmma, bool IsOneGroup>
struct Launch<TwoSteps<Wgmma, IsOneGroup>> : LaunchWgmma<Wgmma, 2, IsOneGroup> {};

template <>
struct Launch<WgmmaF16F32> : LaunchWgmma<WgmmaF16F32> {};
template <>
struct Launch<WgmmaF16F16> : LaunchWgmma<WgmmaF16F16> {};
template <>
struct Launch<WgmmaBf16F32> : LaunchWgmma<WgmmaBf16F32> {};
template <>
struct Launch<WgmmaTf32F32> : LaunchWgmma<WgmmaTf32F32> {};
template <>
struct Launch<WgmmaE4m3F32> : LaunchWgmma<WgmmaE4m3F32> {};
template <>
struct Launch<WgmmaE5m2F32> : LaunchWgmma<WgmmaE5m2F32> {};
template <>
struct Launch<WgmmaE4m3F16> : LaunchWgmma<WgmmaE4m3F16> {};
template <>
struct Launch<WgmmaE5m2F16> : LaunchWgmma<WgmmaE5m2F16> {};
template <>
struct Launch<WgmmaS8S32> : LaunchWgmma<WgmmaS8S32> {};
template <>
struct Launch<WgmmaS8S32Sat> : LaunchWgmma<WgmmaS8S32Sat> {};
template <>
struct Launch<WgmmaF16F32ScaleD0> : LaunchWgmma<WgmmaF16F32ScaleD0> {};
template <>
struct Launch<WgmmaF16F32NegatedA> : LaunchWgmma<WgmmaF16F32NegatedA> {};

#endif

}  // namespace tcsim::measure
