#include "sim/networks/onnx_shape_rules.hpp"

#include <cmath>
#include <map>
#include <set>
#include <string>

#include "sim/networks/onnx_attributes.hpp"
#include "sim/networks/onnx_dimensions.hpp"

namespace tcsim::networks {
namespace {

using Result = std::optional<Dimensions>;

enum class Group : std::uint8_t {
  kSame,       ///< as the first input
  kBroadcast,  ///< element by element of all inputs
  kReduce,     ///< over some axes
  kWindow,
  kProduct,
  kView,
  kResize,
  kNumbers,  ///< a list of whole numbers
};

const std::map<std::string, Group, std::less<>>& groups() {
  using enum Group;
  static const auto table = [] {
    std::map<std::string, Group, std::less<>> all;
    const auto add = [&](Group group, std::initializer_list<const char*> names) {
      for (const char* name : names) all.emplace(name, group);
    };
    add(kSame, {"Identity",
                "Dropout",
                "Cast",
                "Relu",
                "Clip",
                "LeakyRelu",
                "PRelu",
                "Gelu",
                "Erf",
                "Sigmoid",
                "Tanh",
                "HardSwish",
                "HardSigmoid",
                "Elu",
                "Selu",
                "Softplus",
                "Softsign",
                "Mish",
                "Softmax",
                "LogSoftmax",
                "Sqrt",
                "Reciprocal",
                "Exp",
                "Log",
                "Abs",
                "Neg",
                "Floor",
                "Ceil",
                "Round",
                "Sign",
                "Sin",
                "Cos",
                "Not",
                "LRN",
                "CumSum",
                "QuantizeLinear",
                "DequantizeLinear",
                "DynamicQuantizeLinear",
                "Trilu",
                "BatchNormalization",
                "LayerNormalization",
                "InstanceNormalization",
                "GroupNormalization"});
    add(kBroadcast,
        {"Add", "Sub", "Mul", "Div", "Mod", "Pow", "Where", "Sum", "Mean", "Max", "Min", "Equal",
         "Less", "LessOrEqual", "Greater", "GreaterOrEqual", "And", "Or", "Xor"});
    add(kReduce, {"ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1",
                  "ReduceL2", "ReduceLogSumExp", "ReduceSumSquare"});
    add(kWindow, {"Conv", "ConvInteger", "QLinearConv", "ConvTranspose", "MaxPool", "AveragePool",
                  "LpPool", "GlobalAveragePool", "GlobalMaxPool"});
    add(kProduct, {"Gemm", "MatMul", "MatMulInteger", "QLinearMatMul"});
    add(kView, {"Reshape", "Flatten", "Transpose", "Squeeze", "Unsqueeze", "Concat", "Split",
                "Slice", "Gather", "Expand", "Tile", "Pad"});
    add(kResize, {"Resize", "Upsample"});
    add(kNumbers, {"Shape", "ConstantOfShape"});
    return all;
  }();
  return table;
}

Result same_shape(const OnnxOperands& operands) {
  if (operands.shape(0) == nullptr) return std::nullopt;
  return *operands.shape(0);
}

Result broadcast_all(const OnnxOperands& operands) {
  // Before opset 7 the second operand may lie anywhere in the dimensions of the first.
  if (integer_attribute(operands.node, "broadcast", 0) != 0) return same_shape(operands);
  Dimensions result;
  for (const Dimensions* const operand : operands.dimensions) {
    if (operand == nullptr) return std::nullopt;
    result = broadcast(result, *operand);
  }
  return result;
}

Result reduced(const OnnxOperands& operands) {
  const Dimensions* const x = operands.shape(0);
  const auto axes = attribute_or_input(operands, "axes", 1);
  if (x == nullptr || !axes) return std::nullopt;
  std::set<std::size_t> gone;
  for (const std::int64_t axis : *axes) gone.insert(axis_from_front(axis, x->size()));
  const bool keeps_rank = integer_attribute(operands.node, "keepdims", 1) != 0;
  const bool takes_all =
      axes->empty() && integer_attribute(operands.node, "noop_with_empty_axes", 0) == 0;
  Dimensions y;
  for (std::size_t i = 0; i < x->size(); ++i) {
    if (!takes_all && !gone.contains(i))
      y.push_back((*x)[i]);
    else if (keeps_rank)
      y.push_back(1);
  }
  return y;
}

/// The whole factors of a Resize or Upsample; nothing if they are others or not known.
Result factors_of(const OnnxOperands& operands) {
  if (const onnx::AttributeProto* const given = attribute(operands.node, "scales")) {
    Dimensions factors;  // of an Upsample before opset 9
    for (const float factor : given->floats()) {
      if (!(factor >= 1 && factor < 1e6F) || std::trunc(factor) != factor) return std::nullopt;
      factors.push_back(static_cast<std::int64_t>(factor));
    }
    return factors;
  }
  // As the second input of a Resize, from opset 11 on; that of opset 10 has two inputs.
  const bool has_regions = operands.node.op_type() == "Resize" && operands.node.input_size() > 2;
  const std::vector<std::int64_t>* const factors = operands.values(has_regions ? 2 : 1);
  return factors == nullptr ? std::nullopt : Result(*factors);
}

/// By the sizes that are given for all dimensions, else by whole factors.
Result resized(const OnnxOperands& operands) {
  const Dimensions* const x = operands.shape(0);
  const std::vector<std::int64_t>* const sizes = operands.values(3);
  const std::string policy = text_attribute(operands.node, "keep_aspect_ratio_policy");
  const bool is_partial = attribute(operands.node, "axes") != nullptr;
  if (x == nullptr || is_partial || !(policy.empty() || policy == "stretch")) return std::nullopt;
  if (sizes != nullptr && sizes->size() == x->size()) return *sizes;
  const Result factors = factors_of(operands);
  if (!factors || factors->size() != x->size()) return std::nullopt;
  Dimensions y;
  for (std::size_t i = 0; i < x->size(); ++i) {
    const std::int64_t factor = (*factors)[i];
    if (factor < 1) return std::nullopt;
    const bool is_known = (*x)[i] >= 0 && (*x)[i] <= kLargestSize / factor;
    y.push_back(is_known ? (*x)[i] * factor : kUnknown);
  }
  return y;
}

Result list(const OnnxOperands& operands) {
  if (operands.node.op_type() == "Shape") {
    if (operands.shape(0) == nullptr) return std::nullopt;
    const auto rank = static_cast<std::int64_t>(operands.shape(0)->size());
    return Dimensions{slice_range(rank, integer_attribute(operands.node, "start", 0),
                                  integer_attribute(operands.node, "end", rank), /*step=*/1)
                          .count};
  }
  if (operands.values(0) == nullptr) return std::nullopt;  // of ConstantOfShape
  return *operands.values(0);
}

Result of_group(Group group, const OnnxOperands& operands, int output) {
  switch (group) {
    case Group::kSame:
      return same_shape(operands);
    case Group::kBroadcast:
      return broadcast_all(operands);
    case Group::kReduce:
      return reduced(operands);
    case Group::kWindow:
      return window_result(operands);
    case Group::kProduct:
      return product_result(operands);
    case Group::kView:
      return view_result(operands, output);
    case Group::kResize:
      return resized(operands);
    case Group::kNumbers:
      return list(operands);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Dimensions> result_dimensions(const OnnxOperands& operands, int output) {
  const std::string& op = operands.node.op_type();
  if (op == "DynamicQuantizeLinear" && output > 0) return Dimensions{};  // scale and zero point
  const auto group = groups().find(op);
  if (group == groups().end() || (output > 0 && op != "Split")) return std::nullopt;
  Result result = of_group(group->second, operands, output);
  if (result)
    for (std::int64_t& size : *result) size = within_limits(size);
  return result;
}

}  // namespace tcsim::networks
