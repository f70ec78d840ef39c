#pragma once

#include <string>

#include "sim/networks/import_sizes.hpp"
#include "sim/networks/imported.hpp"

namespace tcsim::networks {

/// Reads an ONNX model (protobuf bytes): Conv, Gemm, MatMul, attention, pools, norms and
/// element-wise operators become layers; what else has work is in Network::skipped, what has none
/// in `dropped`. Throws InputError with the node and what is wrong with it.
Imported import_onnx(const std::string& bytes, const std::string& file, const ImportSizes& sizes);

}  // namespace tcsim::networks
