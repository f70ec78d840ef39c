#include "sim/networks/onnx_shapes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <onnx/defs/schema.h>
#include <onnx/shape_inference/implementation.h>

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "sim/networks/onnx_attributes.hpp"
#include "sim/networks/onnx_dimensions.hpp"
#include "tests/support/refusal.hpp"

namespace tcsim::networks {
namespace {

using ::testing::HasSubstr;
using Numbers = std::vector<std::int64_t>;

/// A graph of one node on inputs a, b, ... with given sizes and whole-number constants behind them.
class OneNode {
 public:
  explicit OneNode(const char* op) {
    node_.set_op_type(op);
    node_.set_name("n");
    node_.add_output("result");
  }

  OneNode& input(const Dimensions& sizes) {
    onnx::ValueInfoProto& info = *graph_.add_input();
    info.set_name(next_name());
    auto* type = info.mutable_type()->mutable_tensor_type();
    type->set_elem_type(onnx::TensorProto::FLOAT);
    auto* shape = type->mutable_shape();
    for (const std::int64_t size : sizes) {
      auto* dimension = shape->add_dim();
      if (size < 0)
        dimension->set_dim_param("s");
      else
        dimension->set_dim_value(size);
    }
    return *this;
  }
  OneNode& numbers(const Numbers& values) {
    onnx::TensorProto& tensor = *graph_.add_initializer();
    tensor.set_name(next_name());
    tensor.set_data_type(onnx::TensorProto::INT64);
    tensor.add_dims(static_cast<std::int64_t>(values.size()));
    for (const std::int64_t value : values) tensor.add_int64_data(value);
    return *this;
  }
  OneNode& with(const char* name, const Numbers& values) {
    onnx::AttributeProto& attribute = *node_.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::INTS);
    for (const std::int64_t value : values) attribute.add_ints(value);
    return *this;
  }
  OneNode& with(const char* name, std::int64_t value) {
    onnx::AttributeProto& attribute = *node_.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::INT);
    attribute.set_i(value);
    return *this;
  }
  OneNode& with_floats(const char* name, std::initializer_list<float> values) {
    onnx::AttributeProto& attribute = *node_.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::FLOATS);
    for (const float value : values) attribute.add_floats(value);
    return *this;
  }
  OneNode& with_text(const char* name, const char* value) {
    onnx::AttributeProto& attribute = *node_.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::STRING);
    attribute.set_s(value);
    return *this;
  }

  [[nodiscard]] onnx::GraphProto graph() const {
    onnx::GraphProto graph = graph_;
    graph.set_name("g");
    *graph.add_node() = node_;
    return graph;
  }
  [[nodiscard]] Dimensions result() const {
    const OnnxShapes shapes(graph(), "m.onnx", {});
    const Dimensions* const found = shapes.dimensions("result");
    return found == nullptr ? Dimensions{-99} : *found;
  }
  [[nodiscard]] std::string mistake() const {
    return test::refusal([&] { return result(); });
  }

 private:
  std::string next_name() {
    node_.add_input(std::string(1, static_cast<char>('a' + node_.input_size())));
    return node_.input(node_.input_size() - 1);
  }

  onnx::GraphProto graph_;
  onnx::NodeProto node_;
};

