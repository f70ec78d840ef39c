#include "sim/networks/imported.hpp"

#include <utility>

#include "workloads/networks/shape_inference.hpp"

namespace tcsim::networks {

Layer view_of(const Network& network, int input, const std::string& name, const Shape& shape) {
  Layer view;
  view.kind = LayerKind::kReshape;
  view.name = name;
  view.inputs = {input};
  view.new_shape = shape;
  view.resizes = !infer_shape(view, {network.shape_of(input)}).shape;
  return view;
}

int append(Imported& imported, Layer layer, std::string& reason) {
  Network& network = imported.network;
  std::vector<Shape> shapes;
  for (const int input : layer.inputs) shapes.push_back(network.shape_of(input));
  const InferredShape inferred = infer_shape(layer, shapes);
  reason = inferred.reason;
  if (!inferred.shape) return -1;
  layer.shape = *inferred.shape;
  const bool is_name = !layer.name.empty() && layer.name != "input";
  // What begins with $ is a parameter of a block in network files.
  const std::string base = !is_name                      ? "layer"
                           : layer.name.starts_with('$') ? "layer" + layer.name
                                                         : layer.name;
  layer.name = base;
  constexpr int kSecond = 2;
  const auto [name, is_first] = imported.next_numbers.try_emplace(base, kSecond);
  for (bool is_new = is_first; !is_new;
       is_new = imported.next_numbers.try_emplace(layer.name, kSecond).second)
    layer.name = base + "#" + std::to_string(name->second++);
  network.layers.push_back(std::move(layer));
  return static_cast<int>(network.layers.size()) - 1;
}

}  // namespace tcsim::networks
