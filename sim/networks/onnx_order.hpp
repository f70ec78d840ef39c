#pragma once

#include <onnx/onnx_pb.h>

#include <string>

namespace tcsim::networks {

/// Throws InputError with the node and its input where a node reads what nothing makes before it:
/// neither an earlier node, nor an input, nor a weight. Says so if the graph is cyclic.
void require_order(const onnx::GraphProto& graph, const std::string& file);

}  // namespace tcsim::networks
