#include "sim/networks/onnx_attributes.hpp"

#include <algorithm>
#include <set>

#include "sim/files/shown_text.hpp"

namespace tcsim::networks {
namespace {

/// Appends what the nodes of `graph` and its results take from outside of it.
void add_outer(const onnx::GraphProto& graph, std::vector<std::string>& names) {
  std::set<std::string> inner{""};
  for (const auto& input : graph.input()) inner.insert(input.name());
  for (const auto& weight : graph.initializer()) inner.insert(weight.name());
  for (const onnx::NodeProto& node : graph.node())
    inner.insert(node.output().begin(), node.output().end());
  const auto add = [&](const std::string& name) {
    if (!inner.contains(name)) names.push_back(name);
  };
  for (const onnx::NodeProto& node : graph.node()) std::ranges::for_each(read_by(node), add);
  for (const auto& output : graph.output()) add(output.name());
}

}  // namespace

const std::string& title_of(const onnx::NodeProto& node) {
  return node.name().empty() && node.output_size() > 0 ? node.output(0) : node.name();
}

std::string named(const onnx::NodeProto& node) {
  return "node " + files::shown(title_of(node)) + " (" + files::shown_bare(node.op_type()) + ")";
}

bool has_input(const onnx::NodeProto& node, int index) {
  return index < node.input_size() && !node.input(index).empty();
}

bool has_subgraph(const onnx::NodeProto& node) {
  return std::ranges::any_of(node.attribute(), [](const onnx::AttributeProto& attribute) {
    return attribute.has_g() || attribute.graphs_size() > 0;
  });
}

std::vector<std::string> read_by(const onnx::NodeProto& node) {
  std::vector<std::string> names(node.input().begin(), node.input().end());
  for (const onnx::AttributeProto& attribute : node.attribute()) {
    if (attribute.has_g()) add_outer(attribute.g(), names);
    for (const onnx::GraphProto& graph : attribute.graphs()) add_outer(graph, names);
  }
  return names;
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
