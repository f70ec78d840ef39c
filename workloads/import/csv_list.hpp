#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/import/operator_fields.hpp"
#include "workloads/import/workload.hpp"

namespace tcsim::workload {

/// What a list must contain in addition to its operations.
struct ListNeeds {
  std::vector<std::string_view> columns = {};
  std::vector<std::string_view> optional_columns = {};  ///< that it may contain
  /// The mistakes in the notes of a row, also for a row whose operation could not be read.
  std::function<std::vector<Complaint>(const Workload& row)> complaints = {};
};

/// The rows of a list of operations (docs/workloads.md). `file_name` is for messages. Throws
/// InputError with every mistake, `file:line:column: column name: reason`.
std::vector<Workload> read_csv_list(std::string_view text, const std::string& file_name,
                                    const ListNeeds& needs = {});

/// Operations that lists may name and that are not simulated yet.
const std::vector<std::string_view>& later_operations();

}  // namespace tcsim::workload
