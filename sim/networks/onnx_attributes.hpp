#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <string>
#include <vector>

namespace tcsim::networks {

/// What to call a node: its name, else that of its first result, since names are optional.
const std::string& title_of(const onnx::NodeProto& node);

/// The attribute of a node, or null.
const onnx::AttributeProto* attribute(const onnx::NodeProto& node, const char* name);

/// The value of an attribute; `absent`, empty and "" if the node has none.
std::int64_t integer_attribute(const onnx::NodeProto& node, const char* name, std::int64_t absent);
std::vector<std::int64_t> integers_attribute(const onnx::NodeProto& node, const char* name);
std::string text_attribute(const onnx::NodeProto& node, const char* name);

}  // namespace tcsim::networks
