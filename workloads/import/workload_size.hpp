#pragma once

#include <optional>
#include <string>
#include <vector>

#include "workloads/import/workload.hpp"

namespace tcsim::workload {

/// Useful operations: of a product 2 m n k, of attention attention_flop. Nothing where sources do
/// not count any: vector operations, traces, what nothing can run unless its sizes are told.
std::optional<double> useful_flop(const Workload& workload);

/// Images or sequences that useful_flop is of: n of a convolution, b of attention, else 1.
std::int64_t samples(const Workload& workload);

/// An operand or result in memory.
struct OperandSize {
  std::string name;  ///< of its buffer
  double bytes = 0;  ///< however large: products of sizes may not fit a whole number
};
/// Operands and results; none of a trace and of what nothing can run.
std::vector<OperandSize> operand_sizes(const Workload& workload);

/// Bytes of operands and result in memory; nothing for a trace and for what nothing can run.
std::optional<double> operand_bytes(const Workload& workload);

}  // namespace tcsim::workload
