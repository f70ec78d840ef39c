#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/networks/onnx_shapes.hpp"

namespace tcsim::networks {

/// True for QuantizeLinear and DequantizeLinear, which have an input and a result.
bool is_quantization(const onnx::NodeProto& node);

/// An ONNX model whose parts are found by name.
class OnnxGraph {
 public:
  /// Parses `bytes`. Throws InputError if they are no model or its shapes contradict each other.
  OnnxGraph(const std::string& bytes, const std::string& file, const ImportSizes& sizes);

  [[nodiscard]] const onnx::GraphProto& graph() const { return model_.graph(); }
  [[nodiscard]] std::string producer() const;
  /// The axes over which a Softmax or LogSoftmax of a tensor of `rank` dimensions sums, counted
  /// from the front, ascending.
  [[nodiscard]] std::vector<std::size_t> softmax_axes(const onnx::NodeProto& node,
                                                      std::size_t rank) const;
  /// Sizes of a tensor; nothing if none are known.
  [[nodiscard]] std::optional<Dimensions> dimensions(const std::string& tensor) const;
  /// The symbol that the file declares for the first unknown size of a tensor, "seq"; empty if
  /// there is none.
  [[nodiscard]] std::string symbol(const std::string& tensor) const;
  /// True for weights, results of Constant nodes, and other types, orders and views of those.
  [[nodiscard]] bool is_constant(const std::string& tensor) const {
    return constants_.contains(tensor);
  }
  /// The weights or the result of a Constant node of which a constant is a type, order or view.
  [[nodiscard]] const std::string& origin(const std::string& constant) const;
  /// The nodes that read a tensor, themselves or in a subgraph.
  [[nodiscard]] std::vector<const onnx::NodeProto*> readers(const std::string& tensor) const;
  /// The only node that reads a tensor or its quantised form; null if there are several or none.
  [[nodiscard]] const onnx::NodeProto* only_reader(const std::string& tensor) const;
  /// The node that makes a tensor; null for inputs and weights.
  [[nodiscard]] const onnx::NodeProto* maker(const std::string& tensor) const;
  /// The values of a short tensor of whole numbers; empty if they are not known.
  [[nodiscard]] std::vector<std::int64_t> integers(const std::string& tensor) const;

 private:
  void index();

  onnx::ModelProto model_;
  std::optional<OnnxShapes> shapes_;
  std::map<std::string, const onnx::ValueInfoProto*> declared_;
  std::set<std::string> constants_;
  std::multimap<std::string, const onnx::NodeProto*> readers_;
  std::map<std::string, const onnx::NodeProto*> makers_;
};

}  // namespace tcsim::networks
