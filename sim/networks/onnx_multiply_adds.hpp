#pragma once

#include <onnx/onnx_pb.h>

#include <optional>

#include "sim/networks/onnx_graph.hpp"

namespace tcsim::networks {

/// Multiply-adds of products and convolutions in a node, for all samples of the file: 0 for
/// operators of ONNX that have none. Nothing if the operator or the sizes are not known.
std::optional<double> multiply_adds(const OnnxGraph& graph, const onnx::NodeProto& node);

}  // namespace tcsim::networks
