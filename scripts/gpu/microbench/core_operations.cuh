#pragma once

#include <cstdint>

namespace tcsim::measure {

#define TC_ONE_REGISTER_OPERATION(NAME, TYPE, LETTER, INSTRUCTION)                             \
  struct NAME {                                                                                \
    TYPE value;                                                                                \
    TYPE factor;                                                                               \
    __device__ void start(int chain, const std::uint32_t* memory, int) {                       \
      value = static_cast<TYPE>(memory[chain]);                                                \
      factor = static_cast<TYPE>(memory[64 + threadIdx.x % 32]);                               \
    }                                                                                          \
    __device__ void step() { asm volatile(INSTRUCTION : "+" LETTER(value) : LETTER(factor)); } \
    __device__ std::uint32_t result() const { return static_cast<std::uint32_t>(value); }      \
  }

TC_ONE_REGISTER_OPERATION(Ffma, float, "f", "fma.rn.f32 %0, %0, %1, %1;");
TC_ONE_REGISTER_OPERATION(Imad, std::uint32_t, "r", "mad.lo.u32 %0, %0, %1, %1;");
TC_ONE_REGISTER_OPERATION(Hfma2, std::uint32_t, "r", "fma.rn.f16x2 %0, %0, %1, %1;");
TC_ONE_REGISTER_OPERATION(Dfma, double, "d", "fma.rn.f64 %0, %0, %1, %1;");
struct Shfl {
  std::uint32_t value;
  __device__ void start(int chain, const std::uint32_t* memory, int) {
    value = memory[chain] + threadIdx.x;
  }
  __device__ void step() {
    asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 0x1f, 0xffffffff;" : "+r"(value));
  }
  __device__ std::uint32_t result() const { return value; }
};

struct MufuEx2 {
  float value;
  __device__ void start(int chain, const std::uint32_t* memory, int) {
    value = static_cast<float>(memory[chain]);
  }
  __device__ void step() { asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(value)); }
  __device__ std::uint32_t result() const { return __float_as_uint(value); }
};

/// The barrier of the whole CTA.
struct Barrier {
  __device__ void start(int, const std::uint32_t*, int) {}
  __device__ void step() { asm volatile("bar.sync 0;" ::: "memory"); }
  __device__ std::uint32_t result() const { return 0; }
};

/// Loads of Words words from the L1, lanes `stride` elements apart. A cell holds 0, the offset to
/// itself, so the next load needs the result.
template <int Words>
struct GlobalLoad {
  const char* base;
  std::uint32_t offset;
  std::uint32_t rest;

  __device__ void start(int chain, const std::uint32_t* memory, int stride) {
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    base = reinterpret_cast<const char*>(memory + lane * Words * stride + chain * 32 + warp * 128);
    offset = 0;
    rest = 0;
  }
  __device__ void step() {
    const char* address = base + offset;
    std::uint32_t x = 0;
    if (Words == 1) asm volatile("ld.global.u32 %0, [%1];" : "=r"(offset) : "l"(address));
    if (Words == 2)
      asm volatile("ld.global.v2.u32 {%0, %1}, [%2];" : "=r"(offset), "=r"(x) : "l"(address));
    rest ^= x;
  }
  __device__ std::uint32_t result() const { return offset ^ rest; }
};

}  // namespace tcsim::measure
