#pragma once

#include <optional>
#include <string>
#include <vector>

#include "workloads/import/workload.hpp"

namespace tcsim::workload {

/// Useful operations: 2 m n k for a product, attention_flop for attention. Nothing if sources do
/// not count any: vector operations, traces, and work that nothing can run, unless its sizes are
/// stated.
std::optional<double> useful_flop(const Workload& workload);

/// Images or sequences that useful_flop covers: n of a convolution, b of attention, else 1.
std::int64_t samples(const Workload& workload);

/// An operand or result in memory.
struct OperandSize {
  std::string name;  ///< name of its buffer
  double bytes = 0;  ///< a double, because products of sizes may not fit an integer
};
/// Operands and results; none for a trace and for work that nothing can run.
std::vector<OperandSize> operand_sizes(const Workload& workload);

/// Bytes of operands and result in memory; nothing for a trace and for work that nothing can run.
std::optional<double> operand_bytes(const Workload& workload);

}  // namespace tcsim::workload
