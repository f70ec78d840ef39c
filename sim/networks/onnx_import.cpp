#include "sim/networks/onnx_import.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>

#include "sim/networks/onnx_graph.hpp"
#include "workloads/trace/input_error.hpp"

namespace tcsim::networks {
namespace {

using Node = onnx::NodeProto;
using Dimensions = OnnxGraph::Dimensions;

constexpr std::int64_t kMostElements = std::int64_t{1} << 31;
constexpr std::int64_t kMostPixels = 65535;

bool is_any(const std::string& op, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, op) != names.end();
}

class OnnxImporter {
 public:
  OnnxImporter(const std::string& bytes, const std::string& file, const ImportSizes& sizes)
      : file_(file), graph_(bytes, file, {sizes.batch, sizes.dimensions}) {}

  Imported read() {
    imported_.network.name = graph_.graph().name().empty() ? "onnx" : graph_.graph().name();
    imported_.network.source =
        "imported from ONNX" + (graph_.producer().empty() ? "" : ", made by " + graph_.producer());
    for (const Node& node : graph_.graph().node()) check_operands(node);
    read_input();
    find_attentions();
    for (const Node& node : graph_.graph().node())
      if (!consumed_.contains(&node)) read_node(node);
    if (imported_.network.layers.empty()) throw InputError({file_ + ": no node became a layer"});
    for (const auto& [what, count] : dropped_)
      imported_.dropped.push_back(what +
                                  (count > 1 ? " (" + std::to_string(count) + " nodes)" : ""));
    return std::move(imported_);
  }

 private:
  [[noreturn]] void refuse(const Node& node, const std::string& reason) const {
    throw InputError({file_ + ": node '" + node.name() + "' (" + node.op_type() + "): " + reason});
  }

  void check_operands(const Node& node) const {
    static const std::map<std::string, int, std::less<>> fewest{
        {"Conv", 2}, {"ConvTranspose", 2}, {"Gemm", 2}, {"MatMul", 2}, {"Gather", 2},
        {"Add", 2},  {"Sub", 2},           {"Mul", 2},  {"Div", 2},    {"Pow", 2}};
    const auto needed = fewest.find(node.op_type());
    if (needed != fewest.end() && node.input_size() < needed->second)
      refuse(node, std::to_string(node.input_size()) + " inputs, it needs " +
                       std::to_string(needed->second));
    if (node.output_size() == 0) refuse(node, "no output");
  }

  /// The sizes of a tensor, all of them known.
  Dimensions sizes(const Node& node, const std::string& tensor) const {
    const auto found = graph_.dimensions(tensor);
    if (!found)
      refuse(node, "no shape is known for '" + tensor + "'; export the model with static shapes");
    std::int64_t elements = 1;
    for (const std::int64_t size : *found) {
      if (size < 0) {
        const std::string symbol = graph_.symbol(tensor);
        refuse(node, "'" + tensor + "' has a dynamic dimension" +
                         (symbol.empty() ? "" : " '" + symbol + "'") + "; fix it with --dim " +
                         (symbol.empty() ? "NAME" : symbol) + "=SIZE");
      }
      if (size == 0 || size > kMostElements)
        refuse(node, "'" + tensor + "' has a dimension of " + std::to_string(size));
      if (size > kMostElements / elements)
        refuse(node, "'" + tensor + "' has more than 2147483648 elements");
      elements *= size;
    }
    return *found;
  }

  /// NCHW, [batch][tokens][columns] or [batch][columns] as a sample.
  Shape shape_of(const Node& node, const std::string& tensor) const {
    const Dimensions d = sizes(node, tensor);
    switch (d.size()) {
      case 4:
        return {d[2], d[3], d[1]};
      case 3:
        return {d[1], 1, d[2]};
      case 2:
        return {1, 1, d[1]};
      default:
        return {1, 1, d.empty() ? 1 : d.back()};
    }
  }

