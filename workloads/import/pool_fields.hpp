#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "workloads/import/operator_fields.hpp"
#include "workloads/kernels/conv/pool.hpp"

namespace tcsim::workload {

/// "max_pool", "avg_pool", or nothing.
std::optional<kernels::PoolOperation> pool_operation(std::string_view name);

/// Collects the parts of a pooling from fields in any order, with their mistakes
/// (docs/workloads.md).
class PoolFields : public OperatorFields {
 public:
  explicit PoolFields(kernels::PoolOperation operation);

  /// Processes one field. hw, rs, stride and pad set both directions. A mistake is kept, not
  /// thrown.
  void set(const Field& field);
  /// The problem, or nothing if there are mistakes. Windows are adjacent unless a stride was given.
  std::optional<kernels::PoolProblem> finish(int end_column);

 private:
  kernels::PoolProblem problem_;
};

/// "max_pool:n=..,h=..,...,dtype=..", which parse_workload reads back.
std::string pool_text(const kernels::PoolProblem& problem);

}  // namespace tcsim::workload
