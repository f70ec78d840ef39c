#pragma once

#include <cstdint>

// TC_SM is the compute capability that is compiled for (70, 75, 80, 86, 89, 90). Each type below is
// one PTX instruction: D = A * B + C on the registers of a warp.
//
// A row of A and a column of B are kRowWords 32-bit words. Lane l, g = l / 4, q = l % 4, holds of A
// the words q + 4 * (r / 2) of row g + 8 * (r % 2) in register r, of B word q + 4 * r of column g,
// and of C and D columns 2q and 2q + 1 of row g (registers 0, 1 or the halves of 0) and row g + 8
// (2, 3 or the halves of 1). Every m16n8 shape has this layout whatever its types (PTX manual).

#define TC_MMA(NAME, PTX, WORDS, VALUE, LETTER, A, B, HALF)                  \
  struct NAME {                                                              \
    using Value = VALUE;                                                     \
    static constexpr int kRowWords = WORDS;                                  \
    static constexpr bool kHalf = HALF;                                      \
    static __device__ void issue(VALUE (&d)[4], const std::uint32_t (&a)[4], \
                                 const std::uint32_t (&b)[2]) {              \
      TC_MMA_##A##B##HALF(PTX, LETTER);                                      \
    }                                                                        \
  }

#define TC_MMA_42false(PTX, LETTER)                                                     \
  asm volatile(PTX " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"             \
               : "+" LETTER(d[0]), "+" LETTER(d[1]), "+" LETTER(d[2]), "+" LETTER(d[3]) \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
#define TC_MMA_21false(PTX, LETTER)                                                     \
  asm volatile(PTX " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"                      \
               : "+" LETTER(d[0]), "+" LETTER(d[1]), "+" LETTER(d[2]), "+" LETTER(d[3]) \
               : "r"(a[0]), "r"(a[1]), "r"(b[0]))
#define TC_MMA_42true(PTX, LETTER)                              \
  asm volatile(PTX " {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};" \
               : "+" LETTER(d[0]), "+" LETTER(d[1])             \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
#define TC_MMA_21true(PTX, LETTER)                     \
  asm volatile(PTX " {%0,%1}, {%2,%3}, {%4}, {%0,%1};" \
               : "+" LETTER(d[0]), "+" LETTER(d[1])    \
               : "r"(a[0]), "r"(a[1]), "r"(b[0]))
// m8n8k16: one register each of A and B, two of C and D.
#define TC_MMA_11false(PTX, LETTER)                 \
  asm volatile(PTX " {%0,%1}, {%2}, {%3}, {%0,%1};" \
               : "+" LETTER(d[0]), "+" LETTER(d[1]) \
               : "r"(a[0]), "r"(b[0]))

namespace tcsim::measure {

#if TC_SM >= 75
TC_MMA(MmaF16F32K8, "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", 4, float, "f", 2, 1, false);
TC_MMA(MmaF16F16K8, "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16", 4, std::uint32_t, "r", 2, 1,
       true);
TC_MMA(MmaS8N8K16, "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32", 4, std::uint32_t, "r", 1, 1,
       false);
TC_MMA(MmaS8N8K16Sat, "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.s8.s32", 4, std::uint32_t,
       "r", 1, 1, false);
#endif

#if TC_SM >= 80
TC_MMA(MmaF16F32K16, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 8, float, "f", 4, 2,
       false);
TC_MMA(MmaF16F16K16, "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", 8, std::uint32_t, "r", 4,
       2, true);
TC_MMA(MmaBf16F32K16, "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", 8, float, "f", 4, 2,
       false);
TC_MMA(MmaBf16F32K8, "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32", 4, float, "f", 2, 1,
       false);
TC_MMA(MmaTf32F32K8, "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 8, float, "f", 4, 2,
       false);
TC_MMA(MmaTf32F32K4, "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", 4, float, "f", 2, 1,
       false);
TC_MMA(MmaS8S32K32, "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", 8, std::uint32_t, "r", 4, 2,
       false);
TC_MMA(MmaS8S32K32Sat, "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32", 8,
       std::uint32_t, "r", 4, 2, false);
TC_MMA(MmaS8S32K16, "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32", 4, std::uint32_t, "r", 2, 1,
       false);
TC_MMA(MmaS8S32K16Sat, "mma.sync.aligned.m16n8k16.row.col.satfinite.s32.s8.s8.s32", 4,
       std::uint32_t, "r", 2, 1, false);
TC_MMA(MmaS4S32K64, "mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32", 8, std::uint32_t, "r", 4, 2,
       false);
TC_MMA(MmaB1S32K256, "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc", 8, std::uint32_t,
       "r", 4, 2, false);
#endif

// FP8 by mma.sync needs CUDA 12.4, with FP16 results 12.8 (PTX 8.4 and 8.7).
#if TC_SM >= 89
TC_MMA(MmaE4m3F32K32, "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", 8, float, "f", 4, 2,
       false);
TC_MMA(MmaE5m2F32K32, "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32", 8, float, "f", 4, 2,
       false);
#if __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ >= 1208
#define TC_FP8_F16 1
TC_MMA(MmaE4m3F16K32, "mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e4m3.f16", 8, std::uint32_t, "r",
       4, 2, true);
TC_MMA(MmaE5m2F16K32, "mma.sync.aligned.m16n8k32.row.col.f16.e5m2.e5m2.f16", 8, std::uint32_t, "r",
       4, 2, true);
#endif
#endif

}  // namespace tcsim::measure
