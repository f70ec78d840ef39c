#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tcsim::workload {

/// An operation that workload words may name, and its keys.
struct OperationWords {
  std::string name;               ///< "gemm"
  std::vector<std::string> keys;  ///< "m", "n", ...; of one with two spellings the first
};

/// Every operation that parse_workload accepts without a file, for completion.
std::vector<OperationWords> operation_words();

/// Words for element types, "fp16", ...
std::vector<std::string_view> element_words();

}  // namespace tcsim::workload
