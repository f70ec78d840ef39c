#include "sim/networks/onnx_importer.hpp"

namespace tcsim::networks {

void OnnxImporter::linear(const Node& node, std::int64_t features, bool has_bias) {
  Layer layer;
  layer.kind = LayerKind::kLinear;
  layer.features = features;
  layer.has_bias = has_bias;
  layer.inputs = {in_shape(node, node.input(0), root_of(node.input(0)))};
  add(node, std::move(layer));
}

void OnnxImporter::gemm(const Node& node) {
  if (!graph_.is_constant(node.input(1)) || !layer_of(node.input(0)) ||
      integer_attribute(node, "transA", 0) != 0)
    return skip(node, product_macs(node));
  const Dimensions w = sizes(node, node.input(1));
  if (w.size() != 2) refuse(node, "weights without two dimensions");
  linear(node, integer_attribute(node, "transB", 0) == 1 ? w[0] : w[1], node.input_size() > 2);
}

double OnnxImporter::product_macs(const Node& node) const {
  const auto y = graph_.dimensions(node.output(0));
  const auto a = graph_.dimensions(node.input(0));
  if (!y || !a || a->empty()) return 0;
  double macs = static_cast<double>(std::max<std::int64_t>(a->back(), 1));
  for (const std::int64_t size : *y) macs *= static_cast<double>(std::max<std::int64_t>(size, 1));
  return macs;
}

void OnnxImporter::matmul(const Node& node) {
  if (const auto found = attentions_.find(&node); found != attentions_.end())
    return attention(*found->second, node);
  const bool has_weights = graph_.is_constant(node.input(1));
  if (has_weights && layer_of(node.input(0))) {
    const Dimensions w = sizes(node, node.input(1));
    if (w.size() != 2) return skip(node, product_macs(node));
    const Node* const reader = graph_.only_reader(node.output(0));
    const bool has_bias =
        reader != nullptr && reader->op_type() == "Add" &&
        (graph_.is_constant(reader->input(0)) || graph_.is_constant(reader->input(1)));
    return linear(node, w[1], has_bias);
  }
  if (!layer_of(node.input(0)) || !layer_of(node.input(1))) return skip(node, product_macs(node));
  product(node);
}

void OnnxImporter::product(const Node& node) {
  const Dimensions a = sizes(node, node.input(0));
  const Dimensions b = sizes(node, node.input(1));
  if (a.size() < 2 || b.size() < 2) return skip(node, product_macs(node));
  Layer layer;
  layer.kind = LayerKind::kMatmul;
  layer.m = a[a.size() - 2];
  layer.k = a.back();
  layer.n = b.back();
  for (std::size_t i = 1; i + 2 < a.size(); ++i) layer.count *= a[i];
  layer.inputs = {of_size(node, node.input(0), {layer.count * layer.m, 1, layer.k}),
                  of_size(node, node.input(1), {layer.count * layer.k, 1, layer.n})};
  add(node, std::move(layer));
}

int OnnxImporter::of_size(const Node& node, const std::string& tensor, const Shape& operand) {
  const int root = root_of(tensor);
  const bool fits = imported_.network.shape_of(root).elements() == operand.elements();
  return fits ? root : viewed(node, tensor, root, operand);
}

}  // namespace tcsim::networks
