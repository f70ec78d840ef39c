#include <onnx/onnx_pb.h>

#include "sim/config/error.hpp"
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

void add_dimensions(onnx::ValueInfoProto& value, const char* name) {
  value.set_name(name);
  auto* tensor = value.mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(onnx::TensorProto::FLOAT);
  for (const std::int64_t size : {1, 4, 8, 8})
    tensor->mutable_shape()->add_dim()->set_dim_value(size);
}

std::vector<std::string> onnx_seeds() {
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(13);
  onnx::GraphProto& graph = *model.mutable_graph();
  graph.set_name("g");
  add_dimensions(*graph.add_input(), "x");
  onnx::TensorProto& weights = *graph.add_initializer();
  weights.set_name("w");
  weights.set_data_type(onnx::TensorProto::FLOAT);
  for (const std::int64_t size : {4, 4, 1, 1}) weights.add_dims(size);
  onnx::NodeProto& conv = *graph.add_node();
  conv.set_op_type("Conv");
  conv.add_input("x");
  conv.add_input("w");
  conv.add_output("y");
  onnx::NodeProto& relu = *graph.add_node();
  relu.set_op_type("Relu");
  relu.add_input("y");
  relu.add_output("z");
  return {model.SerializeAsString()};
}

}  // namespace

const Target kNetwork{"network", run_network, network_seeds};
const Target kScalesim{"scalesim", run_scalesim, scalesim_seeds};
const Target kOnnx{"onnx", run_onnx, onnx_seeds};

}  // namespace tcsim::fuzz
