#include <functional>
#include <numeric>

#include "sim/networks/onnx_importer.hpp"

namespace tcsim::networks {

void OnnxImporter::linear(const Node& node, std::int64_t rows, std::int64_t features,
                          bool has_bias) {
  const std::string& x = node.input(0);
  const Shape wanted = rows_of(node, x, rows);
  if (wanted.c != rows)
    return skip(node, "the " + std::to_string(wanted.c) + " elements of a sample are not rows of " +
                          std::to_string(rows));
  Layer layer;
  layer.kind = LayerKind::kLinear;
  layer.features = features;
  layer.has_bias = has_bias;
  layer.inputs = {in_columns(node, x, wanted)};
  const std::string& weights = graph_.origin(node.input(1));
  layer.has_tied_weights = owners_.contains(weights);
  add(node, std::move(layer));
  owners_.try_emplace(weights, root_of(node.output(0)));
}

void OnnxImporter::gemm(const Node& node) {
  if (!graph_.is_constant(node.input(1)) || !layer_of(node.input(0)) ||
      integer_attribute(node, "transA", 0) != 0)
    return skip(node);
  const Dimensions w = sizes(node, node.input(1));
  if (w.size() != 2) refuse(node, "weights without two dimensions");
  const bool is_transposed = integer_attribute(node, "transB", 0) != 0;
  const bool adds_activation = has_input(node, 2) && layer_of(node.input(2));
  linear(node, is_transposed ? w[1] : w[0], is_transposed ? w[0] : w[1],
         has_input(node, 2) && !adds_activation);
  if (adds_activation) binary(node, node.output(0), node.input(2));
}

void OnnxImporter::matmul(const Node& node) {
  if (const auto found = attentions_.find(&node); found != attentions_.end())
    return attention(*found->second, node);
  const bool has_weights = graph_.is_constant(node.input(1));
  if (has_weights && layer_of(node.input(0))) {
    const Dimensions w = sizes(node, node.input(1));
    if (w.size() != 2) return skip(node);
    const Node* const reader = graph_.only_reader(node.output(0));
    const bool has_bias =
        reader != nullptr && reader->op_type() == "Add" && !whole_constant(*reader) &&
        (graph_.is_constant(reader->input(0)) || graph_.is_constant(reader->input(1)));
    return linear(node, w[0], w[1], has_bias);
  }
  if (!layer_of(node.input(0)) || !layer_of(node.input(1))) return skip(node);
  product(node);
}

void OnnxImporter::product(const Node& node) {
  const std::string& a = node.input(0);
  const std::string& b = node.input(1);
  const Dimensions y = sizes(node, node.output(0));
  if (sizes(node, a).size() < 2 || sizes(node, b).size() < 2) return skip(node);
  Layer layer;
  layer.kind = LayerKind::kMatmul;
  layer.m = y[y.size() - 2];
  layer.k = sizes(node, a).back();
  layer.n = y.back();
  layer.count = std::accumulate(y.begin(), y.end() - 2, std::int64_t{1}, std::multiplies<>());
  std::int64_t& with_samples = y.size() > 2 ? layer.count : layer.m;
  with_samples = of_sample(node.output(0), with_samples);
  const Shape rows{layer.count * layer.m, 1, layer.k};
  const Shape columns{layer.count * layer.k, 1, layer.n};
  if (elements_of(node, a) != rows.elements() || elements_of(node, b) != columns.elements())
    imported_.changed.push_back("MatMul '" + title_of(node) +
                                "' broadcasts one operand: read as large as in all products");
  layer.inputs = {of_size(node, a, root_of(a), rows), of_size(node, b, root_of(b), columns)};
  add(node, std::move(layer));
}

}  // namespace tcsim::networks
