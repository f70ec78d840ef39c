#include "sim/networks/onnx_graph.hpp"

#include <algorithm>
#include <numeric>

#include "sim/networks/onnx_attributes.hpp"
#include "sim/networks/onnx_checks.hpp"
#include "sim/networks/onnx_dimensions.hpp"
#include "sim/networks/onnx_order.hpp"
#include "workloads/trace/input_error.hpp"

namespace tcsim::networks {
namespace {

/// Gives operators of other domains than ONNX's the name of their domain too: none is taken for
/// ONNX's of the same name.
void name_domains(onnx::GraphProto& graph) {
  for (onnx::NodeProto& node : *graph.mutable_node())
    if (!is_of_onnx(node)) node.set_op_type(node.domain() + "." + node.op_type());
}

/// True for operators that change the type, order or view of their first input.
bool is_form_of_input(const onnx::NodeProto& node) {
  const std::string& op = node.op_type();
  const bool is_form = op == "Transpose" || op == "Cast" || op == "Identity" || op == "Reshape";
  return is_quantization(node) || (is_form && node.input_size() > 0 && node.output_size() == 1);
}

}  // namespace

bool is_quantization(const onnx::NodeProto& node) {
  return (node.op_type() == "QuantizeLinear" || node.op_type() == "DequantizeLinear") &&
         node.input_size() > 0 && node.output_size() == 1;
}

OnnxGraph::OnnxGraph(const std::string& bytes, const std::string& file, const ImportSizes& sizes) {
  if (!model_.ParseFromString(bytes) || !model_.has_graph())
    throw InputError(
        {file + ": not an ONNX model (protobuf does not parse, or there is no graph)"});
  require_sound(model_, file);
  require_order(model_.graph(), file);
  name_domains(*model_.mutable_graph());
  shapes_.emplace(model_.graph(), file, sizes);
  index();
}

std::string OnnxGraph::producer() const {
  return model_.producer_name() + (model_.producer_version().empty() ? "" : " ") +
         model_.producer_version();
}

std::vector<std::size_t> OnnxGraph::softmax_axes(const onnx::NodeProto& node,
                                                 std::size_t rank) const {
  if (rank == 0) return {};
  constexpr std::int64_t kFirstOverOneAxis = 13;  // before, over all axes from the given one on
  const auto& imports = model_.opset_import();
  const bool is_old = std::ranges::any_of(imports, [](const onnx::OperatorSetIdProto& opset) {
    return is_name_of_onnx(opset.domain()) && opset.version() < kFirstOverOneAxis;
  });
  const std::int64_t absent = is_old && rank > 1 ? 1 : -1;
  const std::size_t axis = axis_from_front(integer_attribute(node, "axis", absent), rank);
  std::vector<std::size_t> axes(is_old ? rank - axis : 1);
  std::iota(axes.begin(), axes.end(), axis);
  return axes;
}

void OnnxGraph::index() {
  const onnx::GraphProto& graph = model_.graph();
  for (const auto* infos : {&graph.input(), &graph.output(), &graph.value_info()})
    for (const onnx::ValueInfoProto& info : *infos) declared_[info.name()] = &info;
  for (const onnx::TensorProto& tensor : graph.initializer()) constants_.insert(tensor.name());
  for (const onnx::NodeProto& node : graph.node()) {
    for (const std::string& output : node.output())
      if (!output.empty()) makers_[output] = &node;
    for (const std::string& input : read_by(node)) readers_.emplace(input, &node);
    const bool is_value = node.op_type() == "Constant" && node.output_size() == 1;
    if (is_value || (is_form_of_input(node) && is_constant(node.input(0))))
      constants_.insert(node.output(0));
  }
}

const std::string& OnnxGraph::origin(const std::string& constant) const {
  const std::string* name = &constant;
  for (const onnx::NodeProto* node = maker(*name); node != nullptr && is_form_of_input(*node);
       node = maker(*name))
    name = &node->input(0);
  return *name;
}

std::optional<Dimensions> OnnxGraph::dimensions(const std::string& tensor) const {
  const Dimensions* const known = shapes_->dimensions(tensor);
  return known == nullptr ? std::nullopt : std::optional(*known);
}

std::string OnnxGraph::symbol(const std::string& tensor) const {
  const auto found = declared_.find(tensor);
  const Dimensions* const sizes = shapes_->dimensions(tensor);
  if (found == declared_.end() || sizes == nullptr) return "";
  const onnx::TensorShapeProto& shape = found->second->type().tensor_type().shape();
  const auto unknown = std::ranges::find_if(*sizes, [](std::int64_t size) { return size < 0; });
  const auto index = static_cast<int>(unknown - sizes->begin());
  return index < shape.dim_size() ? shape.dim(index).dim_param() : "";
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

const onnx::NodeProto* OnnxGraph::only_reader(const std::string& tensor) const {
  const auto [first, end] = readers_.equal_range(tensor);
  if (first == end || std::next(first) != end) return nullptr;
  const onnx::NodeProto* const node = first->second;
  return is_quantization(*node) ? only_reader(node->output(0)) : node;
}

std::vector<std::int64_t> OnnxGraph::integers(const std::string& tensor) const {
  const std::vector<std::int64_t>* const known = shapes_->numbers(tensor);
  return known == nullptr ? std::vector<std::int64_t>{} : *known;
}

}  // namespace tcsim::networks
