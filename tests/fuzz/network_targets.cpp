#include <onnx/onnx_pb.h>

#include "sim/config/error.hpp"
#include "sim/files/utf8.hpp"
#include "sim/networks/network_file.hpp"
#include "sim/networks/network_text.hpp"
#include "sim/networks/onnx_import.hpp"
#include "sim/networks/scalesim_import.hpp"
#include "tests/fuzz/target.hpp"
#include "workloads/networks/counts.hpp"
#include "workloads/trace/input_error.hpp"

namespace tcsim::fuzz {
namespace {

/// What was accepted has counts and is read back from its own text.
bool check(const networks::Network& network) {
  require(networks::macs(network) >= 0, "network: negative multiply-adds");
  const std::string text = networks::network_yaml(network);
  require(networks::network_yaml(networks::read_network("again", text)) == text,
          "network: not read back");
  return true;
}

bool run_network(Bytes bytes) {
  if (files::utf8_length(text_of(bytes)) != bytes.size()) return false;  // no file is read so far
  try {
    return check(networks::read_network("input", std::string(text_of(bytes))));
  } catch (const config::ConfigError& error) {
    require(std::string_view(error.what()).starts_with("input:"), "network: error without a file");
    return false;
  }
}

bool run_scalesim(Bytes bytes) {
  try {
    (void)networks::import_scalesim(text_of(bytes), "input", networks::DepthwiseForm::kOneFilter);
    return true;
  } catch (const InputError& error) {
    require(std::string_view(error.what()).starts_with("input:"), "scalesim: error without a file");
    return false;
  }
}

bool run_onnx(Bytes bytes) {
  try {
    (void)networks::import_onnx(std::string(text_of(bytes)), "input", {});
    return true;
  } catch (const InputError& error) {
    require(std::string_view(error.what()).starts_with("input:"), "onnx: error without a file");
    return false;
  }
}

std::vector<std::string> network_seeds() {
  return {
      "name: n\ninput: {h: 8, w: 8, c: 4}\nlayers:\n  - {name: a, op: conv, k: 8, rs: 3, pad: 1}\n"
      "  - {name: b, op: relu}\n  - {name: p, op: max_pool, rs: 2}\n  - {name: f, op: flatten}\n"
      "  - {name: l, op: linear, out: 3}\n",
      "name: n\ninput: {tokens: 16}\nblocks:\n  t:\n    parameters: [w]\n    layers:\n"
      "      - {name: q, op: linear, out: $w}\n      - {name: s, op: add, from: [q, input]}\n"
      "layers:\n  - {name: e, op: embedding, vocabulary: 9, out: 8}\n"
      "  - {name: t, block: t, w: 8}\n"};
}

std::vector<std::string> scalesim_seeds() {
  return {"Layer,M,N,K,\na,8,8,8,\nb,16,4,2,\n",
          "Layer name,IFMAP Height,IFMAP Width,Filter Height,Filter Width,Channels,Num Filter,"
          "Strides,\nc,16,16,3,3,4,8,1,\nd,14,14,3,3,8,1,2,\n"};
}

onnx::ModelProto image_model() {
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(13);
  model.mutable_graph()->set_name("g");
  onnx::ValueInfoProto& input = *model.mutable_graph()->add_input();
  input.set_name("x");
  auto* tensor = input.mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(onnx::TensorProto::FLOAT);
  for (const std::int64_t size : {1, 4, 8, 8})
    tensor->mutable_shape()->add_dim()->set_dim_value(size);
  return model;
}

using Numbers = std::vector<std::int64_t>;

onnx::TensorProto& add_constant(onnx::GraphProto& graph, const char* name, const Numbers& sizes) {
  onnx::TensorProto& constant = *graph.add_initializer();
  constant.set_name(name);
  constant.set_data_type(onnx::TensorProto::FLOAT);
  for (const std::int64_t size : sizes) constant.add_dims(size);
  return constant;
}

void add_numbers(onnx::GraphProto& graph, const char* name, const Numbers& values) {
  onnx::TensorProto& constant =
      add_constant(graph, name, {static_cast<std::int64_t>(values.size())});
  constant.set_data_type(onnx::TensorProto::INT64);
  for (const std::int64_t value : values) constant.add_int64_data(value);
}

onnx::NodeProto& add_node(onnx::GraphProto& graph, const char* op,
                          std::initializer_list<const char*> inputs, const char* output) {
  onnx::NodeProto& node = *graph.add_node();
  node.set_op_type(op);
  for (const char* input : inputs) node.add_input(input);
  node.add_output(output);
  return node;
}

void set_numbers(onnx::NodeProto& node, const char* name, const Numbers& values) {
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::INTS);
  for (const std::int64_t value : values) attribute.add_ints(value);
}

std::string convolution_seed() {
  onnx::ModelProto model = image_model();
  onnx::GraphProto& graph = *model.mutable_graph();
  add_constant(graph, "w", {4, 4, 3, 3});
  set_numbers(add_node(graph, "Conv", {"x", "w"}, "y"), "pads", {1, 1, 1, 1});
  onnx::NodeProto& pool = add_node(graph, "MaxPool", {"y"}, "p");
  set_numbers(pool, "kernel_shape", {2, 2});
  set_numbers(pool, "strides", {2, 2});
  add_node(graph, "Relu", {"p"}, "z");
  return model.SerializeAsString();
}

/// Views, and shapes that are computed.
std::string views_seed() {
  onnx::ModelProto model = image_model();
  onnx::GraphProto& graph = *model.mutable_graph();
  add_numbers(graph, "new", {0, 4, -1});
  add_numbers(graph, "first", {0});
  add_numbers(graph, "half", {2});
  add_constant(graph, "w", {64, 16});
  add_node(graph, "Reshape", {"x", "new"}, "r");
  add_node(graph, "MatMul", {"r", "w"}, "m");
  set_numbers(add_node(graph, "Transpose", {"m"}, "t"), "perm", {0, 2, 1});
  add_node(graph, "MatMul", {"m", "t"}, "s");
  add_node(graph, "Slice", {"s", "first", "half", "half"}, "h");
  add_node(graph, "Shape", {"h"}, "l");
  add_node(graph, "Gather", {"l", "first"}, "g");
  add_node(graph, "Concat", {"g", "half", "half", "half"}, "n");
  add_node(graph, "Reshape", {"h", "n"}, "e");
  set_numbers(add_node(graph, "ReduceMean", {"e"}, "a"), "axes", {2, 3});
  return model.SerializeAsString();
}

std::vector<std::string> onnx_seeds() { return {convolution_seed(), views_seed()}; }

}  // namespace

const Target network_target{"network", run_network, network_seeds, Form::kText};
const Target scalesim_target{"scalesim", run_scalesim, scalesim_seeds, Form::kText};
const Target onnx_target{"onnx", run_onnx, onnx_seeds};

}  // namespace tcsim::fuzz
