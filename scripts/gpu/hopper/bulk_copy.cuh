#pragma once

#include <cuda.h>

#include <cstdint>

#include "scripts/gpu/common/cuda_check.cuh"

// Copies of the TMA unit: boxes of a tensor, contiguous bytes, reductions. Instructions: PTX
// manual, "Data movement: bulk copies".

namespace tcsim::measure {

__device__ inline void copy_box(std::uint32_t to, const CUtensorMap* map, int x, int y,
                                std::uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3}], [%4];" ::"r"(to),
      "l"(map), "r"(x), "r"(y), "r"(barrier)
      : "memory");
}

/// To the same place in every CTA of `mask`; the bytes are reported to the barrier of each.
__device__ inline void copy_box_to_all(std::uint32_t to, const CUtensorMap* map, int x, int y,
                                       std::uint32_t barrier, std::uint16_t mask) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to),
      "l"(map), "r"(x), "r"(y), "r"(barrier), "h"(mask)
      : "memory");
}

__device__ inline void copy_bytes(std::uint32_t to, const void* from, std::uint32_t bytes,
                                  std::uint32_t barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
      "[%0], [%1], %2, [%3];" ::"r"(to),
      "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(barrier)
      : "memory");
}

__device__ inline void store_bytes(void* to, std::uint32_t from, std::uint32_t bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
                   __cvta_generic_to_global(to)),
               "r"(from), "r"(bytes)
               : "memory");
}

__device__ inline void add_floats(void* to, std::uint32_t from, std::uint32_t bytes) {
  asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(
                   __cvta_generic_to_global(to)),
               "r"(from), "r"(bytes)
               : "memory");
}

__device__ inline void close_bulk_group() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
template <int Open>
__device__ inline void wait_until_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Open) : "memory");
}
__device__ inline void wait_until_written() {
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

/// A matrix of 2-byte elements, `columns` to a row, read in boxes of 64 columns x `box_rows` with
/// the swizzle of 128 bytes. `box_rows` is 256 at most.
inline CUtensorMap matrix_map(void* data, std::uint64_t columns, std::uint64_t rows, int box_rows) {
  using Encode =
      CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*,
                   const cuuint64_t*, const cuuint32_t*, const cuuint32_t*, CUtensorMapInterleave,
                   CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
  check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000,
                                         cudaEnableDefault, &found),
        "cuTensorMapEncodeTiled");
  const cuuint64_t sizes[2] = {columns, rows};
  const cuuint64_t pitch[1] = {columns * 2};
  const cuuint32_t box[2] = {64, static_cast<cuuint32_t>(box_rows)};
  const cuuint32_t steps[2] = {1, 1};
  CUtensorMap map;
  const CUresult result = reinterpret_cast<Encode>(function)(
      &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, data, sizes, pitch, box, steps,
      CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (result != CUDA_SUCCESS)
    throw ProgramError(kStopped, "cuTensorMapEncodeTiled: error " + std::to_string(result));
  return map;
}

}  // namespace tcsim::measure
