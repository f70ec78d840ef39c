#pragma once

#include <cuda_fp16.h>

#include <optional>
#include <string>

#include "scripts/gpu/common/cuda_check.cuh"
#include "scripts/gpu/common/shared_library.hpp"
#include "scripts/gpu/gemm/problem.hpp"

#if __has_include(<cublas_v2.h>)
#include <cublas_v2.h>
#define TC_HAS_CUBLAS 1
#endif

namespace tcsim::measure {

#ifdef TC_HAS_CUBLAS

/// How cuBLAS is called for a pair of types.
struct CublasTypes {
  const char* input;
  const char* accumulator;
  cudaDataType_t operand;
  cudaDataType_t result;
  cublasComputeType_t compute;
  int operand_bytes;
  int result_bytes;
};

inline std::optional<CublasTypes> cublas_types(const Problem& problem) {
  static const CublasTypes rows[] = {
      {"fp16", "fp32", CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, 2, 2},
      {"fp16", "fp16", CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_16F, 2, 2},
      {"bf16", "fp32", CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F, 2, 2},
      {"tf32", "fp32", CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, 4, 4},
      {"fp32", "fp32", CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, 4, 4},
      {"int8", "int32", CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I, 1, 4},
      {"fp64", "fp64", CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, 8, 8}};
  for (const CublasTypes& row : rows)
    if (problem.input == row.input && problem.accumulator == row.accumulator) return row;
  return std::nullopt;
}

/// cuBLAS with the kernel that its heuristic chooses. The library is opened when first needed, so a
/// host without it measures everything else.
class Cublas {
 public:
  Cublas() : library_(library_names("cublas", CUDART_VERSION)), workspace_(kWorkspaceBytes) {
    const auto create = library_.function<decltype(&cublasCreate_v2)>("cublasCreate_v2");
    set_stream_ = library_.function<decltype(&cublasSetStream_v2)>("cublasSetStream_v2");
    set_workspace_ = library_.function<decltype(&cublasSetWorkspace_v2)>("cublasSetWorkspace_v2");
    gemm_ = library_.function<GemmEx>("cublasGemmEx");
    const bool complete = create != nullptr && set_stream_ != nullptr &&
                          set_workspace_ != nullptr && gemm_ != nullptr;
    if (!complete || create(&handle_) != CUBLAS_STATUS_SUCCESS)
      throw ProgramError(kNotCovered, "libcublas is not installed or does not start");
  }

  /// False if cuBLAS has no kernel for the problem. Row-major D = A B is column-major D' = B' A'.
  bool multiply(const Problem& problem, const CublasTypes& types, const void* a, const void* b,
                void* d, cudaStream_t stream) const {
    set_stream_(handle_, stream);
    set_workspace_(handle_, workspace_.get(), kWorkspaceBytes);
    const Scale one(types.compute, 1);
    const Scale zero(types.compute, 0);
    const int lda = problem.a_transposed() ? problem.m : problem.k;
    const int ldb = problem.b_transposed() ? problem.k : problem.n;
    return gemm_(handle_, problem.b_transposed() ? CUBLAS_OP_T : CUBLAS_OP_N,
                 problem.a_transposed() ? CUBLAS_OP_T : CUBLAS_OP_N, problem.n, problem.m,
                 problem.k, one.get(), b, types.operand, ldb, a, types.operand, lda, zero.get(), d,
                 types.result, problem.n, types.compute,
                 CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_SUCCESS;
  }

 private:
  static constexpr std::size_t kWorkspaceBytes = 32 << 20;
  using GemmEx = cublasStatus_t (*)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int,
                                    int, const void*, const void*, cudaDataType_t, int, const void*,
                                    cudaDataType_t, int, const void*, void*, cudaDataType_t, int,
                                    cublasComputeType_t, cublasGemmAlgo_t);

  /// A factor in the type that the computation requires.
  class Scale {
   public:
    Scale(cublasComputeType_t compute, int value)
        : compute_(compute),
          single_(value),
          half_(static_cast<float>(value)),
          integer_(value),
          twice_(value) {}
    const void* get() const {
      if (compute_ == CUBLAS_COMPUTE_16F) return &half_;
      if (compute_ == CUBLAS_COMPUTE_32I) return &integer_;
      if (compute_ == CUBLAS_COMPUTE_64F) return &twice_;
      return &single_;
    }

   private:
    cublasComputeType_t compute_;
    float single_;
    __half half_;
    int integer_;
    double twice_;
  };

  SharedLibrary library_;
  DeviceArray<char> workspace_;
  cublasHandle_t handle_ = nullptr;
  decltype(&cublasSetStream_v2) set_stream_ = nullptr;
  decltype(&cublasSetWorkspace_v2) set_workspace_ = nullptr;
  GemmEx gemm_ = nullptr;
};

#endif

}  // namespace tcsim::measure
