#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "sim/networks/imported.hpp"

namespace tcsim::networks {

/// Sizes that symbolic dimensions of a model get.
struct ImportSizes {
  std::int64_t batch = 1;                            ///< of a symbolic first dimension
  std::map<std::string, std::int64_t> dimensions{};  ///< of others by name
};

/// Reads an ONNX model (protobuf bytes): Conv, Gemm, MatMul, attention, pools, norms and
/// element-wise operators become layers; what else has work is in Network::skipped, what has none
/// in `dropped`. Throws InputError with the node and what is wrong with it.
Imported import_onnx(const std::string& bytes, const std::string& file, const ImportSizes& sizes);

}  // namespace tcsim::networks
