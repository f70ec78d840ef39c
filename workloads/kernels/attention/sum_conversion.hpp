#pragma once

#include <string>

#include "models/isa/launch.hpp"
#include "workloads/kernels/attention/sum_tile.hpp"
#include "workloads/kernels/gemm.hpp"

namespace tcsim::kernels {

/// Converts FP32 sums, [batch][heads][tiles of rows] in the layout of `tile`, to elements of
/// [batch][rows][heads][dim], times `factor`.
struct SumConversion {
  SumTile tile;
  std::int64_t batch;
  std::int64_t rows;
  std::int64_t heads;
  std::int64_t dim;  ///< at most tile.dim, a multiple of 8
  Element element;   ///< fp16 or bf16
  double factor;
};

/// The launch after FlashAttention-3's backward kernel that converts sums
/// (flash_bwd_postprocess_kernel.h), without its buffers: sums, tensor. It loads the sums into
/// registers in memory order, without shared memory in between.
isa::KernelLaunch convert_sums(std::string name, const SumConversion& conversion);

}  // namespace tcsim::kernels
