#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "workloads/import/workload.hpp"

namespace tcsim::workload {

/// The rows of a list of operations (docs/workloads.md). `file_name` is for messages. Throws
/// InputError with every mistake, `file:line:column: column name: reason`.
std::vector<Workload> read_csv_list(std::string_view text, const std::string& file_name);

/// Operations that lists may name and that are not simulated yet.
const std::vector<std::string_view>& later_operations();

}  // namespace tcsim::workload