  void read_input() {
    Network& network = imported_.network;
    for (const onnx::ValueInfoProto& input : graph_.graph().input()) {
      if (graph_.is_constant(input.name())) continue;  // weights may stand among the inputs
      layers_[input.name()] = kNetworkInput;
      if (has_input_) {
        note_drop("input '" + input.name() + "': takes the place of the first input");
        continue;
      }
      has_input_ = true;
      Node place;
      place.set_name(input.name());
      place.set_op_type("input");
      const Dimensions d = sizes(place, input.name());
      const int type = input.type().tensor_type().elem_type();
      const bool is_whole = type == onnx::TensorProto::INT64 || type == onnx::TensorProto::INT32;
      network.takes_tokens = is_whole && d.size() == 2;
      network.input = network.takes_tokens ? Shape{d[1], 1, 1} : shape_of(place, input.name());
      if (d.size() > 1 && d[0] != 1)
        imported_.changed.push_back("the batch of " + std::to_string(d[0]) +
                                    " is left to --batch of tcsim run");
    }
    if (!has_input_) throw InputError({file_ + ": the graph has no input"});
  }

  void note_drop(const std::string& what) { ++dropped_[what]; }

  /// The layer that makes `tensor`, or nothing for constants and what was not imported.
  std::optional<int> layer_of(const std::string& tensor) const {
    const auto found = layers_.find(tensor);
    return found == layers_.end() ? std::nullopt : std::optional(found->second);
  }

  /// Inputs of `node` that are activations.
  std::vector<int> activations(const Node& node) const {
    std::vector<int> found;
    for (const std::string& input : node.input())
      if (const auto layer = layer_of(input)) found.push_back(*layer);
    return found;
  }

  /// `tensor` in the shape that the file gives it: reshapes have no kernel of their own.
  int in_shape(const Node& node, const std::string& tensor, int layer) {
    if (tensor.empty()) return layer;
    const Shape wanted = shape_of(node, tensor);
    const bool is_tokens = layer == kNetworkInput && imported_.network.takes_tokens;
    if (is_tokens || imported_.network.shape_of(layer) == wanted) return layer;
    Layer reshape;
    reshape.kind = LayerKind::kReshape;
    reshape.name = tensor + ".shape";
    reshape.inputs = {layer};
    reshape.new_shape = wanted;
    return appended(node, std::move(reshape));
  }

  int appended(const Node& node, Layer layer) {
    std::string reason;
    const int index = append(imported_.network, std::move(layer), reason);
    if (index < 0) refuse(node, reason);
    return index;
  }

  void add(const Node& node, LayerKind kind, std::vector<int> inputs) {
    Layer layer;
    layer.kind = kind;
    layer.inputs = std::move(inputs);
    add(node, std::move(layer));
  }

  void add(const Node& node, Layer layer) {
    layer.name = node.name().empty() ? node.output(0) : node.name();
    layers_[node.output(0)] = appended(node, std::move(layer));
  }

  /// The result is the first activation, without work.
  void pass(const Node& node) {
    const std::vector<int> inputs = activations(node);
    if (!inputs.empty()) layers_[node.output(0)] = inputs.front();
  }

  void skip(const Node& node, double macs) {
    imported_.network.skipped.push_back(
        {node.name().empty() && node.output_size() > 0 ? node.output(0) : node.name(),
         node.op_type(), macs});
    const std::vector<int> inputs = activations(node);
    if (node.output_size() == 0 || inputs.empty()) return;
    const auto d = graph_.dimensions(node.output(0));
    const bool is_known = d && std::ranges::all_of(*d, [](std::int64_t size) { return size > 0; });
    layers_[node.output(0)] =
        is_known ? in_shape(node, node.output(0), inputs.front()) : inputs.front();
  }

  /// Inputs of `node` in the shapes that the file gives them.
  std::vector<int> shaped_inputs(const Node& node) {
    std::vector<int> inputs;
    for (const std::string& input : node.input())
      if (const auto layer = layer_of(input)) inputs.push_back(in_shape(node, input, *layer));
    return inputs;
  }

  void read_node(const Node& node) {
    const std::string& op = node.op_type();
    if (node.output_size() == 0 || is_any(op, {"Constant", "Shape", "ConstantOfShape", "Range"}))
      return note_drop(op + ": computes shapes or constants");
    const std::vector<int> inputs = activations(node);
    if (inputs.empty() && op != "Gather") return note_drop(op + ": has constant operands only");
    if (is_any(op, {"Identity", "Dropout", "Reshape", "Transpose", "Squeeze", "Unsqueeze", "Cast",
                    "Expand"})) {
      note_drop(op + ": changes the view or the type, no kernel");
      return pass(node);
    }
    if (op == "Flatten") return pass(node);
    if (op == "Conv") return conv(node);
    if (op == "Gemm") return gemm(node);
    if (op == "MatMul") return matmul(node);
    if (op == "Gather") return gather(node);
    if (is_any(op, {"MaxPool", "AveragePool"})) return pool(node);
    if (read_norm(node) || read_activation(node) || read_arithmetic(node)) return;
    if (op == "Concat") return concat(node);
    skip(node, op == "ConvTranspose" ? transposed_macs(node) : 0);
  }

