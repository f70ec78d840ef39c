#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/import/field_reader.hpp"
#include "workloads/kernels/vector/vector.hpp"

namespace tcsim::workload {

/// The operation called `name`, or nothing.
std::optional<kernels::VectorOperation> vector_operation(std::string_view name);
/// All names.
std::vector<std::string_view> vector_operations();

/// Collects the parts of a vector operation from fields in any order, with their mistakes
/// (docs/workloads.md).
class VectorFields {
 public:
  explicit VectorFields(kernels::VectorOperation operation);

  /// Takes one field; a mistake is kept, not thrown.
  void set(const Field& field);
  /// The problem, or nothing if there are mistakes. A legal wish that no generator meets leaves
  /// `unsupported_reason`.
  std::optional<kernels::VectorProblem> finish(int end_column);

  [[nodiscard]] const std::vector<Complaint>& complaints() const { return reader_.complaints(); }
  [[nodiscard]] const std::string& unsupported_reason() const { return unsupported_; }

 private:
  FieldReader reader_;
  kernels::VectorProblem problem_;
  std::string unsupported_;
};

/// "softmax:rows=..,cols=..,dtype=..", which parse_workload reads back.
std::string vector_text(const kernels::VectorProblem& problem);

}  // namespace tcsim::workload
