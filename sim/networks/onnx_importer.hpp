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
/// becomes of them. Its parts lie in onnx_import.cpp and in onnx_layouts, onnx_windows,
/// onnx_products, onnx_elementwise and onnx_attention.
class OnnxImporter {
 public:
  using Node = onnx::NodeProto;

  OnnxImporter(const std::string& bytes, const std::string& file, const ImportSizes& sizes);
  Imported read();

 private:
  [[noreturn]] void refuse(const Node& node, const std::string& reason) const;
  /// "; the first that is not simulated: ...", or nothing.
  [[nodiscard]] std::string first_skipped() const;
  /// The sizes of a tensor, all of them known.
  Dimensions sizes(const Node& node, const std::string& tensor) const;
  /// What in the file leaves the shape of `tensor` unknown; follows "no shape is known for it".
  [[nodiscard]] std::string why_unknown(const std::string& tensor) const;
  /// What one sample has of `count` parts of `tensor`, if the samples of the file share it equally;
  /// else `count`.
  [[nodiscard]] std::int64_t of_sample(const std::string& tensor, std::int64_t count) const;
  /// Elements of a sample of `tensor`, wherever its dimensions have the batch.
  std::int64_t elements_of(const Node& node, const std::string& tensor) const;
  /// A sample whose second dimension has the channels: NCHW.
  Shape image_of(const Node& node, const std::string& tensor) const;
  /// A sample as rows of `columns` elements.
  Shape rows_of(const Node& node, const std::string& tensor, std::int64_t columns) const;
  /// A sample of `tensor` with what `axes` span as columns: as rows if those are the last axes, as
  /// an image if they are the channels of one. Otherwise nothing.
  std::optional<Shape> shape_along(const Node& node, const std::string& tensor,
                                   const std::vector<std::size_t>& axes) const;
  /// For operators without regard to dimensions: four as an image, others as rows of the last.
  Shape shape_of(const Node& node, const std::string& tensor) const;
  void read_input();
  /// True if the first dimension of an input, or one with the batch's symbol, is the batch. Others
  /// of that size have it by chance.
  bool has_batch(const onnx::ValueInfoProto& input) const;
  /// Adds the results of nodes that read some of `tensors`, and what is made of those.
  void add_what_is_made_of(std::set<std::string>& tensors) const;
  void note_drop(const std::string& what) { ++dropped_[what]; }
  /// The layer that makes `tensor`, or nothing for constants and what was not imported.
  std::optional<int> layer_of(const std::string& tensor) const;
  /// What `node` reads that is an activation, and the layers that make them.
  std::vector<std::string> operands_of(const Node& node) const;
  std::vector<int> activations(const Node& node) const;
  /// `layer`, which makes `tensor`, as `wanted`: reshapes have no kernel.
  int viewed(const Node& node, const std::string& tensor, int layer, const Shape& wanted);
  /// The same, unless it has the columns and the elements of `wanted`.
  int in_columns(const Node& node, const std::string& tensor, const Shape& wanted);
  /// The same, unless it has the elements of `wanted`.
  int of_size(const Node& node, const std::string& tensor, int layer, const Shape& wanted);
  /// The layer that makes `tensor`, with the number of elements that the file gives it.
  int in_size(const Node& node, const std::string& tensor);
  /// `axes` of a tensor of `rank` dimensions, counted from the front, ascending.
  std::vector<std::size_t> from_front(const Node& node, const std::vector<std::int64_t>& axes,
                                      std::size_t rank) const;
  /// The attribute `axis` of `node`, which it applies to `tensor`; `absent` if it has none.
  std::size_t axis_of(const Node& node, const std::string& tensor, std::int64_t absent) const;
  /// The axes over which `node`, a ReduceMean, takes the mean.
  std::vector<std::size_t> mean_axes(const Node& node) const;
  int appended(const Node& node, Layer layer);
  void add(const Node& node, LayerKind kind, std::vector<int> inputs);
  void add(const Node& node, Layer layer);
  /// The result is the first activation, without work.
  void pass(const Node& node);
  /// True if the sizes of an operand depend on what a subgraph makes.
  [[nodiscard]] bool reads_unsized(const Node& node) const;
  /// Leaves `node` out of the simulation; what reads its results goes on with the first activation.
  void skip(const Node& node);
  void skip(const Node& node, const std::string& reason);
  void read_node(const Node& node);
  bool read_norm(const Node& node);
  /// Over all pixels or tokens it is a pool; in a norm it belongs to the last step, the division,
  /// which becomes the layer.
  void reduce_mean(const Node& node);
  /// True if `mean` is subtracted from something, or a root is taken of it and what is added.
  bool is_mean_of_norm(const Node& mean) const;
  void global_pool(const Node& node, const Shape& image);
  /// The ReduceMean of which `tensor` comes within a few steps; null if there is none.
  const Node* mean_behind(const std::string& tensor) const;
  /// True if `tensor` is 1 / sqrt(...).
  bool is_inverse_root(const std::string& tensor) const;
  /// x / sqrt(mean) or x * (1 / sqrt(mean)), the last step of a norm, becomes the layer, with what
  /// the mean spans as columns. False for other steps.
  bool close_norm(const Node& node, const std::vector<std::string>& operands);
  bool read_activation(const Node& node);
  /// Notes that an operator of another name became a layer of `kind`.
  void note_other_kind(const Node& node, LayerKind kind);
  bool read_softmax(const Node& node);
  /// Two activations make a layer; with a constant it is a scale, a bias or a mask and belongs to a
  /// neighbouring layer, unless the constant is as large as a sample.
  bool read_arithmetic(const Node& node);
  /// The sizes of a constant that `node`, an Add, adds to a sample, element by element in several
  /// rows: of learned positions, not of a bias. Nothing if it does not.
  std::optional<Dimensions> whole_constant(const Node& node) const;
  void add_constant(const Node& node, const std::string& x, const Dimensions& sizes);
  void binary(const Node& node, const std::string& a, const std::string& b);
  /// Where: the activation that it chooses, or a product of two.
  void select(const Node& node);
  bool makes(const std::string& tensor, std::string_view op) const;
  /// A subtraction of a mean.
  bool is_norm_part(const Node& node) const;
  int root_of(const std::string& tensor) const { return layer_of(tensor).value_or(kNetworkInput); }
  /// x * sigmoid(x), or the last step of x * (1 + erf(x / sqrt 2)) or x * (1 + tanh(...)): `gate`
  /// is made of `x` alone, and its sigmoid or sum with tanh is for `product` alone.
  bool is_gate(const Node& product, const std::string& x, const std::string& gate) const;
  /// The layer of `gate` becomes the whole activation.
  void close_gate(const Node& product, const std::string& gate);
  /// The first input as an image.
  int image(const Node& node);
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
  /// A product with weights of `rows` x `features`.
  void linear(const Node& node, std::int64_t rows, std::int64_t features, bool has_bias);
  void gemm(const Node& node);
  void matmul(const Node& node);
  /// A product of two activations.
  void product(const Node& node);
  /// Heads of queries and of keys in a sample.
  struct Heads {
    std::int64_t all;
    std::int64_t of_keys;
  };
  /// How often Expand repeats every head of the keys or values in `tensor`: once for each of the
  /// heads of queries that share it, which attention does without.
  std::int64_t copies_of_heads(const std::string& tensor) const;
  /// Nothing if an attention does not have the heads, keys and values of these products.
  std::optional<Heads> heads_of(const Node& first, const Node& second) const;
  /// The product of scores and V that follows Q K^T, with scale, mask, softmax over the keys, casts
  /// and views in between, behind which the scores have their first shape again.
  const Node* second_product(const Node& first, std::vector<const Node*>& between) const;
  /// Q K^T, what follows up to softmax, and the product with V are one layer at the second product,
  /// when Q, K and V exist. Otherwise they stay as they are.
  void find_attentions();
  void attention(const Node& first, const Node& second);
  void gather(const Node& node);
  void concat(const Node& node);

  const std::string& file_;
  const OnnxGraph graph_;
  Imported imported_;
  std::map<std::string, int> layers_;  ///< by tensor
  std::map<std::string, int> dropped_;
  std::set<std::string> left_out_;     ///< results of nodes that are not simulated
  std::set<std::string> unsized_;      ///< results of subgraphs and what is made of them
  std::set<std::string> sampled_;      ///< tensors that have samples
  std::map<std::string, int> owners_;  ///< the first layer with weights, by their origin
  std::set<const Node*> consumed_;
  std::map<const Node*, const Node*> attentions_;  ///< second product to first
  bool has_input_ = false;
  std::int64_t batch_ = 1;  ///< of the first input: all samples of the file
  std::string batch_symbol_;
};

inline bool is_any(const std::string& op, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, op) != names.end();
}

}  // namespace tcsim::networks
