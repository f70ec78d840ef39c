#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/isa/launch.hpp"
#include "workloads/kernels/gemm.hpp"
#include "workloads/kernels/vector/vector_operation.hpp"

namespace tcsim::kernels {

/// An operation on a matrix of `rows` rows of `cols` elements. Buffers: X, then Y or G and B (gamma
/// and beta, `cols` each) if the operation has them, then D.
struct VectorProblem {
  VectorOperation operation = VectorOperation::kSoftmax;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  Element element = Element::kFp16;  ///< fp16, bf16, fp32: of everything else
};

/// The buffers of `problem`, which hold all that it reads and writes.
std::vector<isa::Buffer> vector_buffers(const VectorProblem& problem);

/// The least bytes that are read and written.
std::int64_t vector_bytes(const VectorProblem& problem);

/// Why there is no kernel for `problem` on `target`, in one sentence; empty if there is one.
std::string why_no_vector(const VectorProblem& problem, const Target& target);

/// The kernel of `problem` (control bits not yet set). Requires why_no_vector(...) to be empty.
isa::KernelLaunch make_vector(const VectorProblem& problem, const Target& target);

}  // namespace tcsim::kernels
