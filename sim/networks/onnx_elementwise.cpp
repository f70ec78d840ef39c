#include <algorithm>
#include <functional>
#include <numeric>

#include "sim/networks/onnx_importer.hpp"
#include "workloads/import/operator_fields.hpp"

namespace tcsim::networks {

bool OnnxImporter::read_norm(const Node& node) {
  const std::string& op = node.op_type();
  const std::string& x = node.input(0);
  if (op == "BatchNormalization") {
    add(node, LayerKind::kBatchNorm, {in_columns(node, x, image_of(node, x))});
  } else if (op == "LayerNormalization") {
    const Dimensions d = sizes(node, x);
    const auto first = static_cast<std::ptrdiff_t>(axis_of(node, x, -1));
    const std::int64_t columns =
        std::accumulate(d.begin() + first, d.end(), std::int64_t{1}, std::multiplies<>());
    add(node, LayerKind::kLayerNorm, {in_columns(node, x, rows_of(node, x, columns))});
  } else if (op == "GlobalAveragePool") {
    global_pool(node, image_of(node, x));
  } else if (op == "ReduceMean") {
    reduce_mean(node);
  } else {
    return false;
  }
  return true;
}

void OnnxImporter::reduce_mean(const Node& node) {
  using Axes = std::vector<std::size_t>;
  const std::string& x = node.input(0);
  const Dimensions d = sizes(node, x);
  const Axes axes = mean_axes(node);
  const bool is_of_tokens = d.size() == 3 && axes == Axes{1} &&  // norms keep the dimension
                            integer_attribute(node, "keepdims", 1) == 0;
  if (d.size() == 4 && axes == Axes{2, 3}) return global_pool(node, image_of(node, x));
  if (is_of_tokens || (d.size() == 4 && axes == Axes{1, 2}))
    return global_pool(node, rows_of(node, x, d.back()));
  note_drop("ReduceMean: part of a norm");
  pass(node);
}

std::vector<std::size_t> OnnxImporter::mean_axes(const Node& node) const {
  std::vector<std::int64_t> axes = integers_attribute(node, "axes");
  if (axes.empty() && node.input_size() > 1) axes = graph_.integers(node.input(1));
  return from_front(node, axes, sizes(node, node.input(0)).size());
}

void OnnxImporter::global_pool(const Node& node, const Shape& image) {
  const std::string& x = node.input(0);
  if (elements_of(node, node.output(0)) != image.c)
    return skip(node, "it makes more than one pixel of a sample");
  add(node, LayerKind::kGlobalAveragePool, {in_columns(node, x, image)});
}

int OnnxImporter::normalised(const Node& node) {
  const std::string& x = node.input(0);
  const Node* mean = graph_.maker(node.input(1));
  for (int steps = 0; steps < 4 && mean != nullptr && mean->op_type() != "ReduceMean"; ++steps) {
    const std::vector<std::string> made = operands_of(*mean);
    mean = made.empty() ? nullptr : graph_.maker(made.front());
  }
  if (mean == nullptr || mean->op_type() != "ReduceMean") return in_size(node, x);
  const auto wanted = shape_along(*mean, mean->input(0), mean_axes(*mean));
  return wanted ? in_columns(node, x, *wanted) : in_size(node, x);
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
  add(node, kind->second, {in_size(node, operands_of(node).front())});
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
  const auto wanted = shape_along(node, x, {axis_of(node, x, -1)});
  if (!wanted) {
    skip(node);
    return true;
  }
  add(node, LayerKind::kSoftmax, {in_columns(node, x, *wanted)});
  note_other_kind(node, LayerKind::kSoftmax);
  return true;
}

bool OnnxImporter::read_arithmetic(const Node& node) {
  const std::string& op = node.op_type();
  if (!is_any(op, {"Add", "Sub", "Mul", "Div", "Pow", "Sqrt", "Where", "Sum"})) return false;
  const std::vector<std::string> operands = operands_of(node);
  const auto are_one = [&](const std::string& a, const std::string& b) {
    return root_of(a) == root_of(b) && elements_of(node, a) == elements_of(node, b);
  };
  if (op == "Div" && operands.size() == 2 && makes(node.input(1), "Sqrt")) {
    add(node, LayerKind::kLayerNorm, {normalised(node)});
    imported_.changed.push_back("the steps up to '" + title_of(node) + "' became a layer_norm");
  } else if (operands.size() < 2 || is_any(op, {"Pow", "Sqrt", "Where"}) || is_norm_part(node) ||
             (operands.size() == 2 && are_one(operands[0], operands[1]))) {
    note_drop(op + ": with a constant, read as part of a neighbour");
    pass(node);
    if (op == "Where" && node.input_size() == 3)
      if (const auto chosen = layer_of(node.input(1))) layers_[node.output(0)] = *chosen;
  } else if (is_gate(node, operands[0], operands[1])) {
    close_gate(node, operands[1]);
  } else if (is_gate(node, operands[1], operands[0])) {
    close_gate(node, operands[0]);
  } else {
    binary(node, operands[0], operands[1]);
    for (std::size_t i = 2; i < operands.size(); ++i) binary(node, node.output(0), operands[i]);
  }
  return true;
}

void OnnxImporter::binary(const Node& node, const std::string& a, const std::string& b) {
  const bool is_product = node.op_type() == "Mul" || node.op_type() == "Div";
  std::vector<int> inputs{in_size(node, a), in_size(node, b)};
  const auto elements = [&](int input) { return imported_.network.shape_of(input).elements(); };
  if (elements(inputs[0]) != elements(inputs[1])) {
    // A broadcast: the larger operand is read and written.
    imported_.changed.push_back(node.op_type() + " '" + title_of(node) +
                                "' broadcasts one operand: read as an activation of the other");
    return add(node, LayerKind::kRelu, {*std::ranges::max_element(inputs, {}, elements)});
  }
  // The later operand stays as it is: its kernel may compute the sum too.
  const std::size_t earlier = inputs[0] < inputs[1] ? 0 : 1;
  const Shape shape = imported_.network.shape_of(inputs[1 - earlier]);
  inputs[earlier] = viewed(node, earlier == 0 ? a : b, inputs[earlier], shape);
  add(node, is_product ? LayerKind::kMultiply : LayerKind::kAdd, inputs);
}

bool OnnxImporter::makes(const std::string& tensor, std::string_view op) const {
  const Node* node = graph_.maker(tensor);
  return node != nullptr && node->op_type() == op;
}

bool OnnxImporter::is_norm_part(const Node& node) const {
  return node.op_type() == "Sub" && makes(node.input(1), "ReduceMean");
}

bool OnnxImporter::is_gate(const Node& product, const std::string& x,
                           const std::string& gate) const {
  if (product.op_type() != "Mul" || root_of(gate) == kNetworkInput) return false;
  const Layer& layer = imported_.network.layers[static_cast<std::size_t>(root_of(gate))];
  if (layer.inputs != std::vector<int>{root_of(x)}) return false;
  if (layer.kind != LayerKind::kSigmoid) return layer.kind == LayerKind::kGelu;
  const Node* maker = graph_.maker(gate);
  while (maker != nullptr && is_quantization(*maker)) maker = graph_.maker(maker->input(0));
  return maker != nullptr && is_any(maker->op_type(), {"Sigmoid", "HardSigmoid"}) &&
         graph_.only_reader(maker->output(0)) == &product;
}

void OnnxImporter::close_gate(const Node& product, const std::string& gate) {
  const int index = root_of(gate);
  Layer& layer = imported_.network.layers[static_cast<std::size_t>(index)];
  if (layer.kind == LayerKind::kSigmoid) {
    layer.kind = LayerKind::kSilu;
    imported_.changed.push_back("'" + layer.name + "' and '" + title_of(product) + "' became silu");
  }
  note_drop("Mul: part of an activation");
  layers_[product.output(0)] = index;
}

}  // namespace tcsim::networks
