#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "workloads/import/operator_fields.hpp"
#include "workloads/kernels/gemm.hpp"

namespace tcsim::workload {

/// Collects the parts of a GEMM from fields in any order, with their mistakes.
class GemmFields : public OperatorFields {
 public:
  GemmFields();

  /// Processes one field; a mistake is kept, not thrown.
  void set(const Field& field);
  /// m = n = k.
  void set_square(std::string_view size, int column);

  /// The problem, with defaults for parts that were not given, or nothing if there are mistakes.
  /// Missing keys are reported at `end_column`.
  std::optional<kernels::GemmProblem> finish(int end_column);

 private:
  void set_layout(const Field& field);
  void set_rows(const Field& field);
  void take_groups(int end_column);
  void set_weights(const Field& field);
  void set_group(const Field& field);
  /// Complains about fields that packed weights cannot be combined with.
  void check_weights(int end_column);

  kernels::GemmProblem problem_;
  ProductTypes types_;
  std::optional<std::int64_t> groups_;
  std::vector<std::int64_t> rows_;  ///< rows of each group, as given
  int rows_column_ = 0;
  int layout_column_ = 0;  ///< column of its value, if it was given
  int weights_column_ = 0;
  int group_column_ = 0;
};

}  // namespace tcsim::workload