TEST(OnnxShapes, WindowsFollowStridesPadsAndDilations) {
  const auto conv = [] { return OneNode("Conv").input({2, 8, 32, 31}).input({16, 8, 3, 5}); };
  EXPECT_EQ(conv().result(), (Dimensions{2, 16, 30, 27}));
  EXPECT_EQ(conv().with("pads", Numbers{1, 2, 1, 2}).with("strides", Numbers{2, 2}).result(),
            (Dimensions{2, 16, 16, 16}));
  EXPECT_EQ(conv().with("dilations", Numbers{2, 3}).result(), (Dimensions{2, 16, 28, 19}));
  EXPECT_EQ(conv().with_text("auto_pad", "SAME_UPPER").with("strides", Numbers{2, 2}).result(),
            (Dimensions{2, 16, 16, 16}));
  EXPECT_EQ(OneNode("MaxPool")
                .input({1, 4, 7, 7})
                .with("kernel_shape", Numbers{2, 2})
                .with("strides", Numbers{2, 2})
                .with("ceil_mode", 1)
                .result(),
            (Dimensions{1, 4, 4, 4}));
  // A third window would start in the padding behind the image.
  EXPECT_EQ(OneNode("MaxPool")
                .input({1, 8, 5, 5})
                .with("kernel_shape", Numbers{2, 2})
                .with("strides", Numbers{3, 3})
                .with("pads", Numbers{1, 1, 1, 1})
                .with("ceil_mode", 1)
                .result(),
            (Dimensions{1, 8, 2, 2}));
  EXPECT_EQ(OneNode("ConvTranspose")
                .input({1, 8, 16, 16})
                .input({8, 4, 2, 2})
                .with("strides", Numbers{2, 2})
                .result(),
            (Dimensions{1, 4, 32, 32}));
  EXPECT_EQ(OneNode("GlobalAveragePool").input({3, 4, 7, 7}).result(), (Dimensions{3, 4, 1, 1}));
}

TEST(OnnxShapes, ATransposedConvolutionMayNameItsResult) {
  const auto node = [] { return OneNode("ConvTranspose").input({1, 8, 5, 7}).input({8, 4, 3, 3}); };
  EXPECT_EQ(node().with("output_shape", Numbers{10, 14}).result(), (Dimensions{1, 4, 10, 14}));
  EXPECT_EQ(node().with("output_shape", Numbers{1, 4, 10, 14}).result(),
            (Dimensions{1, 4, 10, 14}));
  EXPECT_THAT(node().with("output_shape", Numbers{10, -14}).mistake(),
              HasSubstr("output_shape of -14"));
  EXPECT_THAT(node().with("output_shape", Numbers{10}).mistake(),
              HasSubstr("output_shape has 1 numbers, not 2"));
}

TEST(OnnxShapes, ATransposedConvolutionThatLeavesNothingIsRefused) {
  const auto node = [] { return OneNode("ConvTranspose").input({1, 8, 1, 1}).input({8, 4, 1, 1}); };
  EXPECT_EQ(node().result(), (Dimensions{1, 4, 1, 1}));
  EXPECT_THAT(node().with("pads", Numbers{1, 0, 1, 0}).mistake(),
              HasSubstr("a result of -1 pixels: the padding of 2 leaves nothing"));
  EXPECT_THAT(node().with("group", 3).mistake(), HasSubstr("3 groups on an image of 8"));
  EXPECT_THAT(node().with("group", -4).mistake(), HasSubstr("groups of -4"));
  EXPECT_THAT(OneNode("ConvTranspose").input({1, 8, 1, 1}).input({4, 4, 1, 1}).mistake(),
              HasSubstr("filters of 4 channels in 1 groups on an image of 8"));
}

TEST(OnnxShapes, AttributesAndInputsOfEarlierOpsetsAreRead) {
  EXPECT_EQ(OneNode("Unsqueeze").input({4, 8}).with("axes", Numbers{1}).result(),
            (Dimensions{4, 1, 8}));
  EXPECT_EQ(OneNode("Slice")
                .input({4, 8})
                .with("starts", Numbers{1})
                .with("ends", Numbers{3})
                .with("axes", Numbers{1})
                .result(),
            (Dimensions{4, 2}));
  // Factors alone, as opset 10 has them; behind regions from 11 on.
  EXPECT_EQ(OneNode("Resize").input({1, 3, 8, 9}).numbers({1, 1, 2, 3}).result(),
            (Dimensions{1, 3, 16, 27}));
  EXPECT_EQ(OneNode("Resize").input({1, 3, 8, 9}).numbers({}).numbers({1, 1, 2, 3}).result(),
            (Dimensions{1, 3, 16, 27}));
}

