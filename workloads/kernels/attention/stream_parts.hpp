#pragma once

#include <string>

#include "workloads/kernels/attention/attention.hpp"
#include "workloads/kernels/buffer_row.hpp"

// What the launch streams of attention have in common.
namespace tcsim::kernels {

/// The name of a kernel: `kind`, then element, head size, tile, "_causal".
std::string attention_name(const std::string& kind, const AttentionProblem& problem,
                           const std::string& tile);

/// "128x64_w8": a tile and its warps.
std::string tile_text(int rows, int columns, int warps);

/// The tensors of a backward pass.
struct BackwardBuffers {
  BackwardBuffers(BufferRow& row, const AttentionProblem& problem);

  isa::Buffer q;
  isa::Buffer k;
  isa::Buffer v;
  isa::Buffer o;
  isa::Buffer log_sum;
  isa::Buffer output_gradient;
  isa::Buffer dq;
  isa::Buffer dk;
  isa::Buffer dv;
};

}  // namespace tcsim::kernels
