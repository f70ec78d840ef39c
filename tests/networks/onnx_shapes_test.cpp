#include "sim/networks/onnx_shapes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/networks/onnx_attributes.hpp"
#include "workloads/trace/input_error.hpp"

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
    auto* shape = info.mutable_type()->mutable_tensor_type()->mutable_shape();
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
    for (const std::int64_t value : values) attribute.add_ints(value);
    return *this;
  }
  OneNode& with(const char* name, std::int64_t value) {
    onnx::AttributeProto& attribute = *node_.add_attribute();
    attribute.set_name(name);
    attribute.set_i(value);
    return *this;
  }
  OneNode& with_text(const char* name, const char* value) {
    onnx::AttributeProto& attribute = *node_.add_attribute();
    attribute.set_name(name);
    attribute.set_s(value);
    return *this;
  }

  Dimensions result() {
    *graph_.add_node() = node_;
    const OnnxShapes shapes(graph_, "m.onnx", {});
    const Dimensions* const found = shapes.dimensions("result");
    return found == nullptr ? Dimensions{-99} : *found;
  }
  std::string mistake() {
    try {
      (void)result();
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
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
  EXPECT_EQ(OneNode("ConvTranspose")
                .input({1, 8, 16, 16})
                .input({8, 4, 2, 2})
                .with("strides", Numbers{2, 2})
                .result(),
            (Dimensions{1, 4, 32, 32}));
  EXPECT_EQ(OneNode("GlobalAveragePool").input({3, 4, 7, 7}).result(), (Dimensions{3, 4, 1, 1}));
}

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
}

TEST(OnnxNodes, WithoutANameAreCalledAsTheirResult) {
  onnx::NodeProto node;
  EXPECT_EQ(title_of(node), "");
  node.add_output("y");
  EXPECT_EQ(title_of(node), "y");
  node.set_name("n");
  EXPECT_EQ(title_of(node), "n");
}

}  // namespace
}  // namespace tcsim::networks
