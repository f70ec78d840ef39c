#include "workloads/import/operation_words.hpp"

#include "workloads/import/operations.hpp"

namespace tcsim::workload {

std::vector<OperationWords> operation_words() {
  std::vector<OperationWords> words;
  visit_operations([&](const Operation& operation, const auto& make, auto) {
    if (operation.is_in_words) words.push_back({std::string(operation.name), make().keys()});
  });
  return words;
}

std::vector<std::string_view> element_words() {
  return {kernels::kElementNames.begin(), kernels::kElementNames.end()};
}

}  // namespace tcsim::workload
