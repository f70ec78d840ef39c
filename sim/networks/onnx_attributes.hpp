#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <string>
#include <vector>

namespace tcsim::networks {

/// What to call a node: its name, else that of its first result, since names are optional.
const std::string& title_of(const onnx::NodeProto& node);

/// The node in a message: "node 'layer1' (Conv)".
std::string named(const onnx::NodeProto& node);

/// True if a node has input `index`: those that are left out have no name.
bool has_input(const onnx::NodeProto& node, int index);

/// True if an attribute of a node is a graph, as in If, Loop and Scan.
bool has_subgraph(const onnx::NodeProto& node);

/// Names of the tensors that a node reads: its inputs, and what its subgraphs take from outside.
std::vector<std::string> read_by(const onnx::NodeProto& node);

/// The attribute of a node, or null.
const onnx::AttributeProto* attribute(const onnx::NodeProto& node, const char* name);

/// The value of an attribute; `absent`, empty and "" if the node has none.
std::int64_t integer_attribute(const onnx::NodeProto& node, const char* name, std::int64_t absent);
std::vector<std::int64_t> integers_attribute(const onnx::NodeProto& node, const char* name);
std::string text_attribute(const onnx::NodeProto& node, const char* name);

}  // namespace tcsim::networks
