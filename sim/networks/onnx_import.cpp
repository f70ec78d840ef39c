#include "sim/networks/onnx_import.hpp"

#include <iterator>

#include "sim/files/shown_text.hpp"
#include "sim/networks/onnx_importer.hpp"
#include "sim/networks/onnx_multiply_adds.hpp"
#include "workloads/trace/input_error.hpp"

namespace tcsim::networks {
namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 31;

}  // namespace

OnnxImporter::OnnxImporter(const std::string& bytes, const std::string& file,
                           const ImportSizes& sizes)
    : file_(file), graph_(bytes, file, sizes) {}

Imported OnnxImporter::read() {
  imported_.network.name = graph_.graph().name().empty() ? "onnx" : graph_.graph().name();
  imported_.network.source =
      "imported from ONNX" + (graph_.producer().empty() ? "" : ", made by " + graph_.producer());
  read_input();
  add_what_is_made_of(sampled_);
  find_attentions();
  for (const Node& node : graph_.graph().node())
    if (!consumed_.contains(&node)) read_node(node);
  if (imported_.network.layers.empty())
    throw InputError({file_ + ": no node became a layer" + first_skipped()});
  for (const auto& [what, count] : dropped_)
    imported_.dropped.push_back(what + (count > 1 ? " (" + std::to_string(count) + " nodes)" : ""));
  return std::move(imported_);
}

std::string OnnxImporter::first_skipped() const {
  if (imported_.network.skipped.empty()) return "";
  const Skipped& first = imported_.network.skipped.front();
  return "; the first that is not simulated: " + files::shown(first.operation) + " " +
         files::shown(first.name);
}

void OnnxImporter::refuse(const Node& node, const std::string& reason) const {
  throw InputError({file_ + ": " + named(node) + ": " + reason});
}

Dimensions OnnxImporter::sizes(const Node& node, const std::string& tensor) const {
  const auto found = graph_.dimensions(tensor);
  if (!found) refuse(node, "no shape is known for '" + tensor + "'" + why_unknown(tensor));
  std::int64_t elements = 1;
  for (const std::int64_t size : *found) {
    if (size < 0) {
      const std::string symbol = graph_.symbol(tensor);
      refuse(node, files::shown(tensor) + " has a dynamic dimension" +
                       (symbol.empty() ? "" : " '" + symbol + "'") + "; fix it with --dim " +
                       (symbol.empty() ? "NAME" : symbol) + "=SIZE");
    }
    if (size == 0 || size > kMostElements)
      refuse(node, files::shown(tensor) + " has a dimension of " + std::to_string(size));
    if (size > kMostElements / elements)
      refuse(node, files::shown(tensor) + " has more than 2147483648 elements");
    elements *= size;
  }
  return *found;
}

std::string OnnxImporter::why_unknown(const std::string& tensor) const {
  const std::string declare = "export the model with static shapes";
  const Node* node = graph_.maker(tensor);
  if (node == nullptr) return "; " + declare;
  const auto is_unknown = [&](const std::string& input) {
    return !input.empty() && !graph_.dimensions(input) && graph_.maker(input) != nullptr;
  };
  for (auto input = std::ranges::find_if(node->input(), is_unknown); input != node->input().end();
       input = std::ranges::find_if(node->input(), is_unknown))
    node = graph_.maker(*input);
  return ": no rule gives the shape of what " + named(*node) +
         " makes, and the file declares none; " + declare;
}

void OnnxImporter::read_input() {
  Network& network = imported_.network;
  for (const onnx::ValueInfoProto& input : graph_.graph().input()) {
    if (graph_.is_constant(input.name())) continue;  // weights may stand among the inputs
    layers_[input.name()] = kNetworkInput;
    if (has_input_) {
      if (has_batch(input)) sampled_.insert(input.name());
      note_drop("input '" + input.name() + "': takes the place of the first input");
      continue;
    }
    has_input_ = true;
    sampled_.insert(input.name());
    Node place;
    place.set_name(input.name());
    place.set_op_type("input");
    const Dimensions d = sizes(place, input.name());
    const int type = input.type().tensor_type().elem_type();
    const bool is_whole = type == onnx::TensorProto::INT64 || type == onnx::TensorProto::INT32;
    if (d.size() > 1) {
      batch_ = d[0];
      batch_symbol_ = input.type().tensor_type().shape().dim(0).dim_param();
    }
    network.takes_tokens = is_whole && d.size() == 2;
    network.is_sequence = network.takes_tokens;
    network.input = network.takes_tokens ? Shape{d[1], 1, 1} : shape_of(place, input.name());
    if (batch_ != 1)
      imported_.changed.push_back("the batch of " + std::to_string(batch_) +
                                  " is left to --batch of tcsim run");
  }
  if (!has_input_) throw InputError({file_ + ": the graph has no input"});
}

