#pragma once

#include <string>

#include "sim/networks/import_sizes.hpp"
#include "sim/networks/imported.hpp"

namespace tcsim::networks {

/// Reads an ONNX model (protobuf bytes): Conv, Gemm, MatMul, attention, pools, norms and
/// element-wise operators become layers. Other operators with work are in Network::skipped, those
/// without work in `dropped`. Throws InputError with the node and what is wrong with it.
Imported import_onnx(const std::string& bytes, const std::string& file, const ImportSizes& sizes);

}  // namespace tcsim::networks
