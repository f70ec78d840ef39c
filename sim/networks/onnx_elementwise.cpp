#include <algorithm>
#include <functional>
#include <numeric>

#include "sim/networks/onnx_dimensions.hpp"
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
  if (is_mean_of_norm(node)) {
    note_drop("ReduceMean: part of a norm");
    return pass(node);
  }
  if (d.size() == 4 && axes == Axes{2, 3}) return global_pool(node, image_of(node, x));
  if (d.size() == 4 && axes == Axes{1, 2}) return global_pool(node, rows_of(node, x, d.back()));
  if (d.size() == 3 && axes == Axes{1}) return global_pool(node, rows_of(node, x, d.back()));
  skip(node);
}

bool OnnxImporter::is_mean_of_norm(const Node& mean) const {
  constexpr std::size_t kMostSteps = 32;
  std::set<const Node*> seen{&mean};
  for (std::vector<const Node*> open{&mean}; !open.empty() && seen.size() <= kMostSteps;) {
    const std::string& tensor = open.back()->output(0);
    open.pop_back();
    for (const Node* const reader : graph_.readers(tensor)) {
      const bool is_subtracted = is_norm_part(*reader) && reader->input(1) == tensor;
      if (is_subtracted || reader->op_type() == "Sqrt") return true;
      const bool is_step = is_quantization(*reader) ||
                           is_any(reader->op_type(), {"Add", "Sub", "Max", "Clip", "Cast"});
      if (is_step && seen.insert(reader).second) open.push_back(reader);
    }
  }
  return false;
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

const onnx::NodeProto* OnnxImporter::mean_behind(const std::string& tensor) const {
  constexpr int kMostSteps = 6;
  const Node* node = graph_.maker(tensor);
  for (int steps = 0; steps < kMostSteps && node != nullptr; ++steps) {
    if (node->op_type() == "ReduceMean") return node;
    const std::vector<std::string> made = operands_of(*node);
    node = made.empty() ? nullptr : graph_.maker(made.front());
  }
  return nullptr;
}

bool OnnxImporter::is_inverse_root(const std::string& tensor) const {
  const Node* node = graph_.maker(tensor);
  if (node == nullptr) return false;
  if (node->op_type() == "Reciprocal") return makes(node->input(0), "Sqrt");
  return node->op_type() == "Div" && !layer_of(node->input(0)) && makes(node->input(1), "Sqrt");
}

bool OnnxImporter::close_norm(const Node& node, const std::vector<std::string>& operands) {
  if (operands.size() != 2) return false;
  const bool divides = node.op_type() == "Div" && makes(operands[1], "Sqrt");
  const bool is_product = node.op_type() == "Mul";
  const bool has_root_first = is_product && is_inverse_root(operands[0]);
  if (!divides && !has_root_first && !(is_product && is_inverse_root(operands[1]))) return false;
  const std::string& x = operands[has_root_first ? 1 : 0];
  const Node* const mean = mean_behind(operands[has_root_first ? 0 : 1]);
  if (mean == nullptr) return false;
  const Node* maker = graph_.maker(x);
  while (maker != nullptr && (maker->op_type() == "Cast" || is_quantization(*maker)))
    maker = graph_.maker(maker->input(0));
  const bool is_centred = maker != nullptr && is_norm_part(*maker);
  const LayerKind kind = is_centred ? LayerKind::kLayerNorm : LayerKind::kRmsNorm;
  const auto wanted = shape_along(*mean, mean->input(0), mean_axes(*mean));
  add(node, kind, {wanted ? in_columns(node, x, *wanted) : in_size(node, x)});
  imported_.changed.push_back("the steps up to '" + title_of(node) + "' became " +
                              std::string(word(kind)));
  return true;
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
  const auto wanted = shape_along(node, x, graph_.softmax_axes(node, sizes(node, x).size()));
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
  const bool is_step_of_norm = op == "Reciprocal" && is_inverse_root(node.output(0));
  if (!is_step_of_norm && !is_any(op, {"Add", "Sub", "Mul", "Div", "Pow", "Sqrt", "Where", "Sum"}))
    return false;
  const std::vector<std::string> operands = operands_of(node);
  const auto are_one = [&](const std::string& a, const std::string& b) {
    return root_of(a) == root_of(b) && elements_of(node, a) == elements_of(node, b) &&
           !left_out_.contains(a) && !left_out_.contains(b);
  };
  if (close_norm(node, operands)) return true;
  if (op == "Where") {
    select(node);
    return true;
  }
  if (const auto constant = whole_constant(node); constant && operands.size() == 1) {
    add_constant(node, operands.front(), *constant);
  } else if (operands.size() < 2 || is_any(op, {"Pow", "Sqrt"}) || is_norm_part(node) ||
             (operands.size() == 2 && are_one(operands[0], operands[1]))) {
    const std::string other = operands.size() < 2 ? "a constant" : "what it is made of";
    note_drop(op + ": with " + other + ", read as part of a neighbour");
    pass(node);
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

void OnnxImporter::select(const Node& node) {
  std::vector<std::string> chosen;
  for (int i = 1; i < node.input_size(); ++i)
    if (layer_of(node.input(i))) chosen.push_back(node.input(i));
  if (chosen.size() == 2 && root_of(chosen[0]) != root_of(chosen[1])) {
    imported_.changed.push_back("Where '" + title_of(node) +
                                "' chooses between two activations: read as their product");
    return binary(node, chosen[0], chosen[1]);
  }
  note_drop("Where: with a constant, read as part of a neighbour");
  if (chosen.empty()) return pass(node);
  layers_[node.output(0)] = root_of(chosen.front());
}

std::optional<Dimensions> OnnxImporter::whole_constant(const Node& node) const {
  const auto y = graph_.dimensions(node.output(0));
  if (node.op_type() != "Add" || !y) return std::nullopt;
  const std::int64_t elements = of_sample(node.output(0), networks::product(*y));
  for (const std::string& input : node.input()) {
    auto d = graph_.dimensions(input);
    if (!graph_.is_constant(input) || !d || networks::product(*d) != elements) continue;
    const bool has_rows = std::ranges::count_if(*d, [](std::int64_t size) { return size > 1; }) > 1;
    if (has_rows) return d;
  }
  return std::nullopt;
}

void OnnxImporter::add_constant(const Node& node, const std::string& x, const Dimensions& sizes) {
  const Network& network = imported_.network;
  const int layer = in_size(node, x);
  const Shape shape = network.shape_of(layer);
  const std::string name = title_of(node) + ".constant";
  Layer other;
  if (network.takes_tokens && networks::product(sizes) == network.input.h * sizes.back()) {
    other.kind = LayerKind::kEmbedding;  // a row for each token, as that of its position
    other.name = name;
    other.inputs = {kNetworkInput};
    other.vocabulary = network.input.h;
    other.features = sizes.back();
  } else {
    other = view_of(network, kNetworkInput, name, shape);
    other.resizes = true;
    imported_.changed.push_back(node.op_type() + " '" + title_of(node) + "' adds a constant of " +
                                text(sizes) + ", which is not among the parameters");
  }
  const int constant = appended(node, std::move(other));
  add(node, LayerKind::kAdd, {layer, viewed(node, name, constant, shape)});
}

void OnnxImporter::binary(const Node& node, const std::string& a, const std::string& b) {
  const bool is_product = is_any(node.op_type(), {"Mul", "Div", "Where"});
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
  const bool is_sum = layer.kind == LayerKind::kTanh;  // 1 + tanh(...)
  const Node* maker = graph_.maker(gate);
  while (maker != nullptr && is_quantization(*maker)) maker = graph_.maker(maker->input(0));
  if (!is_sum && layer.kind != LayerKind::kSigmoid)  // x * (1 + erf(...)), not x * gelu(x)
    return layer.kind == LayerKind::kGelu && maker != nullptr && maker->op_type() != "Gelu";
  if (maker == nullptr || graph_.only_reader(maker->output(0)) != &product) return false;
  if (!is_sum) return is_any(maker->op_type(), {"Sigmoid", "HardSigmoid"});
  const std::vector<std::string> summands = operands_of(*maker);
  return maker->op_type() == "Add" && summands.size() == 1 && makes(summands.front(), "Tanh") &&
         graph_.only_reader(summands.front()) == maker;
}

void OnnxImporter::close_gate(const Node& product, const std::string& gate) {
  const int index = root_of(gate);
  Layer& layer = imported_.network.layers[static_cast<std::size_t>(index)];
  if (layer.kind != LayerKind::kGelu) {
    layer.kind = layer.kind == LayerKind::kSigmoid ? LayerKind::kSilu : LayerKind::kGelu;
    imported_.changed.push_back("'" + layer.name + "' and '" + title_of(product) + "' became " +
                                std::string(word(layer.kind)));
  }
  note_drop("Mul: part of an activation");
  layers_[product.output(0)] = index;
}

}  // namespace tcsim::networks
