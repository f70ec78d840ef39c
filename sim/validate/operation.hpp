#pragma once

#include <optional>
#include <string>

#include "workloads/import/workload.hpp"

namespace tcsim::validate {

/// What a score needs to know of an operation.
struct Operation {
  std::string name;  ///< gemm, conv_fwd, conv_dgrad, conv_wgrad
  kernels::Element input;
  double flop = 0;
  double bytes = 0;  ///< of operands and result
};

/// Nothing for a trace and for what is not simulated.
std::optional<Operation> operation_of(const workload::Workload& workload);

}  // namespace tcsim::validate
