#pragma once

#include <cstdint>

// wgmma of a warpgroup on accumulators that a kernel declares once by declare_accumulators(): 128
// registers of PTX, d0_0 to d0_7, ..., d15_0 to d15_7, which no C++ variable names. The values
// do not matter here, only the timing. Instructions: PTX manual.

#define TC_EIGHT(i) \
  "d" #i "_0,d" #i "_1,d" #i "_2,d" #i "_3,d" #i "_4,d" #i "_5,d" #i "_6,d" #i "_7"
#define TC_D8 "d0_0,d0_1,d0_2,d0_3"
#define TC_D16 TC_EIGHT(0)
#define TC_D32 TC_D16 "," TC_EIGHT(1)
#define TC_D64 TC_D32 "," TC_EIGHT(2) "," TC_EIGHT(3)
#define TC_D96 TC_D64 "," TC_EIGHT(4) "," TC_EIGHT(5)
#define TC_D128 TC_D96 "," TC_EIGHT(6) "," TC_EIGHT(7)
#define TC_D192 TC_D128 "," TC_EIGHT(8) "," TC_EIGHT(9) "," TC_EIGHT(10) "," TC_EIGHT(11)
#define TC_D256 TC_D192 "," TC_EIGHT(12) "," TC_EIGHT(13) "," TC_EIGHT(14) "," TC_EIGHT(15)

#define TC_CLEAR(i)                                                                              \
  "mov.b32 d" #i "_0,0;mov.b32 d" #i "_1,0;mov.b32 d" #i "_2,0;mov.b32 d" #i "_3,0;mov.b32 d" #i \
  "_4,0;mov.b32 d" #i "_5,0;mov.b32 d" #i "_6,0;mov.b32 d" #i "_7,0;\n"
#define TC_DECLARE(i) ".reg .b32 d" #i "_<8>;\n" TC_CLEAR(i)

// TC_ON_SHARED: both operands by descriptor. TC_ON_REGISTERS: A in four registers.
#define TC_ON_SHARED(KIND, N, PTX, FLAGS)                                                      \
  template <>                                                                                  \
  struct Product<Kind::KIND, N> {                                                              \
    static __device__ void issue(std::uint64_t a, std::uint64_t b) {                           \
      asm volatile("wgmma.mma_async.sync.aligned.m64n" #N PTX " {" TC_D##N "}, %0, %1, " FLAGS \
                                                                           ";" ::"l"(a),       \
                   "l"(b));                                                                    \
    }                                                                                          \
  };
#define TC_SPARSE(KIND, N, PTX, FLAGS)                                        \
  template <>                                                                 \
  struct Product<Kind::KIND, N> {                                             \
    static __device__ void issue(std::uint64_t a, std::uint64_t b) {          \
      asm volatile("wgmma.mma_async.sp.sync.aligned.m64n" #N PTX " {" TC_D##N \
                   "}, %0, %1, %2, 0, " FLAGS ";" ::"l"(a),                   \
                   "l"(b), "r"(0x44444444u));                                 \
    }                                                                         \
  };
#define TC_ON_REGISTERS(KIND, N, PTX, FLAGS)                               \
  template <>                                                              \
  struct Product<Kind::KIND, N> {                                          \
    static __device__ void issue(std::uint64_t a, std::uint64_t b) {       \
      const auto r = static_cast<std::uint32_t>(a);                        \
      asm volatile("wgmma.mma_async.sync.aligned.m64n" #N PTX " {" TC_D##N \
                   "}, {%0,%1,%2,%3}, %4, " FLAGS ";" ::"r"(r),            \
                   "r"(r), "r"(r), "r"(r), "l"(b));                        \
    }                                                                      \
  };
#define TC_SPARSE_ON_REGISTERS(KIND, N, PTX, FLAGS)                           \
  template <>                                                                 \
  struct Product<Kind::KIND, N> {                                             \
    static __device__ void issue(std::uint64_t a, std::uint64_t b) {          \
      const auto r = static_cast<std::uint32_t>(a);                           \
      asm volatile("wgmma.mma_async.sp.sync.aligned.m64n" #N PTX " {" TC_D##N \
                   "}, {%0,%1,%2,%3}, %4, %5, 0, " FLAGS ";" ::"r"(r),        \
                   "r"(r), "r"(r), "r"(r), "l"(b), "r"(0x44444444u));         \
    }                                                                         \
  };