  bool read_norm(const Node& node) {
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

  /// Over all pixels it is a pool; else it is taken for the first step of a layer norm, whose last
  /// step, the division, becomes the layer.
  void reduce_mean(const Node& node) {
    std::vector<std::int64_t> axes = integers_attribute(node, "axes");
    if (axes.empty() && node.input_size() > 1) axes = graph_.integers(node.input(1));
    const std::size_t rank = sizes(node, node.input(0)).size();
    if (rank == 4 && axes.size() == 2)
      return add(node, LayerKind::kGlobalAveragePool, shaped_inputs(node));
    note_drop("ReduceMean: part of a norm");
    pass(node);
  }

  bool read_activation(const Node& node) {
    static const std::map<std::string, LayerKind> kinds{
        {"Relu", LayerKind::kRelu},         {"Clip", LayerKind::kRelu},
        {"LeakyRelu", LayerKind::kRelu},    {"PRelu", LayerKind::kRelu},
        {"Gelu", LayerKind::kGelu},         {"Erf", LayerKind::kGelu},
        {"Sigmoid", LayerKind::kSigmoid},   {"Tanh", LayerKind::kTanh},
        {"HardSwish", LayerKind::kSilu},    {"HardSigmoid", LayerKind::kSigmoid},
        {"Elu", LayerKind::kSilu},          {"Softplus", LayerKind::kSilu},
        {"Mish", LayerKind::kSilu},         {"Softmax", LayerKind::kSoftmax},
        {"LogSoftmax", LayerKind::kSoftmax}};
    const auto kind = kinds.find(node.op_type());
    if (kind == kinds.end()) return false;
    if (std::string(word(kind->second)) != lower(node.op_type()))
      imported_.changed.push_back(node.op_type() + " '" + node.name() + "' became " +
                                  std::string(word(kind->second)));
    add(node, kind->second, {shaped_inputs(node).front()});
    return true;
  }

  static std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
  }

