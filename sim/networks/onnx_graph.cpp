#include "sim/networks/onnx_graph.hpp"

#include <onnx/shape_inference/implementation.h>

#include <cstring>
#include <exception>

#include "workloads/trace/input_error.hpp"

namespace tcsim::networks {
namespace {

const onnx::AttributeProto* attribute(const onnx::NodeProto& node, const char* name) {
  for (const onnx::AttributeProto& candidate : node.attribute())
    if (candidate.name() == name) return &candidate;
  return nullptr;
}

}  // namespace

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

OnnxGraph::OnnxGraph(const std::string& bytes, const std::string& file, const OnnxSizes& sizes) {
  if (!model_.ParseFromString(bytes) || !model_.has_graph())
    throw InputError(
        {file + ": not an ONNX model (protobuf does not parse, or there is no graph)"});
  fix_inputs(sizes);
  try {
    check_operands();
    onnx::ShapeInferenceOptions options;
    options.enable_data_propagation = true;
    onnx::shape_inference::InferShapes(model_, onnx::OpSchemaRegistry::Instance(), options);
  } catch (const std::exception& error) {
    throw InputError({file + ": operands or shapes contradict each other: " + error.what()});
  }
  index();
}

std::string OnnxGraph::producer() const {
  return model_.producer_name() + (model_.producer_version().empty() ? "" : " ") +
         model_.producer_version();
}

/// Shape inference takes operands and attributes of known operators for granted.
void OnnxGraph::check_operands() const {
  std::map<std::string, int> versions;
  for (const auto& set : model_.opset_import())
    versions[set.domain()] = static_cast<int>(set.version());
  for (const onnx::NodeProto& node : model_.graph().node()) {
    const auto version = versions.find(node.domain());
    if (version == versions.end()) continue;
    const onnx::OpSchema* schema =
        onnx::OpSchemaRegistry::Schema(node.op_type(), version->second, node.domain());
    if (schema != nullptr) schema->Verify(node);
  }
}

void OnnxGraph::fix_inputs(const OnnxSizes& sizes) {
  for (onnx::ValueInfoProto& input : *model_.mutable_graph()->mutable_input()) {
    if (!input.type().has_tensor_type() || !input.type().tensor_type().has_shape()) continue;
    onnx::TensorShapeProto& shape = *input.mutable_type()->mutable_tensor_type()->mutable_shape();
    for (int i = 0; i < shape.dim_size(); ++i) {
      onnx::TensorShapeProto::Dimension& dimension = *shape.mutable_dim(i);
      if (dimension.has_dim_value()) continue;
      const auto named = sizes.dimensions.find(dimension.dim_param());
      if (named != sizes.dimensions.end())
        dimension.set_dim_value(named->second);
      else if (i == 0)
        dimension.set_dim_value(sizes.batch);
    }
  }
}

void OnnxGraph::index() {
  const onnx::GraphProto& graph = model_.graph();
  for (const auto* infos : {&graph.input(), &graph.output(), &graph.value_info()})
    for (const onnx::ValueInfoProto& info : *infos) types_[info.name()] = &info.type();
  for (const onnx::TensorProto& tensor : graph.initializer()) constants_[tensor.name()] = &tensor;
  for (const onnx::NodeProto& node : graph.node()) {
    for (const std::string& output : node.output()) makers_[output] = &node;
    for (const std::string& input : node.input()) readers_.emplace(input, &node);
    if (node.op_type() != "Constant" || node.output_size() != 1) continue;
    const onnx::AttributeProto* value = attribute(node, "value");
    if (value != nullptr && value->has_t()) constants_[node.output(0)] = &value->t();
  }
}

std::optional<OnnxGraph::Dimensions> OnnxGraph::dimensions(const std::string& tensor) const {
  if (const auto constant = constants_.find(tensor); constant != constants_.end())
    return Dimensions(constant->second->dims().begin(), constant->second->dims().end());
  const auto type = types_.find(tensor);
  if (type == types_.end() || !type->second->has_tensor_type() ||
      !type->second->tensor_type().has_shape())
    return std::nullopt;
  Dimensions sizes;
  for (const auto& dimension : type->second->tensor_type().shape().dim())
    sizes.push_back(dimension.has_dim_value() ? dimension.dim_value() : -1);
  return sizes;
}

std::string OnnxGraph::symbol(const std::string& tensor) const {
  const auto type = types_.find(tensor);
  if (type == types_.end() || !type->second->has_tensor_type()) return "";
  for (const auto& dimension : type->second->tensor_type().shape().dim())
    if (!dimension.has_dim_value() && !dimension.dim_param().empty()) return dimension.dim_param();
  return "";
}

std::vector<const onnx::NodeProto*> OnnxGraph::readers(const std::string& tensor) const {
  std::vector<const onnx::NodeProto*> nodes;
  for (auto [at, end] = readers_.equal_range(tensor); at != end; ++at) nodes.push_back(at->second);
  return nodes;
}

const onnx::NodeProto* OnnxGraph::maker(const std::string& tensor) const {
  const auto found = makers_.find(tensor);
  return found == makers_.end() ? nullptr : found->second;
}

std::vector<std::int64_t> OnnxGraph::integers(const std::string& tensor) const {
  const auto found = constants_.find(tensor);
  if (found == constants_.end() || found->second->data_type() != onnx::TensorProto::INT64)
    return {};
  const onnx::TensorProto& proto = *found->second;
  if (proto.raw_data().empty()) return {proto.int64_data().begin(), proto.int64_data().end()};
  std::vector<std::int64_t> numbers(proto.raw_data().size() / sizeof(std::int64_t));
  std::memcpy(numbers.data(), proto.raw_data().data(), numbers.size() * sizeof(std::int64_t));
  return numbers;
}

}  // namespace tcsim::networks