bool OnnxImporter::has_batch(const onnx::ValueInfoProto& input) const {
  const auto d = graph_.dimensions(input.name());
  return (d && !d->empty() && d->front() == batch_) ||
         std::ranges::any_of(input.type().tensor_type().shape().dim(), [&](const auto& size) {
           return !batch_symbol_.empty() && size.dim_param() == batch_symbol_;
         });
}

void OnnxImporter::add_what_is_made_of(std::set<std::string>& tensors) const {
  const auto is_one = [&](const std::string& input) {
    return !input.empty() && tensors.contains(input);
  };
  for (const Node& node : graph_.graph().node())
    if (std::ranges::any_of(read_by(node), is_one))
      tensors.insert(node.output().begin(), node.output().end());
}

std::optional<int> OnnxImporter::layer_of(const std::string& tensor) const {
  const auto found = layers_.find(tensor);
  return tensor.empty() || found == layers_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<std::string> OnnxImporter::operands_of(const Node& node) const {
  std::vector<std::string> found;
  std::ranges::copy_if(read_by(node), std::back_inserter(found),
                       [&](const std::string& input) { return layer_of(input).has_value(); });
  return found;
}

std::vector<int> OnnxImporter::activations(const Node& node) const {
  std::vector<int> found;
  for (const std::string& input : operands_of(node)) found.push_back(root_of(input));
  return found;
}

int OnnxImporter::appended(const Node& node, Layer layer) {
  std::string reason;
  const int index = append(imported_, std::move(layer), reason);
  if (index < 0) refuse(node, reason);
  return index;
}

void OnnxImporter::add(const Node& node, LayerKind kind, std::vector<int> inputs) {
  Layer layer;
  layer.kind = kind;
  layer.inputs = std::move(inputs);
  add(node, std::move(layer));
}

void OnnxImporter::add(const Node& node, Layer layer) {
  layer.name = title_of(node);
  layers_[node.output(0)] = appended(node, std::move(layer));
}

void OnnxImporter::pass(const Node& node) {
  const std::vector<int> inputs = activations(node);
  if (!inputs.empty()) layers_[node.output(0)] = inputs.front();
}

void OnnxImporter::skip(const Node& node, const std::string& reason) {
  imported_.changed.push_back(node.op_type() + " '" + title_of(node) + "' is skipped: " + reason);
  skip(node);
}

void OnnxImporter::skip(const Node& node) {
  std::optional<double> macs = multiply_adds(graph_, node);
  if (macs) macs = std::min(*macs / static_cast<double>(batch_), kMostSkippedMacs);
  imported_.network.skipped.push_back({title_of(node), node.op_type(), macs});
  const std::vector<int> inputs = activations(node);
  if (inputs.empty()) return;
  for (const std::string& output : node.output()) {
    if (output.empty()) continue;
    const auto d = graph_.dimensions(output);
    const bool is_known = d && std::ranges::all_of(*d, [](std::int64_t size) { return size > 0; });
    layers_[output] = inputs.front();
    left_out_.insert(output);
    if (is_known)
      layers_[output] = in_size(node, output);
    else if (has_subgraph(node) || reads_unsized(node))
      unsized_.insert(output);
  }
}

bool OnnxImporter::reads_unsized(const Node& node) const {
  return std::ranges::any_of(node.input(),
                             [&](const std::string& input) { return unsized_.contains(input); });
}

void OnnxImporter::read_node(const Node& node) {
  const std::string& op = node.op_type();
  if (node.output_size() == 0 || is_any(op, {"Constant", "Shape", "ConstantOfShape", "Range"}))
    return note_drop(op + ": computes shapes or constants");
  const std::vector<int> inputs = activations(node);
  if (inputs.empty() && op != "Gather") return note_drop(op + ": has constant operands only");
  if (has_subgraph(node) || reads_unsized(node)) return skip(node);
  if (is_any(op, {"Identity", "Dropout", "Reshape", "Transpose", "Squeeze", "Unsqueeze", "Cast",
                  "Expand"})) {
    note_drop(op + ": changes the view or the type, no kernel");
    return pass(node);
  }
  if (is_quantization(node)) {
    note_drop(op + ": types are left to --precision");
    return pass(node);
  }
  if (op == "Flatten") return pass(node);
  if (op == "Conv") return conv(node);
  if (op == "ConvTranspose") return conv_transpose(node);
  if (is_any(op, {"Resize", "Upsample"})) return upsample(node);
  if (is_any(op, {"GroupNormalization", "InstanceNormalization"})) return group_norm(node);
  if (op == "Gemm") return gemm(node);
  if (op == "MatMul") return matmul(node);
  if (op == "Gather") return gather(node);
  if (is_any(op, {"MaxPool", "AveragePool"})) return pool(node);
  if (read_norm(node) || read_activation(node) || read_softmax(node) || read_arithmetic(node))
    return;
  if (op == "Concat") return concat(node);
  skip(node);
}

void OnnxImporter::gather(const Node& node) {
  const auto table = graph_.dimensions(node.input(0));
  const bool reads_table = graph_.is_constant(node.input(0)) && table && table->size() == 2;
  if (reads_table) {
    Layer layer;
    layer.kind = LayerKind::kEmbedding;
    const std::size_t axis = axis_of(node, node.input(0), 0);
    layer.vocabulary = (*table)[axis];
    layer.features = (*table)[1 - axis];
    const int root = root_of(node.input(1));
    const bool has_numbers = imported_.network.shape_of(root).c == 1;
    const Dimensions d = has_numbers ? Dimensions{} : sizes(node, node.input(1));
    layer.inputs = {
        has_numbers ? root : viewed(node, node.input(1), root, {d.empty() ? 1 : d.back(), 1, 1})};
    add(node, std::move(layer));
    const std::string& table_name = graph_.origin(node.input(0));
    const int owner = owners_.try_emplace(table_name, root_of(node.output(0))).first->second;
    Layer& first = imported_.network.layers[static_cast<std::size_t>(owner)];
    if (first.kind == LayerKind::kLinear) first.has_tied_weights = true;  // a table never has
    return;
  }
  if (!layer_of(node.input(0))) return note_drop("Gather: has constant operands only");
  const std::string& x = node.input(0);
  const Dimensions d = sizes(node, x);
  const bool has_tokens = d.size() == 3 && of_sample(x, d[0]) == 1;
  const std::vector<std::int64_t> index = graph_.integers(node.input(1));
  if (has_tokens && integer_attribute(node, "axis", 0) == 1 && index.size() == 1 &&
      graph_.is_constant(node.input(1))) {
    const bool is_last = index == std::vector<std::int64_t>{-1};
    return add(node, is_last ? LayerKind::kLastToken : LayerKind::kFirstToken,
               {viewed(node, x, root_of(x), {d[1], 1, d[2]})});
  }
  skip(node);
}

void OnnxImporter::concat(const Node& node) {
  const std::vector<std::string> operands = operands_of(node);
  if (operands.size() < 2) return skip(node);
  std::vector<int> inputs;
  for (const std::string& operand : operands) {
    const auto wanted = shape_along(node, operand, {axis_of(node, operand, 0)});
    if (!wanted) return skip(node);
    inputs.push_back(viewed(node, operand, root_of(operand), *wanted));
  }
  add(node, LayerKind::kConcatenate, inputs);
}

Imported import_onnx(const std::string& bytes, const std::string& file, const ImportSizes& sizes) {
  return OnnxImporter(bytes, file, sizes).read();
}

}  // namespace tcsim::networks