  /// Two activations make a layer; with a constant it is a scale, a bias or a mask of a neighbour.
  bool read_arithmetic(const Node& node) {
    const std::string& op = node.op_type();
    if (!is_any(op, {"Add", "Sub", "Mul", "Div", "Pow", "Sqrt", "Where", "Sum"})) return false;
    std::vector<int> inputs = shaped_inputs(node);
    if (op == "Div" && inputs.size() == 2 && makes(node.input(1), "Sqrt")) {
      add(node, LayerKind::kLayerNorm, {root_of(node.input(0))});
      imported_.changed.push_back("the steps up to '" + node.name() + "' became a layer_norm");
    } else if (inputs.size() < 2 || is_any(op, {"Pow", "Sqrt", "Where"}) ||
               inputs[0] == inputs[1] || is_norm_part(node)) {
      note_drop(op + ": with a constant, part of a neighbour");
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

  void binary(const Node& node, const std::vector<int>& inputs) {
    const bool is_product = node.op_type() == "Mul" || node.op_type() == "Div";
    const Shape& a = imported_.network.shape_of(inputs[0]);
    const Shape& b = imported_.network.shape_of(inputs[1]);
    if (a != b) {  // a broadcast: the larger operand is read and written
      imported_.changed.push_back(node.op_type() + " '" + node.name() +
                                  "' broadcasts one operand: read as an activation of the other");
      return add(node, LayerKind::kRelu, {a.elements() >= b.elements() ? inputs[0] : inputs[1]});
    }
    add(node, is_product ? LayerKind::kMultiply : LayerKind::kAdd, {inputs[0], inputs[1]});
  }

  bool makes(const std::string& tensor, std::string_view op) const {
    const Node* node = graph_.maker(tensor);
    return node != nullptr && node->op_type() == op;
  }
  /// A subtraction of a mean.
  bool is_norm_part(const Node& node) const {
    return node.op_type() == "Sub" && makes(node.input(1), "ReduceMean");
  }
  int root_of(const std::string& tensor) const { return layer_of(tensor).value_or(kNetworkInput); }
  /// x * sigmoid(x), or the last step of x * (1 + erf(x / sqrt 2)): `gate` is made of `x` alone.
  bool is_gate(int x, int gate) const {
    if (gate == kNetworkInput) return false;
    const Layer& layer = imported_.network.layers[static_cast<std::size_t>(gate)];
    const bool is_kind = layer.kind == LayerKind::kGelu || layer.kind == LayerKind::kSigmoid ||
                         layer.kind == LayerKind::kSilu;
    return is_kind && layer.inputs == std::vector<int>{x};
  }

  /// Multiply-adds of any convolution: its result times the weights of a filter.
  double conv_macs(const Node& node) const {
    const auto y = graph_.dimensions(node.output(0));
    const auto w = graph_.dimensions(node.input(1));
    if (!y || !w || w->empty()) return 0;
    double macs = 1;
    for (const std::int64_t size : *y) macs *= static_cast<double>(std::max<std::int64_t>(size, 1));
    for (std::size_t i = 1; i < w->size(); ++i) macs *= static_cast<double>((*w)[i]);
    return macs / static_cast<double>(std::max<std::int64_t>(y->front(), 1));
  }

  /// Every element of the input meets all filters of its channel.
  double transposed_macs(const Node& node) const {
    const auto x = graph_.dimensions(node.input(0));
    const auto w = graph_.dimensions(node.input(1));
    if (!x || !w) return 0;
    double macs = 1;
    for (std::size_t i = 1; i < x->size(); ++i) macs *= static_cast<double>((*x)[i]);
    for (std::size_t i = 1; i < w->size(); ++i) macs *= static_cast<double>((*w)[i]);
    return macs;
  }

  /// Strides and paddings; false if they are not the same on both sides of the image.
  bool read_window(const Node& node, Layer& layer) {
    const std::vector<std::int64_t> strides = integers_attribute(node, "strides");
    std::vector<std::int64_t> pads = integers_attribute(node, "pads");
    for (const std::int64_t dilation : integers_attribute(node, "dilations"))
      if (dilation != 1) return false;
    if (strides.size() == 2) {
      layer.stride_h = strides[0];
      layer.stride_w = strides[1];
    }
    for (const std::int64_t value : {layer.r, layer.s, layer.stride_h, layer.stride_w})
      if (value < 1 || value > kMostPixels)
        refuse(node, "a window or stride of " + std::to_string(value));
    const std::string automatic = text_attribute(node, "auto_pad");
    if (automatic.starts_with("SAME")) {
      const Shape x = shape_of(node, node.input(0));
      const auto total = [](std::int64_t size, std::int64_t window, std::int64_t stride) {
        return std::max<std::int64_t>(0,
                                      ((size + stride - 1) / stride - 1) * stride + window - size);
      };
      const std::int64_t h = total(x.h, layer.r, layer.stride_h);
      const std::int64_t w = total(x.w, layer.s, layer.stride_w);
      pads = {h / 2, w / 2, h - h / 2, w - w / 2};
    }
    if (pads.size() != 4) pads = {0, 0, 0, 0};
    for (const std::int64_t pad : pads)
      if (pad < 0 || pad > kMostPixels) refuse(node, "a padding of " + std::to_string(pad));
    layer.pad_h = std::max(pads[0], pads[2]);
    layer.pad_w = std::max(pads[1], pads[3]);
    return true;
  }

  /// The windows of `layer` give the image that the file says.
  bool agrees(const Node& node, const Layer& layer) const {
    const Shape x = shape_of(node, node.input(0));
    const Shape y = shape_of(node, node.output(0));
    const auto count = [&](std::int64_t size, std::int64_t window, std::int64_t stride,
                           std::int64_t pad) {
      const std::int64_t free = size + 2 * pad - window;
      return free < 0 ? 0 : (layer.has_ceiling ? free + stride - 1 : free) / stride + 1;
    };
    return count(x.h, layer.r, layer.stride_h, layer.pad_h) == y.h &&
           count(x.w, layer.s, layer.stride_w, layer.pad_w) == y.w;
  }

  void conv(const Node& node) {
    const Dimensions w = sizes(node, node.input(1));
    if (w.size() != 4) return skip(node, conv_macs(node));
    Layer layer;
    layer.kind = LayerKind::kConv;
    layer.features = w[0];
    layer.r = w[2];
    layer.s = w[3];
    layer.groups = integer_attribute(node, "group", 1);
    layer.has_bias = node.input_size() > 2;
    if (layer.groups < 1) refuse(node, "groups of " + std::to_string(layer.groups));
    if (!read_window(node, layer) || !agrees(node, layer)) return skip(node, conv_macs(node));
    if (layer.groups > 1 && layer.groups == shape_of(node, node.input(0)).c) layer.groups = 0;
    layer.inputs = {in_shape(node, node.input(0), root_of(node.input(0)))};
    add(node, std::move(layer));
  }

  void pool(const Node& node) {
    const std::vector<std::int64_t> kernel = integers_attribute(node, "kernel_shape");
    if (kernel.size() != 2) return skip(node, 0);
    Layer layer;
    layer.kind = node.op_type() == "MaxPool" ? LayerKind::kMaxPool : LayerKind::kAveragePool;
    layer.r = kernel[0];
    layer.s = kernel[1];
    layer.has_ceiling = integer_attribute(node, "ceil_mode", 0) == 1;
    if (!read_window(node, layer) || !agrees(node, layer)) return skip(node, 0);
    layer.inputs = {in_shape(node, node.input(0), root_of(node.input(0)))};
    add(node, std::move(layer));
  }

  void linear(const Node& node, std::int64_t features, bool has_bias) {
    Layer layer;
    layer.kind = LayerKind::kLinear;
    layer.features = features;
    layer.has_bias = has_bias;
    layer.inputs = {in_shape(node, node.input(0), root_of(node.input(0)))};
    add(node, std::move(layer));
  }

  void gemm(const Node& node) {
    if (!graph_.is_constant(node.input(1)) || !layer_of(node.input(0)) ||
        integer_attribute(node, "transA", 0) != 0)
      return skip(node, product_macs(node));
    const Dimensions w = sizes(node, node.input(1));
    if (w.size() != 2) refuse(node, "weights without two dimensions");
    linear(node, integer_attribute(node, "transB", 0) == 1 ? w[0] : w[1], node.input_size() > 2);
  }

  double product_macs(const Node& node) const {
    const auto y = graph_.dimensions(node.output(0));
    const auto a = graph_.dimensions(node.input(0));
    if (!y || !a || a->empty()) return 0;
    double macs = static_cast<double>(std::max<std::int64_t>(a->back(), 1));
    for (const std::int64_t size : *y) macs *= static_cast<double>(std::max<std::int64_t>(size, 1));
    return macs;
  }

  void matmul(const Node& node) {
    if (const auto found = attentions_.find(&node); found != attentions_.end())
      return attention(*found->second, node);
    const bool has_weights = graph_.is_constant(node.input(1));
    if (has_weights && layer_of(node.input(0))) {
      const Dimensions w = sizes(node, node.input(1));
      if (w.size() != 2) return skip(node, product_macs(node));
      const std::vector<const Node*> readers = graph_.readers(node.output(0));
      const bool has_bias = readers.size() == 1 && readers.front()->op_type() == "Add" &&
                            (graph_.is_constant(readers.front()->input(0)) ||
                             graph_.is_constant(readers.front()->input(1)));
      return linear(node, w[1], has_bias);
    }
    if (!layer_of(node.input(0)) || !layer_of(node.input(1))) return skip(node, product_macs(node));
    product(node);
  }

  /// A product of two activations.
  void product(const Node& node) {
    const Dimensions a = sizes(node, node.input(0));
    const Dimensions b = sizes(node, node.input(1));
    if (a.size() < 2 || b.size() < 2) return skip(node, product_macs(node));
    Layer layer;
    layer.kind = LayerKind::kMatmul;
    layer.m = a[a.size() - 2];
    layer.k = a.back();
    layer.n = b.back();
    for (std::size_t i = 1; i + 2 < a.size(); ++i) layer.count *= a[i];
    layer.inputs = {root_of(node.input(0)), root_of(node.input(1))};
    add(node, std::move(layer));
  }

  /// The product of scores and V behind Q K^T: scale, mask, softmax and casts stand between.
  const Node* second_product(const Node& first, std::vector<const Node*>& between) const {
    bool has_softmax = false;
    const Node* node = &first;
    for (int steps = 0; steps < 12; ++steps) {
      const std::vector<const Node*> readers = graph_.readers(node->output(0));
      if (readers.size() != 1) return nullptr;
      const Node* next = readers.front();
      if (next->op_type() == "MatMul")
        return has_softmax && next->input(0) == node->output(0) ? next : nullptr;
      if (!is_any(next->op_type(),
                  {"Div", "Mul", "Add", "Where", "Softmax", "Dropout", "Cast", "Identity"}))
        return nullptr;
      has_softmax = has_softmax || next->op_type() == "Softmax";
      between.push_back(next);
      node = next;
    }
    return nullptr;
  }

  /// Q K^T, what follows up to softmax, and the product with V are one layer at the second product,
  /// by when Q, K and V are there.
  void find_attentions() {
    for (const Node& node : graph_.graph().node()) {
      if (node.op_type() != "MatMul" || graph_.is_constant(node.input(0)) ||
          graph_.is_constant(node.input(1)))
        continue;
      const auto q = graph_.dimensions(node.input(0));
      const auto k = graph_.dimensions(node.input(1));
      std::vector<const Node*> between;
      const Node* second = second_product(node, between);
      if (second == nullptr || !q || !k || q->size() != 4 || k->size() != 4) continue;
      attentions_[second] = &node;
      consumed_.insert(&node);
      consumed_.insert(between.begin(), between.end());
    }
  }

  void attention(const Node& first, const Node& second) {
    const Dimensions q = sizes(first, first.input(0));
    const Dimensions k = sizes(first, first.input(1));
    const std::int64_t columns = q[1] * q[3];
    Layer layer;
    layer.kind = LayerKind::kAttention;
    layer.heads = layer.kv_heads = q[1];
    layer.keys = k[3] == q[2] ? 0 : k[3];
    for (const auto& [tensor, rows] :
         {std::pair{first.input(0), q[2]}, {first.input(1), k[3]}, {second.input(1), k[3]}}) {
      Layer view;
      view.kind = LayerKind::kReshape;
      view.name = tensor + ".heads";
      view.inputs = {root_of(tensor)};
      view.new_shape = {rows, 1, columns};
      const bool fits = imported_.network.shape_of(view.inputs[0]) == view.new_shape;
      layer.inputs.push_back(fits ? view.inputs[0] : appended(first, std::move(view)));
    }
    add(second, std::move(layer));
    imported_.changed.push_back("the nodes from '" + first.name() + "' to '" + second.name() +
                                "' became one attention; masks are dropped");
  }

  void gather(const Node& node) {
    const auto table = graph_.dimensions(node.input(0));
    const bool reads_table = graph_.is_constant(node.input(0)) && table && table->size() == 2;
    if (reads_table) {
      Layer layer;
      layer.kind = LayerKind::kEmbedding;
      layer.vocabulary = (*table)[0];
      layer.features = (*table)[1];
      layer.inputs = {layer_of(node.input(1)).value_or(kNetworkInput)};
      return add(node, std::move(layer));
    }
    if (!layer_of(node.input(0))) return note_drop("Gather: has constant operands only");
    const std::size_t rank = sizes(node, node.input(0)).size();
    if (rank == 3 && integer_attribute(node, "axis", 0) == 1 && graph_.is_constant(node.input(1)))
      return add(node, LayerKind::kFirstToken, shaped_inputs(node));
    skip(node, 0);
  }

  void concat(const Node& node) {
    const auto rank = static_cast<std::int64_t>(sizes(node, node.output(0)).size());
    const std::int64_t axis = integer_attribute(node, "axis", 0);
    const bool is_channels = rank == 4 ? axis == 1 || axis == -3 : axis == rank - 1 || axis == -1;
    const std::vector<int> inputs = shaped_inputs(node);
    if (!is_channels || inputs.size() < 2) return skip(node, 0);
    add(node, LayerKind::kConcatenate, inputs);
  }

  const std::string& file_;
  const OnnxGraph graph_;
  Imported imported_;
  std::map<std::string, int> layers_;  ///< by tensor
  std::map<std::string, int> dropped_;
  std::set<const Node*> consumed_;
  std::map<const Node*, const Node*> attentions_;  ///< second product to first
  bool has_input_ = false;
};

}  // namespace

Imported import_onnx(const std::string& bytes, const std::string& file, const ImportSizes& sizes) {
  return OnnxImporter(bytes, file, sizes).read();
}

}  // namespace tcsim::networks
