#include "sim/networks/onnx_checks.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "sim/files/nearest.hpp"
#include "sim/files/shown_text.hpp"
#include "sim/networks/onnx_attributes.hpp"
#include "sim/networks/onnx_dimensions.hpp"
#include "workloads/trace/input_error.hpp"

namespace tcsim::networks {
namespace {

using onnx::AttributeProto;

constexpr std::ptrdiff_t kFirstOfWindow = 2;  // of the sizes of filters

void require_weights(const onnx::GraphProto& graph, const std::string& file) {
  std::set<std::string_view> names;
  for (const onnx::TensorProto& weights : graph.initializer()) {
    if (!names.insert(weights.name()).second)
      throw InputError({file + ": two initializers are called " + files::shown(weights.name())});
    for (const std::int64_t size : weights.dims())
      if (size < 0)
        throw InputError({file + ": the initializer " + files::shown(weights.name()) +
                          " has a dimension of " + std::to_string(size)});
  }
}

void require_one_maker(const onnx::GraphProto& graph, const std::string& file) {
  std::set<std::string_view> made;
  for (const onnx::ValueInfoProto& input : graph.input()) made.insert(input.name());
  for (const onnx::TensorProto& weights : graph.initializer()) made.insert(weights.name());
  for (const auto& weights : graph.sparse_initializer()) made.insert(weights.values().name());
  for (const onnx::NodeProto& node : graph.node())
    for (const std::string& output : node.output())
      if (!output.empty() && !made.insert(output).second)
        throw InputError({file + ": " + named(node) + ": makes " + files::shown(output) +
                          ", which is an input, a weight or a result of an earlier node"});
  const std::vector<std::string_view> names(made.begin(), made.end());
  for (const onnx::ValueInfoProto& output : graph.output())
    if (!made.contains(output.name()))
      throw InputError({file + ": nothing makes the output " + files::shown(output.name()) +
                        files::did_you_mean(output.name(), names)});
}

void require_operands(const onnx::NodeProto& node) {
  static const std::map<std::string, int, std::less<>> fewest{{"Conv", 2},
                                                              {"ConvTranspose", 2},
                                                              {"Gemm", 2},
                                                              {"MatMul", 2},
                                                              {"Add", 2},
                                                              {"Gather", 2},
                                                              {"Sub", 2},
                                                              {"Mul", 2},
                                                              {"Div", 2},
                                                              {"Pow", 2},
                                                              {"BatchNormalization", 5}};
  const auto needed = fewest.find(node.op_type());
  if (needed != fewest.end() && node.input_size() < needed->second)
    throw std::invalid_argument(std::to_string(node.input_size()) + " inputs, it needs " +
                                std::to_string(needed->second));
  if (node.output_size() == 0) throw std::invalid_argument("no output");
}

/// Attributes that have this type wherever ONNX has them; those of the oldest files have none.
void require_types(const onnx::NodeProto& node) {
  const std::string& op = node.op_type();
  if (has_subgraph(node) && op != "If" && op != "Loop" && op != "Scan" && op != "SequenceMap")
    throw std::invalid_argument("an attribute is a graph");
  static const std::map<std::string, AttributeProto::AttributeType, std::less<>> types{
      {"strides", AttributeProto::INTS},        {"pads", AttributeProto::INTS},
      {"dilations", AttributeProto::INTS},      {"kernel_shape", AttributeProto::INTS},
      {"output_padding", AttributeProto::INTS}, {"output_shape", AttributeProto::INTS},
      {"axes", AttributeProto::INTS},           {"perm", AttributeProto::INTS},
      {"group", AttributeProto::INT},           {"axis", AttributeProto::INT},
      {"keepdims", AttributeProto::INT},        {"ceil_mode", AttributeProto::INT},
      {"transA", AttributeProto::INT},          {"transB", AttributeProto::INT},
      {"num_groups", AttributeProto::INT},      {"auto_pad", AttributeProto::STRING},
      {"mode", AttributeProto::STRING},         {"equation", AttributeProto::STRING}};
  for (const AttributeProto& attribute : node.attribute()) {
    const auto wanted = types.find(attribute.name());
    if (wanted == types.end() || attribute.type() == AttributeProto::UNDEFINED ||
        attribute.type() == wanted->second)
      continue;
    throw std::invalid_argument(attribute.name() + " is of type " +
                                AttributeProto::AttributeType_Name(attribute.type()) + ", not " +
                                AttributeProto::AttributeType_Name(wanted->second));
  }
}

void require_known_padding(const onnx::NodeProto& node) {
  static const std::vector<std::string_view> known{"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"};
  const std::string padding = text_attribute(node, "auto_pad");
  if (!padding.empty() && std::ranges::find(known, padding) == known.end())
    throw std::invalid_argument("auto_pad of " + files::shown(padding) +
                                files::did_you_mean(padding, known));
}

/// Throws unless `input`, if it is there and known, has one size, `count`.
void require_vector(const OnnxOperands& operands, std::size_t input, std::int64_t count,
                    const char* what) {
  const Dimensions* const sizes = operands.shape(input);
  if (sizes == nullptr || count < 0 || std::ranges::count(*sizes, kUnknown) > 0) return;
  if (*sizes != Dimensions{count})
    throw std::invalid_argument(std::string(what) + " of " + text(*sizes) + " for " +
                                std::to_string(count) + " channels");
}

/// Of convolutions in all forms.
void require_filters(const OnnxOperands& operands) {
  const onnx::NodeProto& node = operands.node;
  const Dimensions* const w = second_operand(operands);
  if (w == nullptr || w->size() <= kFirstOfWindow) return;
  const Dimensions kernel = integers_attribute(node, "kernel_shape");
  const Dimensions window(w->begin() + kFirstOfWindow, w->end());
  if (!kernel.empty() && kernel != window && std::ranges::count(window, kUnknown) == 0)
    throw std::invalid_argument("a kernel_shape of " + text(kernel) + " and filters of " +
                                text(window));
  const std::int64_t groups = integer_attribute(node, "group", 1);
  const bool is_transposed = node.op_type() == "ConvTranspose";
  if (!is_transposed && groups > 0 && w->front() > 0 && w->front() % groups != 0)
    throw std::invalid_argument(std::to_string(groups) + " groups do not divide " +
                                std::to_string(w->front()) + " filters");
  if (is_transposed)
    require_vector(operands, 2, product({(*w)[1], groups}), "a bias");
  else if (node.op_type() == "Conv")
    require_vector(operands, 2, w->front(), "a bias");
}

/// Throws unless `input`, if it is there and known, has the sizes `whole` or less, by a broadcast.
void require_part(const OnnxOperands& operands, std::size_t input, const Dimensions& whole,
                  const char* what) {
  const Dimensions* const sizes = operands.shape(input);
  if (sizes == nullptr || std::ranges::count(whole, kUnknown) > 0 ||
      broadcast(whole, *sizes) == whole)
    return;
  throw std::invalid_argument(std::string(what) + " of " + text(*sizes) + " for " + text(whole));
}

void require_affine(const OnnxOperands& operands) {
  const Dimensions* const x = operands.shape(0);
  if (x == nullptr) return;
  const auto axis = static_cast<std::ptrdiff_t>(
      axis_from_front(integer_attribute(operands.node, "axis", -1), x->size()));
  for (const std::size_t input : {std::size_t{1}, std::size_t{2}})
    require_part(operands, input, {x->begin() + axis, x->end()}, "a vector");
}

void require_axis(const OnnxOperands& operands) {
  const onnx::AttributeProto* const axis = attribute(operands.node, "axis");
  if (axis != nullptr && operands.shape(0) != nullptr)
    axis_from_front(axis->i(), operands.shape(0)->size());
}

void require_sum(const OnnxOperands& operands) {
  if (const auto y = product_result(operands)) require_part(operands, 2, *y, "a bias");
}

void require_norm(const OnnxOperands& operands) {
  const Dimensions* const x = operands.shape(0);
  const bool is_by_pixel = integer_attribute(operands.node, "spatial", 1) == 0;  // before opset 9
  if (x == nullptr || is_by_pixel) return;
  const std::size_t last = operands.node.op_type() == "BatchNormalization" ? 4 : 2;
  for (std::size_t input = 1; input <= last; ++input)
    require_vector(operands, input, x->size() > 1 ? (*x)[1] : 1, "a vector");
}

}  // namespace

bool is_name_of_onnx(const std::string& domain) { return domain.empty() || domain == "ai.onnx"; }

bool is_of_onnx(const onnx::NodeProto& node) { return is_name_of_onnx(node.domain()); }

void require_sound(const onnx::ModelProto& model, const std::string& file) {
  if (model.opset_import_size() == 0)
    throw InputError({file + ": no opset_import: which form of ONNX the operators have is open"});
  require_weights(model.graph(), file);
  require_one_maker(model.graph(), file);
}

void require_fitting(const OnnxOperands& operands) {
  const onnx::NodeProto& node = operands.node;
  require_operands(node);
  if (!is_of_onnx(node)) return;
  require_types(node);
  const std::string& op = node.op_type();
  require_known_padding(node);
  if (op == "Conv" || op == "ConvTranspose" || op == "ConvInteger" || op == "QLinearConv")
    require_filters(operands);
  if (op == "BatchNormalization" || op == "InstanceNormalization") require_norm(operands);
  if (op == "LayerNormalization") require_affine(operands);
  if (op == "Gemm") require_sum(operands);
  if (op == "Softmax" || op == "LogSoftmax") require_axis(operands);
}

}  // namespace tcsim::networks
