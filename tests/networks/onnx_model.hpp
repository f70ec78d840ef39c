#pragma once

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/networks/onnx_import.hpp"
#include "tests/support/refusal.hpp"

namespace tcsim::test {

using Numbers = std::vector<std::int64_t>;

inline void set_attribute(onnx::NodeProto& node, const char* name, const Numbers& values) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::INTS);
  for (const std::int64_t value : values) attribute.add_ints(value);
}

inline void set_attribute(onnx::NodeProto& node, const char* name, std::int64_t value) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::INT);
  attribute.set_i(value);
}

inline void set_text_attribute(onnx::NodeProto& node, const char* name, const char* value) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::STRING);
  attribute.set_s(value);
}

/// An ONNX model that grows node by node. Weights have no numbers, as nobody computes with them.
class OnnxModel {
 public:
  OnnxModel() {
    model_.set_ir_version(8);
    model_.add_opset_import()->set_version(17);
    graph().set_name("g");
  }

  onnx::ModelProto& model() { return model_; }
  onnx::GraphProto& graph() { return *model_.mutable_graph(); }
  onnx::NodeProto& last() { return *graph().mutable_node(graph().node_size() - 1); }

  /// A size of -1 is the symbol N.
  std::string input(const char* name, const Numbers& sizes,
                    onnx::TensorProto::DataType type = onnx::TensorProto::FLOAT) {
    describe(*graph().add_input(), name, sizes, type);
    return name;
  }

  /// States the sizes of a result, as exporters do.
  void declare(const std::string& name, const Numbers& sizes) {
    describe(*graph().add_value_info(), name, sizes, onnx::TensorProto::FLOAT);
  }

  std::string weight(const Numbers& sizes) {
    onnx::TensorProto& tensor = *graph().add_initializer();
    tensor.set_name("w" + std::to_string(++count_));
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    for (const std::int64_t size : sizes) tensor.add_dims(size);
    return tensor.name();
  }

  std::string numbers(const Numbers& values) {
    onnx::TensorProto& tensor = *graph().add_initializer();
    tensor.set_name("w" + std::to_string(++count_));
    tensor.set_data_type(onnx::TensorProto::INT64);
    tensor.add_dims(static_cast<std::int64_t>(values.size()));
    for (const std::int64_t value : values) tensor.add_int64_data(value);
    return tensor.name();
  }

  /// The result of a new node, whose name is that of its operator and a number.
  std::string node(const char* op, const std::vector<std::string>& inputs) {
    onnx::NodeProto& added = *graph().add_node();
    added.set_op_type(op);
    added.set_name(op + std::to_string(++count_));
    for (const std::string& input : inputs) added.add_input(input);
    added.add_output(added.name() + "_out");
    return added.output(0);
  }
  template <typename Value>
  std::string node(const char* op, const std::vector<std::string>& inputs, const char* attribute,
                   const Value& value) {
    std::string output = node(op, inputs);
    set_attribute(last(), attribute, value);
    return output;
  }

  [[nodiscard]] networks::Imported import(const networks::ImportSizes& sizes = {}) const {
    return networks::import_onnx(model_.SerializeAsString(), "m.onnx", sizes);
  }
  [[nodiscard]] networks::Network network(const networks::ImportSizes& sizes = {}) const {
    return import(sizes).network;
  }
  /// The message with which the model is refused.
  [[nodiscard]] std::string mistake() const {
    return refusal([&] { return import(); });
  }

 private:
  static void describe(onnx::ValueInfoProto& info, const std::string& name, const Numbers& sizes,
                       onnx::TensorProto::DataType type) {
    info.set_name(name);
    auto* tensor = info.mutable_type()->mutable_tensor_type();
    tensor->set_elem_type(type);
    for (const std::int64_t size : sizes) {
      auto* dimension = tensor->mutable_shape()->add_dim();
      if (size < 0)
        dimension->set_dim_param("N");
      else
        dimension->set_dim_value(size);
    }
  }

  onnx::ModelProto model_;
  int count_ = 0;
};

}  // namespace tcsim::test
