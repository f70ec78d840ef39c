#include "sim/networks/onnx_dimensions.hpp"
#include "sim/networks/onnx_importer.hpp"

namespace tcsim::networks {
namespace {

bool are_four(const std::optional<Dimensions>& sizes) {
  return sizes && sizes->size() == 4 && product(*sizes) > 0;
}

}  // namespace

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
    if (next->op_type() == "Softmax") {
      const auto d = graph_.dimensions(next->input(0));
      if (!d || graph_.softmax_axes(*next, d->size()) != std::vector{d->size() - 1}) return nullptr;
      has_softmax = true;
    }
    between.push_back(next);
    node = next;
  }
  return nullptr;
}

void OnnxImporter::find_attentions() {
  std::set<std::string> activations;
  for (const auto& [input, layer] : layers_) activations.insert(input);
  add_what_is_made_of(activations);
  const auto reads_activations = [&](const Node& node) {
    return activations.contains(node.input(0)) && activations.contains(node.input(1));
  };
  for (const Node& node : graph_.graph().node()) {
    if (node.op_type() != "MatMul" || !reads_activations(node)) continue;
    std::vector<const Node*> between;
    const Node* second = second_product(node, between);
    if (second == nullptr || !reads_activations(*second) || !heads_of(node, *second)) continue;
    attentions_[second] = &node;
    consumed_.insert(&node);
    consumed_.insert(between.begin(), between.end());
  }
}

std::int64_t OnnxImporter::copies_of_heads(const std::string& tensor) const {
  const Node* node = graph_.maker(tensor);
  while (node != nullptr && node->input_size() > 0 &&
         (is_any(node->op_type(), {"Reshape", "Transpose", "Identity", "Cast"}) ||
          is_quantization(*node)))
    node = graph_.maker(node->input(0));
  if (node == nullptr || node->op_type() != "Expand") return 1;
  const auto before = graph_.dimensions(node->input(0));
  const auto after = graph_.dimensions(node->output(0));
  constexpr std::size_t kRank = 5;  // samples, heads, copies, rows and columns in some order
  if (!before || !after || before->size() != kRank || after->size() != kRank ||
      networks::product(*before) < 1 || networks::product(*after) < 1)
    return 1;
  const std::int64_t copies = (*after)[2];
  return (*before)[2] == 1 && networks::product(*after) == copies * networks::product(*before)
             ? copies
             : 1;
}

std::optional<OnnxImporter::Heads> OnnxImporter::heads_of(const Node& first,
                                                          const Node& second) const {
  const auto q = graph_.dimensions(first.input(0));
  const auto k = graph_.dimensions(first.input(1));
  const auto v = graph_.dimensions(second.input(1));
  const auto scores = graph_.dimensions(first.output(0));
  if (!are_four(q) || !are_four(k) || !are_four(v) || !are_four(scores)) return std::nullopt;
  if ((*v)[3] != (*q)[3] || (*v)[0] != (*k)[0] || (*v)[1] != (*k)[1]) return std::nullopt;
  // Of all windows, where there are such; keys may be those of all samples.
  Heads heads{of_sample(first.output(0), (*scores)[0] * (*scores)[1]),
              (*k)[0] == 1 ? (*k)[1] : of_sample(first.input(1), (*k)[0] * (*k)[1])};
  const std::int64_t copies = copies_of_heads(first.input(1));
  if (heads.of_keys % copies == 0 && copies == copies_of_heads(second.input(1)))
    heads.of_keys /= copies;
  return heads.all % heads.of_keys == 0 ? std::optional(heads) : std::nullopt;
}

void OnnxImporter::attention(const Node& first, const Node& second) {
  const Dimensions q = sizes(first, first.input(0));
  const Dimensions k = sizes(first, first.input(1));
  const Heads heads = *heads_of(first, second);
  Layer layer;
  layer.kind = LayerKind::kAttention;
  layer.heads = heads.all;
  layer.kv_heads = heads.of_keys;
  layer.keys = k[3] == q[2] ? 0 : k[3];
  const Shape queries{q[2], 1, heads.all * q[3]};
  const Shape keys{k[3], 1, heads.of_keys * q[3]};
  for (const auto& [tensor, wanted] :
       {std::pair{first.input(0), queries}, {first.input(1), keys}, {second.input(1), keys}}) {
    const int root = root_of(tensor);
    const bool fits = imported_.network.shape_of(root) == wanted;
    layer.inputs.push_back(
        fits ? root : appended(first, view_of(imported_.network, root, tensor + ".heads", wanted)));
  }
  add(second, std::move(layer));
  imported_.changed.push_back("the nodes from '" + title_of(first) + "' to '" + title_of(second) +
                              "' became one attention; masks are dropped");
}

}  // namespace tcsim::networks
