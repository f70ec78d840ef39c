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

  /// Takes one field; a mistake is kept, not thrown.
  void set(const Field& field);
  /// m = n = k.
  void set_square(std::string_view size, int column);

  /// The problem with defaults in place of what was not given, or nothing if there are mistakes.
  /// `end_column` is where missing keys are reported.
  std::optional<kernels::GemmProblem> finish(int end_column);

 private:
  void set_layout(const Field& field);
  void set_rows(const Field& field);
  void take_groups(int end_column);
  void set_weights(const Field& field);
  void set_group(const Field& field);
  /// What packed weights do not go with.
  void check_weights(int end_column);

  kernels::GemmProblem problem_;
  ProductTypes types_;
  std::optional<std::int64_t> groups_;
  std::vector<std::int64_t> rows_;  ///< of each group, as given
  int rows_column_ = 0;
  int layout_column_ = 0;  ///< of its value, if it was given
  int weights_column_ = 0;
  int group_column_ = 0;
};

}  // namespace tcsim::workload
