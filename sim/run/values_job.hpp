#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/functional/poll.hpp"
#include "sim/config/machine.hpp"
#include "sim/report/values_record.hpp"
#include "sim/run/prepare/prepare.hpp"
#include "sim/run/request.hpp"
#include "sim/tensor_file/tensor.hpp"
#include "sim/values/gemm_values.hpp"

namespace tcsim::run {

/// The values of one run, with operands read and checked, ready to be computed.
class ValuesJob {
 public:
  /// Reads the operands that `request` names. Throws NotCovered where the workload has no values,
  /// as a recording, UsageError or a file's error for operands that do not fit.
  ValuesJob(const ValueRequest& request, const PreparedRun& run, const config::Machine& machine);

  /// Executes the kernels. Throws UsageError for reals that cannot be quantised and for races and
  /// other mistakes of a kernel from a file, NotCovered for an instruction without modelled values,
  /// InternalError if a generated kernel races, or a product differs from the reference product, or
  /// another result by more than rounding explains. If `engine` is given, it computes the MMAs.
  /// Polls many times a second.
  [[nodiscard]] report::ValuesRecord compute(
      functional::MmaEngine* engine = nullptr, const functional::Poll& poll = [] {}) const;

 private:
  [[nodiscard]] report::ProductRecord product(functional::MmaEngine* engine,
                                              const functional::Poll& poll) const;
  [[nodiscard]] report::OperationRecord operation(functional::MmaEngine* engine,
                                                  const functional::Poll& poll) const;
  [[nodiscard]] report::ProgramRecord program(functional::MmaEngine* engine,
                                              const functional::Poll& poll) const;
  [[nodiscard]] values::GemmValues execute(const values::Matrix& a, const values::Matrix& b,
                                           functional::MmaEngine* engine,
                                           const functional::Poll& poll) const;

  ValueRequest request_;
  const PreparedRun& run_;
  numerics::TensorArithmetic core_;
  std::optional<values::GemmRun> gemm_;  ///< nothing: another operation, or a kernel from a file
  std::optional<values::QuantizationRequest> quantization_;
};

/// A computed array under its name in the workload.
struct NamedTensor {
  std::string name;  ///< "D", "O", "y", ...
  tensor_file::Tensor tensor;
};

/// The arrays of `record`, computed by a ValuesJob of `run`; none of a kernel from a file, whose
/// arrays have no known shape.
std::vector<NamedTensor> tensors_of(const report::ValuesRecord& record, const PreparedRun& run);

}  // namespace tcsim::run
