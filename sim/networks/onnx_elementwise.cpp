#include <algorithm>

#include "sim/networks/onnx_importer.hpp"
#include "workloads/import/operator_fields.hpp"

namespace tcsim::networks {

bool OnnxImporter::read_norm(const Node& node) {
  const std::string& op = node.op_type();
  if (op == "BatchNormalization") {
    add(node, LayerKind::kBatchNorm, shaped_inputs(node));
  } else if (op == "LayerNormalization") {
    add(node, LayerKind::kLayerNorm, shaped_inputs(node));
  } else if (op == "GlobalAveragePool") {
    add(node, LayerKind::kGlobalAveragePool, shaped_inputs(node));
  } else if (op == "ReduceMean") {
    reduce_mean(node);
  } else {
    return false;
  }
  return true;
}

void OnnxImporter::reduce_mean(const Node& node) {
  std::vector<std::int64_t> axes = integers_attribute(node, "axes");
  if (axes.empty() && node.input_size() > 1) axes = graph_.integers(node.input(1));
  const std::size_t rank = sizes(node, node.input(0)).size();
  if (rank == 4 && axes.size() == 2)
    return add(node, LayerKind::kGlobalAveragePool, shaped_inputs(node));
  note_drop("ReduceMean: part of a norm");
  pass(node);
}

bool OnnxImporter::read_activation(const Node& node) {
  static const std::map<std::string, LayerKind> kinds{
      {"Relu", LayerKind::kRelu},       {"Clip", LayerKind::kRelu},
      {"LeakyRelu", LayerKind::kRelu},  {"PRelu", LayerKind::kRelu},
      {"Gelu", LayerKind::kGelu},       {"Erf", LayerKind::kGelu},
      {"Sigmoid", LayerKind::kSigmoid}, {"Tanh", LayerKind::kTanh},
      {"HardSwish", LayerKind::kSilu},  {"HardSigmoid", LayerKind::kSigmoid},
      {"Elu", LayerKind::kSilu},        {"Softplus", LayerKind::kSilu},
      {"Mish", LayerKind::kSilu}};
  const auto kind = kinds.find(node.op_type());
  if (kind == kinds.end()) return false;
  note_other_kind(node, kind->second);
  add(node, kind->second, {shaped_inputs(node).front()});
  return true;
}

void OnnxImporter::note_other_kind(const Node& node, LayerKind kind) {
  if (std::string(word(kind)) != workload::lower_case(node.op_type()))
    imported_.changed.push_back(node.op_type() + " '" + title_of(node) + "' became " +
                                std::string(word(kind)));
}

bool OnnxImporter::read_softmax(const Node& node) {
  if (!is_any(node.op_type(), {"Softmax", "LogSoftmax"})) return false;
  const std::string& x = node.input(0);
  if (is_of_channels(node, x, -1)) {
    add(node, LayerKind::kSoftmax, shaped_inputs(node));
  } else if (is_of_last(node, x, -1)) {
    const Dimensions d = sizes(node, x);
    const Shape rows{d[1] * d[2], 1, d[3]};
    add(node, LayerKind::kSoftmax, {viewed(node, x, root_of(x), rows)});
  } else {
    skip(node, 0);
    return true;
  }
  note_other_kind(node, LayerKind::kSoftmax);
  return true;
}

bool OnnxImporter::read_arithmetic(const Node& node) {
  const std::string& op = node.op_type();
  if (!is_any(op, {"Add", "Sub", "Mul", "Div", "Pow", "Sqrt", "Where", "Sum"})) return false;
  std::vector<int> inputs = shaped_inputs(node);
  if (op == "Div" && inputs.size() == 2 && makes(node.input(1), "Sqrt")) {
    add(node, LayerKind::kLayerNorm, {root_of(node.input(0))});
    imported_.changed.push_back("the steps up to '" + title_of(node) + "' became a layer_norm");
  } else if (inputs.size() < 2 || is_any(op, {"Pow", "Sqrt", "Where"}) || inputs[0] == inputs[1] ||
             is_norm_part(node)) {
    note_drop(op + ": with a constant, read as part of a neighbour");
    pass(node);
    if (op == "Where" && node.input_size() == 3)
      if (const auto chosen = layer_of(node.input(1))) layers_[node.output(0)] = *chosen;
  } else if (is_gate(inputs[0], inputs[1]) || is_gate(inputs[1], inputs[0])) {
    note_drop("Mul: part of an activation");
    layers_[node.output(0)] = std::max(inputs[0], inputs[1]);
  } else {
    binary(node, inputs);
  }
  return true;
}

void OnnxImporter::binary(const Node& node, const std::vector<int>& inputs) {
  const bool is_product = node.op_type() == "Mul" || node.op_type() == "Div";
  const Shape& a = imported_.network.shape_of(inputs[0]);
  const Shape& b = imported_.network.shape_of(inputs[1]);
  if (a != b) {  // a broadcast: the larger operand is read and written
    imported_.changed.push_back(node.op_type() + " '" + title_of(node) +
                                "' broadcasts one operand: read as an activation of the other");
    return add(node, LayerKind::kRelu, {a.elements() >= b.elements() ? inputs[0] : inputs[1]});
  }
  add(node, is_product ? LayerKind::kMultiply : LayerKind::kAdd, {inputs[0], inputs[1]});
}

bool OnnxImporter::makes(const std::string& tensor, std::string_view op) const {
  const Node* node = graph_.maker(tensor);
  return node != nullptr && node->op_type() == op;
}

bool OnnxImporter::is_norm_part(const Node& node) const {
  return node.op_type() == "Sub" && makes(node.input(1), "ReduceMean");
}

bool OnnxImporter::is_gate(int x, int gate) const {
  if (gate == kNetworkInput) return false;
  const Layer& layer = imported_.network.layers[static_cast<std::size_t>(gate)];
  const bool is_kind = layer.kind == LayerKind::kGelu || layer.kind == LayerKind::kSigmoid ||
                       layer.kind == LayerKind::kSilu;
  return is_kind && layer.inputs == std::vector<int>{x};
}

}  // namespace tcsim::networks