/// What ONNX's own inference makes of the node.
Dimensions of_onnx(const OneNode& node) {
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(13);
  *model.mutable_graph() = node.graph();
  onnx::shape_inference::InferShapes(model);
  for (const onnx::ValueInfoProto& info : model.graph().value_info()) {
    if (info.name() != "result") continue;
    Dimensions sizes;
    for (const auto& size : info.type().tensor_type().shape().dim())
      sizes.push_back(size.has_dim_value() ? size.dim_value() : kUnknown);
    return sizes;
  }
  return {-99};
}

/// One of `choices`, another one each time, in the order of a generator that is the same
/// everywhere.
class Chooser {
 public:
  std::int64_t one_of(std::initializer_list<std::int64_t> choices) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return *(choices.begin() + static_cast<std::ptrdiff_t>((state_ >> 33) % choices.size()));
  }
  Numbers list(std::size_t count, std::initializer_list<std::int64_t> choices) {
    Numbers numbers(count);
    for (std::int64_t& number : numbers) number = one_of(choices);
    return numbers;
  }

 private:
  std::uint64_t state_ = 1;
};

/// A node of windows with attributes that `choose` makes up, most of them optional.
OneNode random_windows(const char* op, Chooser& choose) {
  const auto rank = static_cast<std::size_t>(choose.one_of({1, 2, 2, 3}));
  const std::int64_t groups = choose.one_of({1, 1, 2, 4});
  const bool is_transposed = std::string_view(op) == "ConvTranspose";
  OneNode node(op);
  Dimensions x{choose.one_of({1, 3}), 8};
  for (const std::int64_t size : choose.list(rank, {1, 2, 5, 7, 16, 31})) x.push_back(size);
  Dimensions w = is_transposed ? Dimensions{8, choose.one_of({1, 5})}
                               : Dimensions{choose.one_of({4, 12}), 8 / groups};
  const Numbers windows = choose.list(rank, {1, 2, 3, 4, 5});
  w.insert(w.end(), windows.begin(), windows.end());
  node.input(x).input(w).with("group", groups);
  if (choose.one_of({0, 1}) != 0) node.with("kernel_shape", windows);
  if (choose.one_of({0, 1, 1}) != 0) node.with("strides", choose.list(rank, {1, 2, 3, 4}));
  if (choose.one_of({0, 1}) != 0) node.with("dilations", choose.list(rank, {1, 2, 3}));
  switch (choose.one_of({0, 1, 1, 2, 3, 4})) {
    case 1:
      node.with("pads", choose.list(2 * rank, {0, 0, 1, 2, 3}));
      break;
    case 2:
      node.with_text("auto_pad", "SAME_UPPER");
      break;
    case 3:
      node.with_text("auto_pad", "SAME_LOWER");
      break;
    case 4:
      node.with_text("auto_pad", "VALID");
      break;
    default:
      break;
  }
  if (!is_transposed) return node;
  if (choose.one_of({0, 0, 1}) != 0) node.with("output_padding", choose.list(rank, {0, 1, 2}));
  if (choose.one_of({0, 0, 0, 1}) != 0) node.with("output_shape", choose.list(rank, {40, 64, 99}));
  return node;
}

class RandomWindows : public ::testing::TestWithParam<const char*> {};

TEST_P(RandomWindows, HaveTheShapesOfOnnxsOwnInference) {
  Chooser choose;
  int refused = 0;
  constexpr int kNodes = 2000;
  for (int i = 0; i < kNodes; ++i) {
    OneNode node = random_windows(GetParam(), choose);
    const Dimensions expected = of_onnx(node);
    const bool has_result =
        std::ranges::all_of(expected, [](std::int64_t size) { return size > 0; });
    if (const std::string mistake = node.mistake(); mistake != "accepted") {
      // ONNX divides what is below zero too, towards zero, and finds a pixel.
      const bool does_not_fit = mistake.find("padded pixels") != std::string::npos;
      EXPECT_TRUE(!has_result || does_not_fit) << mistake << "\n" << node.graph().DebugString();
      ++refused;
      continue;
    }
    ASSERT_TRUE(has_result) << text(expected) << "\n" << node.graph().DebugString();
    ASSERT_EQ(node.result(), expected) << node.graph().DebugString();
  }
  EXPECT_LT(refused, kNodes / 2);
}

