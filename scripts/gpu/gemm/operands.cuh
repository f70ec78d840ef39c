#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cmath>
#include <string>
#include <vector>

#include "scripts/gpu/common/cuda_check.cuh"
#include "scripts/gpu/gemm/problem.hpp"

namespace tcsim::measure {

__device__ inline std::uint32_t scrambled(std::uint32_t value) {
  value = (value ^ (value >> 16)) * 0x7feb352dU;
  value = (value ^ (value >> 15)) * 0x846ca68bU;
  return value ^ (value >> 16);
}

/// Whole numbers from -4 to 4 times 1/8: sums of products stay exact in FP32 and readable in FP16.
template <class Element>
__global__ void fill(Element* elements, std::size_t count, std::uint32_t seed) {
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += std::size_t{gridDim.x} * blockDim.x) {
    const int value = static_cast<int>(scrambled(static_cast<std::uint32_t>(i) ^ seed) % 9) - 4;
    elements[i] = static_cast<Element>(static_cast<float>(value) / 8);
  }
}

__global__ void fill_bytes(signed char* bytes, std::size_t count, std::uint32_t seed) {
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += std::size_t{gridDim.x} * blockDim.x)
    bytes[i] = static_cast<signed char>(scrambled(static_cast<std::uint32_t>(i) ^ seed));
}

/// A, B and D of a problem on the GPU, A and B filled.
class GemmOperands {
 public:
  GemmOperands(const Problem& problem, int operand_bytes, int result_bytes)
      : a_(static_cast<std::size_t>(problem.m) * problem.k * operand_bytes),
        b_(static_cast<std::size_t>(problem.k) * problem.n * operand_bytes),
        d_(static_cast<std::size_t>(problem.m) * problem.n * result_bytes) {
    fill_one(problem.input, a_, 0x1234567);
    fill_one(problem.input, b_, 0x89abcde);
    finish("filling operands");
  }

  const void* a() const { return a_.get(); }
  const void* b() const { return b_.get(); }
  void* d() const { return d_.get(); }

  /// True if D is A * B to FP16. Requires FP16 operands with the layout NT.
  bool is_product(const Problem& problem) const {
    const auto a = halves(a_);
    const auto b = halves(b_);
    const auto d = halves(d_);
    for (int row = 0; row < problem.m; ++row)
      for (int column = 0; column < problem.n; ++column) {
        float sum = 0;
        for (int k = 0; k < problem.k; ++k)
          sum += a[static_cast<std::size_t>(row) * problem.k + k] *
                 b[static_cast<std::size_t>(column) * problem.k + k];
        const float result = d[static_cast<std::size_t>(row) * problem.n + column];
        if (result != __half2float(__float2half(sum))) return false;
      }
    return true;
  }

 private:
  template <class Element>
  static void fill_as(const DeviceArray<char>& memory, std::uint32_t seed) {
    fill<<<1024, 256>>>(reinterpret_cast<Element*>(memory.get()), memory.size() / sizeof(Element),
                        seed);
  }
  static void fill_one(const std::string& type, const DeviceArray<char>& memory,
                       std::uint32_t seed) {
    if (type == "fp16") fill_as<__half>(memory, seed);
    if (type == "bf16") fill_as<__nv_bfloat16>(memory, seed);
    if (type == "tf32" || type == "fp32") fill_as<float>(memory, seed);
    if (type == "fp64") fill_as<double>(memory, seed);
    if (type == "int8")
      fill_bytes<<<1024, 256>>>(reinterpret_cast<signed char*>(memory.get()), memory.size(), seed);
  }
  static std::vector<float> halves(const DeviceArray<char>& memory) {
    const std::vector<char> bytes = memory.read();
    std::vector<float> values(bytes.size() / 2);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = __half2float(reinterpret_cast<const __half*>(bytes.data())[i]);
    return values;
  }

  DeviceArray<char> a_;
  DeviceArray<char> b_;
  DeviceArray<char> d_;
};

}  // namespace tcsim::measure
