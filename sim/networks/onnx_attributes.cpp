#include "sim/networks/onnx_attributes.hpp"

namespace tcsim::networks {

const std::string& title_of(const onnx::NodeProto& node) {
  return node.name().empty() && node.output_size() > 0 ? node.output(0) : node.name();
}

const onnx::AttributeProto* attribute(const onnx::NodeProto& node, const char* name) {
  for (const onnx::AttributeProto& candidate : node.attribute())
    if (candidate.name() == name) return &candidate;
  return nullptr;
}

std::int64_t integer_attribute(const onnx::NodeProto& node, const char* name, std::int64_t absent) {
  const onnx::AttributeProto* found = attribute(node, name);
  return found == nullptr ? absent : found->i();
}

std::vector<std::int64_t> integers_attribute(const onnx::NodeProto& node, const char* name) {
  const onnx::AttributeProto* found = attribute(node, name);
  if (found == nullptr) return {};
  return {found->ints().begin(), found->ints().end()};
}

std::string text_attribute(const onnx::NodeProto& node, const char* name) {
  const onnx::AttributeProto* found = attribute(node, name);
  return found == nullptr ? "" : found->s();
}

}  // namespace tcsim::networks
