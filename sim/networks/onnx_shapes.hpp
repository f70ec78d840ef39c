#pragma once

#include <onnx/onnx_pb.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/networks/import_sizes.hpp"
#include "sim/networks/onnx_shape_rules.hpp"

namespace tcsim::networks {

/// The sizes of all tensors of a graph: those of inputs and constants from the file, the others
/// derived node by node, or as the file declares them if no rule gives more.
class OnnxShapes {
 public:
  /// Throws InputError with the node if operands or declarations contradict each other.
  OnnxShapes(const onnx::GraphProto& graph, const std::string& file, const ImportSizes& sizes);

  /// Null for a tensor about which nothing is known.
  [[nodiscard]] const Dimensions* dimensions(const std::string& tensor) const;
  /// The values of a short tensor of whole numbers; null if they are not known.
  [[nodiscard]] const std::vector<std::int64_t>* numbers(const std::string& tensor) const;

 private:
  void add_constant(const std::string& name, const onnx::TensorProto& tensor);
  using Symbols = std::map<std::string, std::int64_t>;

  void add_declared(const onnx::ValueInfoProto& info, const Symbols& symbols);
  void fix_input(const onnx::ValueInfoProto& info, const ImportSizes& sizes);
  void infer(const onnx::NodeProto& node, const std::string& file);
  void merge(const std::string& tensor, const Dimensions& inferred);
  /// Gives sizes of `tensor` that are not known the values that their symbols have.
  void use_symbols(const std::string& tensor);

  std::map<std::string, Dimensions> dimensions_;
  std::map<std::string, Dimensions> by_symbol_;  ///< as declared, with values for symbols
  std::map<std::string, std::vector<std::int64_t>> numbers_;
  std::set<std::string> floats_;  ///< those of numbers_ that have a floating-point type
};

}  // namespace tcsim::networks