INSTANTIATE_TEST_SUITE_P(Operators, RandomWindows, ::testing::Values("Conv", "ConvTranspose"));

TEST(OnnxShapes, ProductsTakeRowsOfOneAndColumnsOfTheOther) {
  EXPECT_EQ(OneNode("Gemm").input({5, 7}).input({9, 7}).with("transB", 1).result(),
            (Dimensions{5, 9}));
  EXPECT_EQ(OneNode("MatMul").input({2, 1, 5, 7}).input({3, 7, 9}).result(),
            (Dimensions{2, 3, 5, 9}));
  EXPECT_EQ(OneNode("MatMul").input({5, 7}).input({7}).result(), (Dimensions{5}));
}

TEST(OnnxShapes, ViewsKeepTheElements) {
  EXPECT_EQ(OneNode("Reshape").input({2, 3, 8}).numbers({0, -1, 4}).result(),
            (Dimensions{2, 6, 4}));
  EXPECT_EQ(OneNode("Flatten").input({2, 3, 8}).result(), (Dimensions{2, 24}));
  EXPECT_EQ(OneNode("Transpose").input({2, 3, 8}).with("perm", Numbers{2, 0, 1}).result(),
            (Dimensions{8, 2, 3}));
  EXPECT_EQ(OneNode("Squeeze").input({2, 1, 8, 1}).numbers({-1}).result(), (Dimensions{2, 1, 8}));
  EXPECT_EQ(OneNode("Squeeze").input({2, 1, 8, 1}).result(), (Dimensions{2, 8}));
  EXPECT_EQ(OneNode("Unsqueeze").input({2, 8}).with("axes", Numbers{0, 3}).result(),
            (Dimensions{1, 2, 8, 1}));
}

TEST(OnnxShapes, PartsAndJoinsCount) {
  EXPECT_EQ(OneNode("Concat").input({2, 3}).input({2, 5}).with("axis", -1).result(),
            (Dimensions{2, 8}));
  EXPECT_EQ(OneNode("Split").input({2, 8}).numbers({3, 5}).with("axis", 1).mistake(),
            "m.onnx: node 'n' (Split): 2 sizes for 1 parts");
  EXPECT_EQ(
      OneNode("Slice").input({2, 9}).numbers({7}).numbers({0}).numbers({1}).numbers({-2}).result(),
      (Dimensions{2, 4}));
  EXPECT_EQ(OneNode("Gather").input({2, 9, 4}).numbers({1, 2, 3}).with("axis", 1).result(),
            (Dimensions{2, 3, 4}));
  EXPECT_EQ(OneNode("Shape").input({2, 9, 4}).with("start", 1).with("end", -1).result(),
            (Dimensions{1}));
  EXPECT_EQ(OneNode("Tile").input({2, 3}).numbers({1, 4}).result(), (Dimensions{2, 12}));
  EXPECT_EQ(OneNode("Pad").input({2, 3}).numbers({0, 1, 0, 2}).result(), (Dimensions{2, 6}));
}

TEST(OnnxShapes, ElementsBroadcastAndReduce) {
  EXPECT_EQ(OneNode("Add").input({2, 1, 8}).input({3, 1}).result(), (Dimensions{2, 3, 8}));
  EXPECT_EQ(OneNode("Expand").input({3, 1}).numbers({2, 1, 6}).result(), (Dimensions{2, 3, 6}));
  EXPECT_EQ(OneNode("ReduceMean").input({2, 3, 8}).with("axes", Numbers{-1}).result(),
            (Dimensions{2, 3, 1}));
  EXPECT_EQ(OneNode("ReduceSum").input({2, 3, 8}).numbers({1}).with("keepdims", 0).result(),
            (Dimensions{2, 8}));
}

