#pragma once

#include <optional>
#include <string>

#include "workloads/import/operator_fields.hpp"
#include "workloads/kernels/attention/attention.hpp"

namespace tcsim::workload {

/// Collects the parts of an attention problem from fields in any order, with their mistakes
/// (docs/workloads.md).
class AttentionFields : public OperatorFields {
 public:
  AttentionFields();

  /// The pass that the operation's name states, so that no field may.
  void set_pass(kernels::AttentionPass pass) {
    problem_.pass = pass;
    mark_stated("pass");
  }
  /// Processes one field; a mistake is kept, not thrown.
  void set(const Field& field);
  /// True if the sizes without a default were given.
  [[nodiscard]] bool has_sizes() const;
  /// The problem, with defaults for parts that were not given, or nothing if there are mistakes. A
  /// legal request that no generator supports leaves `unsupported_reason`.
  std::optional<kernels::AttentionProblem> finish(int end_column);

 private:
  void set_element(const Field& field);
  void set_sums(const Field& field);
  void set_block(const Field& field);

  kernels::AttentionProblem problem_;
  std::int64_t value_dim_ = 0;  ///< 0: as dim
  kernels::Element sums_ = kernels::Element::kFp32;
};

/// "attn:b=..,heads=..,kvheads=..,n=..,kv=..,d=..,causal=..,dtype=..,algo=..", which parse_workload
/// reads back.
std::string attention_text(const kernels::AttentionProblem& problem);

}  // namespace tcsim::workload
