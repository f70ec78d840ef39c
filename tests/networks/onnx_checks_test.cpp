#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/networks/onnx_model.hpp"

namespace tcsim::networks {
namespace {

using ::testing::HasSubstr;

TEST(OnnxChecks, TensorsAreMadeOnce) {
  test::OnnxModel twice;
  twice.node("MatMul", {twice.input("x", {-1, 12, 64}), twice.weight({64, 64})});
  twice.graph().add_initializer()->CopyFrom(twice.graph().initializer(0));
  EXPECT_EQ(twice.mistake(), "m.onnx: two initializers are called 'w1'");
  test::OnnxModel again;
  const std::string y = again.node("Relu", {again.input("x", {-1, 12, 64})});
  again.node("Tanh", {"x"});
  again.last().set_output(0, y);
  EXPECT_EQ(
      again.mistake(),
      "m.onnx: node 'Tanh2' (Tanh): makes 'Relu1_out', which is an input, a weight or a result "
      "of an earlier node");
  test::OnnxModel open;
  open.node("Relu", {open.input("x", {-1, 12, 64})});
  open.graph().add_output()->set_name("Relu1_oot");
  EXPECT_EQ(open.mistake(),
            "m.onnx: nothing makes the output 'Relu1_oot'; did you mean \"Relu1_out\"?");
}

TEST(OnnxChecks, ModelsNameTheirOpset) {
  test::OnnxModel m;
  m.node("Relu", {m.input("x", {-1, 12, 64})});
  m.model().clear_opset_import();
  EXPECT_THAT(m.mistake(), HasSubstr("m.onnx: no opset_import"));
}

TEST(OnnxChecks, WeightsHaveSizes) {
  test::OnnxModel m;
  m.node("MatMul", {m.input("x", {-1, 12, 64}), m.weight({64, -5})});
  EXPECT_EQ(m.mistake(), "m.onnx: the initializer 'w1' has a dimension of -5");
}

TEST(OnnxChecks, NormsHaveVectorsForTheirChannels) {
  const auto mistake = [](int vectors, std::int64_t size) {
    test::OnnxModel m;
    std::vector<std::string> inputs{m.input("x", {-1, 8, 6, 6})};
    for (int i = 0; i < vectors; ++i) inputs.push_back(m.weight({i == 3 ? size : 8}));
    m.node("BatchNormalization", inputs);
    return m.mistake();
  };
  EXPECT_EQ(mistake(4, 8), "accepted");
  EXPECT_THAT(mistake(0, 8), HasSubstr("(BatchNormalization): 1 inputs, it needs 5"));
  EXPECT_THAT(mistake(4, 9), HasSubstr("(BatchNormalization): a vector of 9 for 8 channels"));
}

/// A convolution of eight channels with filters of `sizes`, a bias and what `change` does to it.
template <typename Change>
std::string conv_mistake(const char* op, const test::Numbers& sizes, std::int64_t bias,
                         Change change) {
  test::OnnxModel m;
  m.node(op, {m.input("x", {-1, 8, 6, 6}), m.weight(sizes), m.weight({bias})});
  change(m.last());
  return m.mistake();
}

TEST(OnnxChecks, ConvolutionsFitTheirWeights) {
  const auto nothing = [](onnx::NodeProto&) {};
  EXPECT_EQ(conv_mistake("Conv", {4, 8, 3, 3}, 4, nothing), "accepted");
  EXPECT_THAT(conv_mistake("Conv", {4, 8, 3, 3}, 5, nothing),
              HasSubstr("(Conv): a bias of 5 for 4 channels"));
  EXPECT_THAT(conv_mistake("ConvTranspose", {8, 4, 3, 3}, 8, nothing),
              HasSubstr("(ConvTranspose): a bias of 8 for 4 channels"));
  EXPECT_THAT(conv_mistake("Conv", {4, 8, 3, 3}, 4,
                           [](auto& node) {
                             test::set_attribute(node, "kernel_shape", test::Numbers{5, 5});
                           }),
              HasSubstr("a kernel_shape of 5x5 and filters of 3x3"));
  EXPECT_THAT(conv_mistake("Conv", {5, 4, 3, 3}, 5,
                           [](auto& node) { test::set_attribute(node, "group", std::int64_t{2}); }),
              HasSubstr("2 groups do not divide 5 filters"));
}

TEST(OnnxChecks, AttributesAreOfTheirTypeAndKnown) {
  EXPECT_THAT(
      conv_mistake("Conv", {4, 8, 3, 3}, 4,
                   [](auto& node) { test::set_attribute(node, "strides", std::int64_t{2}); }),
      HasSubstr("(Conv): strides is of type INT, not INTS"));
  EXPECT_THAT(
      conv_mistake("Conv", {4, 8, 3, 3}, 4,
                   [](auto& node) { test::set_text_attribute(node, "auto_pad", "SAME_UPER"); }),
      HasSubstr("auto_pad of 'SAME_UPER'; did you mean \"SAME_UPPER\"?"));
  test::OnnxModel m;
  m.node("Relu", {m.input("x", {-1, 12, 64})});
  m.last().add_attribute()->mutable_g();
  EXPECT_THAT(m.mistake(), HasSubstr("(Relu): an attribute is a graph"));
}

TEST(OnnxChecks, VectorsHaveTheSizesOfWhatTheyMeet) {
  const auto mistake = [](const char* op, const test::Numbers& x,
                          const std::vector<test::Numbers>& weights) {
    test::OnnxModel m;
    std::vector<std::string> inputs{m.input("x", x)};
    for (const test::Numbers& sizes : weights) inputs.push_back(m.weight(sizes));
    m.node(op, inputs);
    return m.mistake();
  };
  EXPECT_THAT(mistake("Gemm", {-1, 8}, {{8, 4}, {5}}), HasSubstr("operands of 1x4 and 5"));
  EXPECT_THAT(mistake("Gemm", {-1, 8}, {{8, 4}, {3, 4}}), HasSubstr("a bias of 3x4 for 1x4"));
  EXPECT_THAT(mistake("LayerNormalization", {-1, 12, 64}, {{63}}),
              HasSubstr("operands of 64 and 63"));
  EXPECT_THAT(mistake("InstanceNormalization", {-1, 8, 6, 6}, {{8}, {7}}),
              HasSubstr("a vector of 7 for 8 channels"));
}

TEST(OnnxChecks, AxesOfSoftmaxesAreThere) {
  test::OnnxModel m;
  m.node("Softmax", {m.input("x", {-1, 12, 64})}, "axis", std::int64_t{3});
  EXPECT_THAT(m.mistake(), HasSubstr("(Softmax): axis 3 of a tensor with 3 dimensions"));
}

}  // namespace
}  // namespace tcsim::networks
