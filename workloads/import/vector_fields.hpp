#pragma once

#include <optional>
#include <string>

#include "workloads/import/operator_fields.hpp"
#include "workloads/kernels/vector/vector.hpp"

namespace tcsim::workload {

/// Collects the parts of a vector operation from fields in any order, with their mistakes
/// (docs/workloads.md).
class VectorFields : public OperatorFields {
 public:
  explicit VectorFields(kernels::VectorOperation operation);

  /// Processes one field; a mistake is kept, not thrown.
  void set(const Field& field);
  /// The problem, or nothing if there are mistakes. A legal request that no generator supports
  /// leaves `unsupported_reason`.
  std::optional<kernels::VectorProblem> finish(int end_column);

 private:
  kernels::VectorProblem problem_;
};

/// "softmax:rows=..,cols=..,dtype=..", which parse_workload reads back.
std::string vector_text(const kernels::VectorProblem& problem);

}  // namespace tcsim::workload
