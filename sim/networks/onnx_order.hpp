#pragma once

#include <onnx/onnx_pb.h>

#include <string>

namespace tcsim::networks {

/// Throws InputError with the node and its input if a node reads a tensor that is no input, no
/// weight and no result of an earlier node. States it if the graph is cyclic.
void require_order(const onnx::GraphProto& graph, const std::string& file);

}  // namespace tcsim::networks
