#include "sim/networks/onnx_bytes.hpp"

#include <gtest/gtest.h>
#include <onnx/onnx_pb.h>

#include <string>

#include "tests/support/memory_file.hpp"

namespace tcsim::networks {
namespace {

std::string stripped(const std::string& bytes) {
  return onnx_without_weights(*test::open_bytes(bytes, "m.onnx", files::FileKind::kModel));
}

/// A model with weights of `count` numbers, a list of shapes and a constant inside of a node.
onnx::ModelProto model_with(int count) {
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.set_producer_name("test");
  model.add_opset_import()->set_version(13);
  onnx::GraphProto& graph = *model.mutable_graph();
  graph.set_name("g");
  onnx::TensorProto& weights = *graph.add_initializer();
  weights.set_name("weights");
  weights.set_data_type(onnx::TensorProto::FLOAT);
  weights.add_dims(count);
  weights.set_raw_data(std::string(static_cast<std::size_t>(count) * sizeof(float), 'w'));
  onnx::TensorProto& shape = *graph.add_initializer();
  shape.set_name("shape");
  shape.set_data_type(onnx::TensorProto::INT64);
  shape.add_dims(2);
  shape.add_int64_data(-1);
  shape.add_int64_data(1LL << 40);
  onnx::NodeProto& node = *graph.add_node();
  node.set_op_type("Constant");
  node.set_doc_string("what it is");
  node.add_output("y");
  onnx::AttributeProto& attribute = *node.add_attribute();
  attribute.set_name("value");
  attribute.set_f(1.5F);
  attribute.mutable_t()->add_dims(count);
  for (int i = 0; i < count; ++i) attribute.mutable_t()->add_double_data(i);
  return model;
}

TEST(OnnxBytes, StayWhatTheyAreWhereTensorsAreSmall) {
  const std::string bytes = model_with(100).SerializeAsString();
  onnx::ModelProto again;
  ASSERT_TRUE(again.ParseFromString(stripped(bytes)));
  EXPECT_EQ(again.SerializeAsString(), bytes);
}

TEST(OnnxBytes, LoseTheNumbersOfLargeTensorsAndNothingElse) {
  onnx::ModelProto model = model_with(1'000'000);
  const std::string small = stripped(model.SerializeAsString());
  EXPECT_LT(small.size(), 1000U);
  model.mutable_graph()->mutable_initializer(0)->clear_raw_data();
  model.mutable_graph()->mutable_node(0)->mutable_attribute(0)->mutable_t()->clear_double_data();
  onnx::ModelProto again;
  ASSERT_TRUE(again.ParseFromString(small));
  EXPECT_EQ(again.SerializeAsString(), model.SerializeAsString());
}

TEST(OnnxBytes, OfNoModelAreNoModel) {
  onnx::ModelProto model;
  const std::string bytes = model_with(5000).SerializeAsString();
  for (std::size_t size = 1; size < bytes.size(); size += 997) {
    const std::string cut = bytes.substr(0, size);
    EXPECT_EQ(model.ParseFromString(stripped(cut)), model.ParseFromString(cut)) << size;
  }
  for (const std::string& text : {std::string(100, '\0'), std::string("text"),
                                  std::string(1000, 'x'), std::string("\x0a\xff\xff\xff\xff\x07")})
    EXPECT_EQ(model.ParseFromString(stripped(text)), model.ParseFromString(text))
        << text.substr(0, 10);
}

TEST(OnnxBytes, OfSubgraphsAreStrippedToo) {
  onnx::ModelProto model = model_with(10);
  onnx::AttributeProto& branch = *model.mutable_graph()->add_node()->add_attribute();
  branch.mutable_g()->add_initializer()->set_raw_data(std::string(1'000'000, 'w'));
  branch.add_graphs()->add_initializer()->set_raw_data(std::string(1'000'000, 'w'));
  EXPECT_LT(stripped(model.SerializeAsString()).size(), 2000U);
}

TEST(OnnxBytes, OfMessagesLargerThanWhatHoldsThemAreNoModel) {
  // A graph of four bytes whose node has 100.
  const std::string bytes{"\x3a\x04\x0a\x64xy", 6};
  onnx::ModelProto model;
  EXPECT_FALSE(model.ParseFromString(bytes));
  EXPECT_FALSE(model.ParseFromString(stripped(bytes)));
}

TEST(OnnxBytes, OfGraphsInGraphsWithoutEndAreNoModel) {
  onnx::GraphProto graph;
  for (int i = 0; i < 2000; ++i) {
    onnx::GraphProto outer;
    outer.add_node()->add_attribute()->mutable_g()->Swap(&graph);
    graph.Swap(&outer);
  }
  onnx::ModelProto model;
  model.mutable_graph()->Swap(&graph);
  EXPECT_FALSE(onnx::ModelProto().ParseFromString(stripped(model.SerializeAsString())));
}

}  // namespace
}  // namespace tcsim::networks
