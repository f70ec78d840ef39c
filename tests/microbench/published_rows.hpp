#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/microbench/measure.hpp"

namespace tcsim::microbench {

/// The shipped rows of `machine` that `wanted` accepts, measured. Fails the test if a row has no
/// value. `overrides` change the machine.
std::vector<MeasuredRow> measure_rows(const std::string& machine,
                                      const std::function<bool(const PublishedRow&)>& wanted,
                                      const std::vector<std::string>& overrides = {});

/// Rows that are off by more than `percent`.
int rows_beyond(const std::vector<MeasuredRow>& rows, double percent);

}  // namespace tcsim::microbench
