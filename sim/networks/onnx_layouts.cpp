#include <functional>
#include <numeric>
#include <stdexcept>

#include "sim/networks/onnx_dimensions.hpp"
#include "sim/networks/onnx_importer.hpp"

// A Shape has its columns innermost. An image of the file has them in its second dimension, other
// tensors in their last one: the operator that reads a tensor says which it is. Operators on single
// elements do not, so what they read stays as its layer has it.
namespace tcsim::networks {

std::int64_t OnnxImporter::of_sample(const std::string& tensor, std::int64_t count) const {
  return sampled_.contains(tensor) && count % batch_ == 0 ? count / batch_ : count;
}

std::int64_t OnnxImporter::elements_of(const Node& node, const std::string& tensor) const {
  const Dimensions d = sizes(node, tensor);
  return of_sample(tensor,
                   std::accumulate(d.begin(), d.end(), std::int64_t{1}, std::multiplies<>()));
}

Shape OnnxImporter::image_of(const Node& node, const std::string& tensor) const {
  const Dimensions d = sizes(node, tensor);
  const std::int64_t channels = d.size() > 1 ? d[1] : 1;
  const std::int64_t width = d.size() > 3 ? d.back() : 1;
  const std::int64_t elements = elements_of(node, tensor);
  if (elements % (channels * width) != 0) return {1, 1, elements};
  return {elements / (channels * width), width, channels};
}

Shape OnnxImporter::rows_of(const Node& node, const std::string& tensor,
                            std::int64_t columns) const {
  const std::int64_t elements = elements_of(node, tensor);
  if (elements % columns != 0) return {1, 1, elements};
  return {elements / columns, 1, columns};
}

std::optional<Shape> OnnxImporter::shape_along(const Node& node, const std::string& tensor,
                                               const std::vector<std::size_t>& axes) const {
  if (axes.empty()) return std::nullopt;
  const Dimensions d = sizes(node, tensor);
  if (d.size() == 4 && axes == std::vector<std::size_t>{1}) return image_of(node, tensor);
  std::int64_t columns = 1;
  std::size_t rank = d.size();
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
    if (*axis + 1 != rank) return std::nullopt;
    columns *= d[--rank];
  }
  return rows_of(node, tensor, columns);
}

Shape OnnxImporter::shape_of(const Node& node, const std::string& tensor) const {
  const Dimensions d = sizes(node, tensor);
  return d.size() == 4 ? image_of(node, tensor) : rows_of(node, tensor, d.empty() ? 1 : d.back());
}

int OnnxImporter::viewed(const Node& node, const std::string& tensor, int layer,
                         const Shape& wanted) {
  if (imported_.network.shape_of(layer) == wanted) return layer;
  const std::vector<Layer>& layers = imported_.network.layers;
  const auto same = std::ranges::find_if(layers, [&](const Layer& other) {
    return other.kind == LayerKind::kReshape && !other.resizes && other.inputs.front() == layer &&
           other.shape == wanted;
  });
  if (same != layers.end()) return static_cast<int>(same - layers.begin());
  return appended(node, view_of(imported_.network, layer, tensor + ".shape", wanted));
}

int OnnxImporter::in_columns(const Node& node, const std::string& tensor, const Shape& wanted) {
  const int layer = root_of(tensor);
  const Shape& shape = imported_.network.shape_of(layer);
  const bool fits = shape.c == wanted.c && shape.elements() == wanted.elements();
  return fits ? layer : viewed(node, tensor, layer, wanted);
}

int OnnxImporter::of_size(const Node& node, const std::string& tensor, int layer,
                          const Shape& wanted) {
  const bool fits = imported_.network.shape_of(layer).elements() == wanted.elements();
  return fits ? layer : viewed(node, tensor, layer, wanted);
}

int OnnxImporter::in_size(const Node& node, const std::string& tensor) {
  const int layer = root_of(tensor);
  const bool is_tokens = layer == kNetworkInput && imported_.network.takes_tokens;
  return is_tokens ? layer : of_size(node, tensor, layer, shape_of(node, tensor));
}

std::vector<std::size_t> OnnxImporter::from_front(const Node& node,
                                                  const std::vector<std::int64_t>& axes,
                                                  std::size_t rank) const {
  std::vector<std::size_t> found;
  try {
    for (const std::int64_t axis : axes) found.push_back(axis_from_front(axis, rank));
  } catch (const std::invalid_argument& error) {
    refuse(node, error.what());
  }
  std::ranges::sort(found);
  return found;
}

std::size_t OnnxImporter::axis_of(const Node& node, const std::string& tensor,
                                  std::int64_t absent) const {
  const std::int64_t axis = integer_attribute(node, "axis", absent);
  return from_front(node, {axis}, sizes(node, tensor).size()).front();
}

}  // namespace tcsim::networks
