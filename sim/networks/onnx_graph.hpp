#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tcsim::networks {

/// Sizes that symbolic dimensions of a model get.
struct OnnxSizes {
  std::int64_t batch = 1;                            ///< of a symbolic first dimension
  std::map<std::string, std::int64_t> dimensions{};  ///< of others by name
};

/// An ONNX model with inferred shapes, asked for by name.
class OnnxGraph {
 public:
  using Dimensions = std::vector<std::int64_t>;  ///< -1 where a size is not known

  /// Parses `bytes`. Throws InputError if they are no model or shapes contradict each other.
  OnnxGraph(const std::string& bytes, const std::string& file, const OnnxSizes& sizes);

  [[nodiscard]] const onnx::GraphProto& graph() const { return model_.graph(); }
  [[nodiscard]] std::string producer() const;
  /// Sizes of a tensor; nothing if it has none that inference found.
  [[nodiscard]] std::optional<Dimensions> dimensions(const std::string& tensor) const;
  /// The first symbol among the sizes of a tensor, "seq"; empty if there is none.
  [[nodiscard]] std::string symbol(const std::string& tensor) const;
  /// True for weights and results of Constant nodes.
  [[nodiscard]] bool is_constant(const std::string& tensor) const {
    return constants_.contains(tensor);
  }
  /// The nodes that read a tensor.
  [[nodiscard]] std::vector<const onnx::NodeProto*> readers(const std::string& tensor) const;
  /// The node that makes a tensor; null for inputs and weights.
  [[nodiscard]] const onnx::NodeProto* maker(const std::string& tensor) const;
  /// The numbers of a constant of INT64; empty if it is none.
  [[nodiscard]] std::vector<std::int64_t> integers(const std::string& tensor) const;

 private:
  void check_operands() const;
  void fix_inputs(const OnnxSizes& sizes);
  void index();

  onnx::ModelProto model_;
  std::map<std::string, const onnx::TypeProto*> types_;
  std::map<std::string, const onnx::TensorProto*> constants_;
  std::multimap<std::string, const onnx::NodeProto*> readers_;
  std::map<std::string, const onnx::NodeProto*> makers_;
};

/// Attributes of a node, or `absent`.
std::int64_t integer_attribute(const onnx::NodeProto& node, const char* name, std::int64_t absent);
std::vector<std::int64_t> integers_attribute(const onnx::NodeProto& node, const char* name);
std::string text_attribute(const onnx::NodeProto& node, const char* name);

}  // namespace tcsim::networks
