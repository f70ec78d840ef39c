#pragma once

#include <algorithm>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/networks/import_sizes.hpp"
#include "sim/networks/imported.hpp"
#include "sim/networks/onnx_attributes.hpp"
#include "sim/networks/onnx_graph.hpp"

namespace tcsim::networks {

/// Turns the nodes of an ONNX model into layers, one after the other; import_onnx states what
/// becomes of them. Its parts lie in onnx_import.cpp and onnx_{windows,products,elementwise,
/// attention}.cpp.
class OnnxImporter {
 public:
  using Node = onnx::NodeProto;

  OnnxImporter(const std::string& bytes, const std::string& file, const ImportSizes& sizes);
  Imported read();

 private:
  [[noreturn]] void refuse(const Node& node, const std::string& reason) const;
  /// "; the first that is not simulated: ...", or nothing.
  [[nodiscard]] std::string first_skipped() const;
  void check_operands(const Node& node) const;
  /// The sizes of a tensor, all of them known.
  Dimensions sizes(const Node& node, const std::string& tensor) const;
  /// What in the file leaves the shape of `tensor` unknown; follows "no shape is known for it".
  [[nodiscard]] std::string why_unknown(const std::string& tensor) const;
  /// NCHW, [batch][tokens][columns] or [batch][columns] as a sample.
  Shape shape_of(const Node& node, const std::string& tensor) const;
  void read_input();
  void note_drop(const std::string& what) { ++dropped_[what]; }
  /// The layer that makes `tensor`, or nothing for constants and what was not imported.
  std::optional<int> layer_of(const std::string& tensor) const;
  /// Inputs of `node` that are activations.
  std::vector<int> activations(const Node& node) const;
  /// `tensor` in the shape that the file gives it: reshapes have no kernel.
  int in_shape(const Node& node, const std::string& tensor, int layer);
  /// The same in any shape.
  int viewed(const Node& node, const std::string& tensor, int layer, const Shape& wanted);
  /// The same, but only if the layer that makes `tensor` has another number of elements than
  /// `operand`.
  int of_size(const Node& node, const std::string& tensor, const Shape& operand);
  /// Whether the attribute `axis` of `node`, `absent` if it has none, is that of the channels of
  /// `tensor`; and whether it is the last.
  bool is_of_channels(const Node& node, const std::string& tensor, std::int64_t absent) const;
  bool is_of_last(const Node& node, const std::string& tensor, std::int64_t absent) const;
  int appended(const Node& node, Layer layer);
  void add(const Node& node, LayerKind kind, std::vector<int> inputs);
  void add(const Node& node, Layer layer);
  /// The result is the first activation, without work.
  void pass(const Node& node);
  void skip(const Node& node, double macs);
  /// Inputs of `node` in the shapes that the file gives them.
  std::vector<int> shaped_inputs(const Node& node);
  void read_node(const Node& node);
  bool read_norm(const Node& node);
  /// Over all pixels it is a pool; otherwise it is read as the first step of a layer norm, whose
  /// last step, the division, becomes the layer.
  void reduce_mean(const Node& node);
  bool read_activation(const Node& node);
  /// Notes that an operator of another name became a layer of `kind`.
  void note_other_kind(const Node& node, LayerKind kind);
  /// Over the channels, or over the last of four dimensions, in which rows are contiguous.
  bool read_softmax(const Node& node);
  /// Two activations make a layer; with a constant it is a scale, a bias or a mask and belongs to a
  /// neighbouring layer.
  bool read_arithmetic(const Node& node);
  void binary(const Node& node, const std::vector<int>& inputs);
  bool makes(const std::string& tensor, std::string_view op) const;
  /// A subtraction of a mean.
  bool is_norm_part(const Node& node) const;
  int root_of(const std::string& tensor) const { return layer_of(tensor).value_or(kNetworkInput); }
  /// x * sigmoid(x), or the last step of x * (1 + erf(x / sqrt 2)): `gate` is made of `x` alone.
  bool is_gate(int x, int gate) const;
  /// Multiply-adds of any convolution: its result times the weights of a filter.
  double conv_macs(const Node& node) const;
  /// Every element of the input meets all filters of its channel.
  double transposed_macs(const Node& node) const;
  /// Strides, dilations and paddings; of unequal paddings the larger.
  void read_window(const Node& node, Layer& layer);
  /// Checks that the windows of `layer` give the image that the file states.
  bool agrees(const Node& node, const Layer& layer) const;
  void conv(const Node& node);
  void conv_transpose(const Node& node);
  /// To the nearest pixel by whole numbers.
  void upsample(const Node& node);
  void group_norm(const Node& node);
  void pool(const Node& node);
  void linear(const Node& node, std::int64_t features, bool has_bias);
  void gemm(const Node& node);
  double product_macs(const Node& node) const;
  void matmul(const Node& node);
  /// A product of two activations.
  void product(const Node& node);
  /// The product of scores and V that follows Q K^T, with scale, mask, softmax and casts in
  /// between.
  const Node* second_product(const Node& first, std::vector<const Node*>& between) const;
  /// Q K^T, what follows up to softmax, and the product with V are one layer at the second product,
  /// when Q, K and V exist.
  void find_attentions();
  void attention(const Node& first, const Node& second);
  void gather(const Node& node);
  void concat(const Node& node);

  const std::string& file_;
  const OnnxGraph graph_;
  Imported imported_;
  std::map<std::string, int> layers_;  ///< by tensor
  std::map<std::string, int> dropped_;
  std::set<const Node*> consumed_;
  std::map<const Node*, const Node*> attentions_;  ///< second product to first
  bool has_input_ = false;
};

inline bool is_any(const std::string& op, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, op) != names.end();
}

}  // namespace tcsim::networks
