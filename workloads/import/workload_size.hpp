#pragma once

#include <optional>

#include "workloads/import/workload.hpp"

namespace tcsim::workload {

/// Useful operations: of a product 2 m n k, of attention attention_flop. Nothing where sources do
/// not count any: vector operations, traces, what nothing can run unless its sizes are told.
std::optional<double> useful_flop(const Workload& workload);

/// Images or sequences that useful_flop is of: n of a convolution, b of attention, else 1.
std::int64_t samples(const Workload& workload);

/// Bytes of operands and result in memory; nothing for a trace and for what nothing can run.
std::optional<double> operand_bytes(const Workload& workload);

}  // namespace tcsim::workload
