#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/validate/gpu_names.hpp"
#include "sim/validate/measurement.hpp"
#include "workloads/import/workload.hpp"
#include "workloads/kernels/kernel_name.hpp"

namespace tcsim::validate {

/// One call of a library and the kernel that it launched.
struct NamedKernel {
  int line = 0;
  std::string gpu;  ///< as the file names it
  GpuModel model;
  std::string operation;  ///< "gemm", "conv_fwd"
  workload::Workload workload;
  std::string unit;  ///< tensor, cuda-core
  std::string kernel;
  kernels::KernelName name;
  std::optional<int> slices;           ///< of k, where the row tells
  std::vector<std::string> libraries;  ///< of the row's source (read_sources)
};

struct NamedKernels {
  std::vector<NamedKernel> rows;
  std::vector<SkippedRow> skipped;
};

/// The rows of `file` (packed or not), in one of two forms:
/// - gpu,op,dtype_in,dtype_acc,params,kernel[,split_k,source_id,notes]: op and params as in
///   lists of operations. Rows with role=aux in their notes are skipped.
/// - gpu,op,batch,m,n,k,kernel,grid: FP32 `linear` and `bmm` of PyTorch. D is m x k, the sums are n
///   long, as the grids show; B of `linear` is transposed.
/// Further columns are ignored. Rows that cannot be scored are among the skipped. Throws
/// ContentError, `file:line:column: key: reason`, for a malformed file, IoError for one that
/// cannot be read.
NamedKernels read_named_kernels(const std::string& file, const GpuNames& names);

}  // namespace tcsim::validate
