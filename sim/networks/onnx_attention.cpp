#include "sim/networks/onnx_importer.hpp"

namespace tcsim::networks {

const onnx::NodeProto* OnnxImporter::second_product(const Node& first,
                                                    std::vector<const Node*>& between) const {
  bool has_softmax = false;
  const Node* node = &first;
  for (int steps = 0; steps < 24; ++steps) {
    const std::vector<const Node*> readers = graph_.readers(node->output(0));
    if (readers.size() != 1) return nullptr;
    const Node* next = readers.front();
    if (next->op_type() == "MatMul") {
      const auto scores = graph_.dimensions(first.output(0));
      const auto weights = graph_.dimensions(node->output(0));
      const bool are_alike = !scores || !weights || *scores == *weights;
      return has_softmax && are_alike && next->input(0) == node->output(0) ? next : nullptr;
    }
    if (!is_quantization(*next) &&
        !is_any(next->op_type(), {"Div", "Mul", "Add", "Where", "Softmax", "Dropout", "Cast",
                                  "Identity", "Reshape"}))
      return nullptr;
    has_softmax = has_softmax || next->op_type() == "Softmax";
    between.push_back(next);
    node = next;
  }
  return nullptr;
}

void OnnxImporter::find_attentions() {
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

void OnnxImporter::attention(const Node& first, const Node& second) {
  const Dimensions q = sizes(first, first.input(0));
  const Dimensions k = sizes(first, first.input(1));
  Layer layer;
  layer.kind = LayerKind::kAttention;
  layer.heads = layer.kv_heads = of_sample(q[0] * q[1]);  // of all windows, where there are such
  const std::int64_t columns = layer.heads * q[3];
  layer.keys = k[3] == q[2] ? 0 : k[3];
  for (const auto& [tensor, rows] :
       {std::pair{first.input(0), q[2]}, {first.input(1), k[3]}, {second.input(1), k[3]}}) {
    const int root = root_of(tensor);
    const Shape wanted{rows, 1, columns};
    const bool fits = imported_.network.shape_of(root) == wanted;
    layer.inputs.push_back(
        fits ? root : appended(first, view_of(imported_.network, root, tensor + ".heads", wanted)));
  }
  add(second, std::move(layer));
  imported_.changed.push_back("the nodes from '" + title_of(first) + "' to '" + title_of(second) +
                              "' became one attention; masks are dropped");
}

}  // namespace tcsim::networks
