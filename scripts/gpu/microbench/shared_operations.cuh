#pragma once

#include <cstdint>

namespace tcsim::measure {

// Shared memory for the operations of a CTA; all warps use the same cells.
constexpr int kSharedWords = 4096;

__device__ inline std::uint32_t* shared_words() {
  __shared__ alignas(128) std::uint32_t words[kSharedWords];
  return words;
}

__device__ inline std::uint32_t shared_address(const std::uint32_t* words) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(words));
}

/// Loads of Words words by each lane from a cell that holds its own address: the next load needs
/// the result. Lanes are `stride` cells apart.
template <int Words>
struct SharedLoad {
  std::uint32_t address;
  std::uint32_t rest;

  __device__ void start(int, const std::uint32_t*, int stride) {
    std::uint32_t* words = shared_words();
    const int place = static_cast<int>(threadIdx.x % 32) * Words * stride % kSharedWords;
    address = shared_address(words + place);
    rest = 0;
    words[place] = address;
    __syncthreads();
  }
  __device__ void step() {
    std::uint32_t x = 0, y = 0, z = 0;
    if (Words == 1) asm volatile("ld.shared.u32 %0, [%0];" : "+r"(address));
    if (Words == 2) asm volatile("ld.shared.v2.u32 {%0, %1}, [%0];" : "+r"(address), "=r"(x));
    if (Words == 4)
      asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%0];"
                   : "+r"(address), "=r"(x), "=r"(y), "=r"(z));
    rest ^= x ^ y ^ z;
  }
  __device__ std::uint32_t result() const { return address ^ rest; }
};

/// Stores of Words words by each lane; volatile, so that the compiler keeps values never read.
template <int Words>
struct SharedStore {
  std::uint32_t address;
  std::uint32_t value;

  __device__ void start(int, const std::uint32_t*, int stride) {
    const int place = static_cast<int>(threadIdx.x % 32) * Words * stride % kSharedWords;
    address = shared_address(shared_words() + place);
    value = threadIdx.x;
  }
  __device__ void step() {
    if (Words == 1) asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(address), "r"(value));
    if (Words == 2)
      asm volatile("st.volatile.shared.v2.u32 [%0], {%1, %1};" ::"r"(address), "r"(value));
    if (Words == 4)
      asm volatile("st.volatile.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(address), "r"(value));
  }
  __device__ std::uint32_t result() const { return value; }
};

#if TC_SM >= 75
/// ldmatrix of 1, 2 or 4 matrices. Lane l names row l and receives word l of the first matrix,
/// which holds the address of row l: the next load needs the result.
template <int Matrices>
struct MatrixLoad {
  std::uint32_t address;
  std::uint32_t rest;

  __device__ void start(int, const std::uint32_t*, int) {
    std::uint32_t* words = shared_words();
    const int lane = threadIdx.x % 32;
    address = shared_address(words + 4 * lane);
    rest = 0;
    words[lane] = address;
    for (int word = 32 + lane; word < 128; word += 32) words[word] = 0;
    __syncthreads();
  }
  __device__ void step() {
    std::uint32_t x = 0, y = 0, z = 0;
    if (Matrices == 1)
      asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%0];" : "+r"(address));
    if (Matrices == 2)
      asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%0];"
                   : "+r"(address), "=r"(x));
    if (Matrices == 4)
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%0];"
                   : "+r"(address), "=r"(x), "=r"(y), "=r"(z));
    rest ^= x ^ y ^ z;
  }
  __device__ std::uint32_t result() const { return address ^ rest; }
};
#endif

}  // namespace tcsim::measure
