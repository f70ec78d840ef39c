#pragma once

#include <optional>

#include "workloads/import/operator_fields.hpp"
#include "workloads/import/workload.hpp"

namespace tcsim::workload {

/// "scale+bias+relu": the steps after the sums; "none".
std::string post_text(const kernels::ConvPost& post);

/// Collects the parts of a convolution from fields in any order, with their mistakes.
class ConvFields : public OperatorFields {
 public:
  ConvFields();

  /// Processes one field. hw, rs, stride and pad set both directions. A mistake is kept, not
  /// thrown.
  void set(const Field& field);
  /// The pass that the operation's name states, so that no field may.
  void set_pass(kernels::ConvPass pass) {
    work_.problem.pass = pass;
    mark_stated("pass");
  }

  /// The convolution, with defaults for parts that were not given, or nothing if there are
  /// mistakes. Missing keys are reported at `end_column`.
  std::optional<ConvWork> finish(int end_column);

 private:
  void set_post(const Field& field);

  ConvWork work_;
  ProductTypes types_;
};

}  // namespace tcsim::workload