TEST(OnnxShapes, UnknownSizesStayUnknown) {
  EXPECT_EQ(OneNode("Relu").input({-1, 4, -1}).result(), (Dimensions{1, 4, -1}));  // the batch is 1
  EXPECT_EQ(OneNode("NoSuchOperator").input({2, 3}).result(), (Dimensions{-99}));
  EXPECT_EQ(OneNode("Conv").input({1, 8, -1, 8}).input({4, 8, 3, 3}).result(),
            (Dimensions{1, 4, -1, 6}));
}

TEST(OnnxShapes, ContradictionsNameTheNode) {
  EXPECT_EQ(OneNode("Add").input({2, 3}).input({2, 4}).mistake(),
            "m.onnx: node 'n' (Add): operands of 2x3 and 2x4 do not match");
  EXPECT_THAT(OneNode("MatMul").input({2, 3}).input({4, 2}).mistake(),
              HasSubstr("a product over 3 columns and 4 rows"));
  EXPECT_THAT(OneNode("Conv").input({1, 8, 2, 2}).input({4, 8, 3, 3}).mistake(),
              HasSubstr("a window of 3 on 2 padded pixels"));
  EXPECT_THAT(OneNode("Conv").input({1, 6, 9, 9}).input({4, 8, 3, 3}).mistake(),
              HasSubstr("filters of 8 channels on an image of 6"));
  EXPECT_THAT(OneNode("Reshape").input({2, 3}).numbers({4, -1}).mistake(),
              HasSubstr("2x3 seen in parts of 4"));
  EXPECT_THAT(OneNode("Transpose").input({2, 3}).with("perm", Numbers{0, 0}).mistake(),
              HasSubstr("no order of the dimensions of 2x3"));
  EXPECT_THAT(OneNode("Concat").input({2, 3}).input({2, 4}).with("axis", 5).mistake(),
              HasSubstr("axis 5 of a tensor with 2 dimensions"));
  EXPECT_THAT(OneNode("Gather").numbers({1, 2, 3, 4}).numbers({5}).mistake(),
              HasSubstr("index 5 of 4 numbers"));
}

TEST(OnnxNodes, WithoutANameAreCalledAsTheirResult) {
  onnx::NodeProto node;
  EXPECT_EQ(title_of(node), "");
  node.add_output("y");
  EXPECT_EQ(title_of(node), "y");
  node.set_name("n");
  EXPECT_EQ(title_of(node), "n");
}

TEST(OnnxShapes, OfOldOpsetsAreInAttributes) {
  EXPECT_EQ(OneNode("Reshape").input({4, 8}).with("shape", Numbers{2, -1}).result(),
            (Dimensions{2, 16}));
  EXPECT_EQ(OneNode("Upsample").input({1, 3, 8, 9}).with_floats("scales", {1, 1, 2, 3}).result(),
            (Dimensions{1, 3, 16, 27}));
  EXPECT_EQ(OneNode("Add")
                .input({2, 3, 4, 5})
                .input({3, 4})
                .with("broadcast", 1)
                .with("axis", 1)
                .result(),
            (Dimensions{2, 3, 4, 5}));
}

TEST(OnnxShapes, OfResizesThatKeepProportionsAreOpen) {
  OneNode node("Resize");
  node.input({1, 3, 8, 9}).numbers({}).numbers({}).numbers({1, 3, 16, 16});
  EXPECT_EQ(node.result(), (Dimensions{1, 3, 16, 16}));
  node.with_text("keep_aspect_ratio_policy", "not_larger");
  EXPECT_EQ(node.result(), (Dimensions{-99}));  // unknown
}

}  // namespace
}  // namespace tcsim::networks