#define TC_WIDTHS(FORM, KIND, PTX, FLAGS) \
  FORM(KIND, 8, PTX, FLAGS)               \
  FORM(KIND, 16, PTX, FLAGS)              \
  FORM(KIND, 32, PTX, FLAGS)              \
  FORM(KIND, 64, PTX, FLAGS)              \
  FORM(KIND, 96, PTX, FLAGS)              \
  FORM(KIND, 128, PTX, FLAGS) FORM(KIND, 192, PTX, FLAGS) FORM(KIND, 256, PTX, FLAGS)

namespace tcsim::measure {

/// SS: both operands in shared memory; RS: A in registers; kSparse: A of pattern 2:4.
enum class Kind {
  kBf16Ss,
  kBf16Rs,
  kTf32Ss,
  kTf32Rs,
  kE4m3Ss,
  kE4m3Rs,
  kS8Ss,
  kS8Rs,
  kSparseSs,
  kSparseRs,
  kSparseE4m3Ss
};

template <Kind, int N>
struct Product;

TC_WIDTHS(TC_ON_SHARED, kBf16Ss, "k16.f32.bf16.bf16", "1, 1, 1, 0, 0")
TC_WIDTHS(TC_ON_REGISTERS, kBf16Rs, "k16.f32.bf16.bf16", "1, 1, 1, 0")
TC_WIDTHS(TC_ON_SHARED, kTf32Ss, "k8.f32.tf32.tf32", "1, 1, 1")
TC_WIDTHS(TC_ON_REGISTERS, kTf32Rs, "k8.f32.tf32.tf32", "1, 1, 1")
TC_WIDTHS(TC_ON_SHARED, kE4m3Ss, "k32.f32.e4m3.e4m3", "1, 1, 1")
TC_WIDTHS(TC_ON_REGISTERS, kE4m3Rs, "k32.f32.e4m3.e4m3", "1, 1, 1")
TC_WIDTHS(TC_ON_SHARED, kS8Ss, "k32.s32.s8.s8", "1")
TC_WIDTHS(TC_ON_REGISTERS, kS8Rs, "k32.s32.s8.s8", "1")
TC_WIDTHS(TC_SPARSE, kSparseSs, "k32.f32.bf16.bf16", "1, 1, 1, 0, 0")
TC_WIDTHS(TC_SPARSE_ON_REGISTERS, kSparseRs, "k32.f32.bf16.bf16", "1, 1, 1, 0")
TC_WIDTHS(TC_SPARSE, kSparseE4m3Ss, "k64.f32.e4m3.e4m3", "1, 1, 1")

/// Declares the accumulators of the calling kernel and clears them. Call once, at its start.
__device__ __forceinline__ void declare_accumulators() {
  asm volatile(TC_DECLARE(0) TC_DECLARE(1) TC_DECLARE(2) TC_DECLARE(3) TC_DECLARE(4) TC_DECLARE(5)
                   TC_DECLARE(6) TC_DECLARE(7) TC_DECLARE(8) TC_DECLARE(9) TC_DECLARE(10)
                       TC_DECLARE(11) TC_DECLARE(12) TC_DECLARE(13) TC_DECLARE(14) TC_DECLARE(15));
}

/// One accumulator, so that the compiler keeps the products.
__device__ __forceinline__ std::uint32_t an_accumulator() {
  std::uint32_t value;
  asm volatile("mov.b32 %0, d0_0;" : "=r"(value));
  return value;
}

__device__ __forceinline__ void open_products() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ __forceinline__ void close_products() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int Open>
__device__ __forceinline__ void wait_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Open) : "memory");
}

/// Descriptor of a K-major tile with rows of 128 bytes in the swizzle of 128 bytes; `address` is a
/// multiple of 1024 in shared memory. Two more are 32 bytes further along k.
__device__ inline std::uint64_t swizzled_tile(std::uint32_t address) {
  return (address & 0x3ffff) >> 4 | std::uint64_t{1} << 16 | std::uint64_t{1024 >> 4} << 32 |
         std::uint64_t{1} << 62;
}

}  // namespace tcsim::measure
