#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "sim/networks/network_file.hpp"
#include "sim/networks/network_text.hpp"
#include "tests/networks/onnx_model.hpp"
#include "workloads/networks/counts.hpp"

namespace tcsim::networks {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<LayerKind> kinds(const Network& network) {
  std::vector<LayerKind> all;
  for (const Layer& layer : network.layers)
    if (layer.kind != LayerKind::kReshape) all.push_back(layer.kind);
  return all;
}

/// A product that goes on in `If`, which multiplies it by weights in both branches.
test::OnnxModel conditional() {
  test::OnnxModel m;
  const std::string y = m.node("MatMul", {m.input("x", {-1, 12, 64}), m.weight({64, 64})});
  const std::string inner = m.weight({64, 64});
  m.node("If", {m.node("Equal", {m.numbers({1}), m.numbers({2})})});
  for (const char* name : {"then_branch", "else_branch"}) {
    onnx::AttributeProto& branch = *m.last().add_attribute();
    branch.set_name(name);
    branch.set_type(onnx::AttributeProto::GRAPH);
    onnx::NodeProto& product = *branch.mutable_g()->add_node();
    product.set_op_type("MatMul");
    product.add_input(y);
    product.add_input(inner);
    product.add_output("z");
    branch.mutable_g()->add_output()->set_name("z");
  }
  return m;
}

TEST(OnnxSubgraphs, AreSkippedWithUnknownWork) {
  test::OnnxModel m = conditional();
  m.node("MatMul", {m.last().output(0), m.weight({64, 5})});
  const Network network = m.network();
  std::vector<std::string> skipped;
  for (const Skipped& one : network.skipped) {
    skipped.push_back(one.operation);
    EXPECT_EQ(one.macs, std::nullopt);
  }
  EXPECT_THAT(skipped, ElementsAre("If", "MatMul"));
  EXPECT_EQ(mac_share(network), std::nullopt);
}

TEST(OnnxSubgraphs, AreFollowedByLayersWhereSizesAreDeclared) {
  test::OnnxModel m = conditional();
  m.declare(m.last().output(0), {1, 12, 64});
  m.node("MatMul", {m.last().output(0), m.weight({64, 5})});
  const Network network = m.network();
  EXPECT_EQ(kinds(network), (std::vector{LayerKind::kLinear, LayerKind::kLinear}));
}

/// Q K^T, softmax and the product with V, of inputs of these sizes.
test::OnnxModel attention(const test::Numbers& q, const test::Numbers& k, const test::Numbers& v,
                          std::int64_t axis = -1) {
  test::OnnxModel m;
  const std::string scores = m.node("MatMul", {m.input("q", q), m.input("k", k)});
  const std::string weights = m.node("Softmax", {scores}, "axis", axis);
  m.node("MatMul", {weights, m.input("v", v)});
  return m;
}

TEST(OnnxAttention, HasTheHeadsOfItsScoresAndOfItsKeys) {
  const auto heads = [](const test::Numbers& q, const test::Numbers& k, const test::Numbers& v) {
    const Network network = attention(q, k, v).network();
    const Layer& layer = network.layers.back();
    EXPECT_EQ(layer.kind, LayerKind::kAttention);
    EXPECT_EQ(macs(network), 2 * 4 * 12 * 12 * 16);
    return std::pair{layer.heads, layer.kv_heads};
  };
  using Heads = std::pair<std::int64_t, std::int64_t>;
  EXPECT_EQ(heads({1, 4, 12, 16}, {1, 4, 16, 12}, {1, 4, 12, 16}), Heads(4, 4));
  EXPECT_EQ(heads({1, 1, 12, 16}, {1, 4, 16, 12}, {1, 4, 12, 16}), Heads(4, 4));
  EXPECT_EQ(heads({1, 4, 12, 16}, {1, 1, 16, 12}, {1, 1, 12, 16}), Heads(4, 1));
  EXPECT_EQ(heads({3, 4, 12, 16}, {3, 1, 16, 12}, {3, 1, 12, 16}), Heads(4, 1));
}

TEST(OnnxAttention, StaysProductsWhereItsLayerDoesNotFit) {
  using enum LayerKind;
  const Network wide = attention({1, 4, 12, 16}, {1, 4, 16, 12}, {1, 4, 12, 32}).network();
  EXPECT_EQ(kinds(wide), (std::vector{kMatmul, kSoftmax, kMatmul}));
  EXPECT_EQ(macs(wide), 4 * 12 * 12 * (16 + 32));
  const Network columns = attention({1, 4, 12, 16}, {1, 4, 16, 12}, {1, 4, 12, 16}, 2).network();
  EXPECT_EQ(kinds(columns), (std::vector{kMatmul, kMatmul}));
  EXPECT_EQ(columns.skipped.size(), 1U);
}

TEST(OnnxAttention, ReadsKeysThatExpandCopiesOnce) {
  test::OnnxModel m;
  const std::string x = m.input("x", {1, 12, 64});
  const auto heads = [&](std::int64_t count, const test::Numbers& order) {
    const std::string y = m.node("MatMul", {x, m.weight({64, 16 * count})});
    const std::string split = m.node("Reshape", {y, m.numbers({1, 12, count, 16})});
    return m.node("Transpose", {split}, "perm", order);
  };
  const auto copied = [&](const std::string& y) {
    const std::string apart = m.node("Unsqueeze", {y, m.numbers({2})});
    const std::string more = m.node("Expand", {apart, m.numbers({1, 2, 2, 12, 16})});
    return m.node("Reshape", {more, m.numbers({1, 4, 12, 16})});
  };
  const std::string q = heads(4, {0, 2, 1, 3});
  const std::string k =
      m.node("Transpose", {copied(heads(2, {0, 2, 1, 3}))}, "perm", test::Numbers{0, 1, 3, 2});
  const std::string v = copied(heads(2, {0, 2, 1, 3}));
  m.node("MatMul", {m.node("Softmax", {m.node("MatMul", {q, k})}), v});
  const Network network = m.network();
  EXPECT_EQ(network.layers.back().kv_heads, 2);
  EXPECT_EQ(std::ranges::count(network.layers, true, &Layer::resizes), 0);
}

TEST(OnnxWeights, ThatAreReadAgainCountOnce) {
  test::OnnxModel m;
  std::string y = m.input("x", {-1, 12, 64});
  const std::string w = m.weight({64, 64});
  for (int i = 0; i < 4; ++i) y = m.node("Relu", {m.node("MatMul", {y, w})});
  EXPECT_EQ(parameters(m.network()), 64 * 64);
  EXPECT_EQ(macs(m.network()), 4 * 12 * 64 * 64);

  for (const bool is_first : {true, false}) {
    test::OnnxModel table;
    const std::string tokens = table.input("ids", {-1, 12}, onnx::TensorProto::INT64);
    const std::string words = table.weight({97, 64});
    const std::string rows =
        table.node("Gather", {is_first ? words : table.weight({5, 64}), tokens});
    const std::string first = table.node("Reshape", {rows, table.numbers({-1, 64})});
    y = table.node("Gemm", {first, words}, "transB", std::int64_t{1});
    if (!is_first) table.node("Gather", {words, tokens});
    EXPECT_EQ(parameters(table.network()), 97 * 64 + (is_first ? 0 : 5 * 64)) << is_first;
  }
}

TEST(OnnxWeights, MayStandBehindNodesThatChangeTheirForm) {
  const auto check = [](auto&& make_weights) {
    test::OnnxModel m;
    m.node("MatMul", {m.input("x", {-1, 12, 64}), make_weights(m)});
    const Network network = m.network();
    EXPECT_TRUE(network.skipped.empty());
    EXPECT_EQ(macs(network), 12 * 64 * 32);
    EXPECT_EQ(parameters(network), 64 * 32);
  };
  const auto transposed = [](test::OnnxModel& m, const std::string& w) {
    return m.node("Transpose", {w}, "perm", test::Numbers{1, 0});
  };
  const auto unpacked = [](test::OnnxModel& m, const std::string& w) {
    return m.node("DequantizeLinear", {w, m.weight({})});
  };
  check([&](test::OnnxModel& m) { return transposed(m, m.weight({32, 64})); });
  check([](test::OnnxModel& m) {
    return m.node("Cast", {m.weight({64, 32})}, "to", std::int64_t{1});
  });
  check([](test::OnnxModel& m) { return m.node("Identity", {m.weight({64, 32})}); });
  check([](test::OnnxModel& m) {
    return m.node("Reshape", {m.weight({2048}), m.numbers({64, 32})});
  });
  check([&](test::OnnxModel& m) { return unpacked(m, m.weight({64, 32})); });
  check([&](test::OnnxModel& m) { return transposed(m, unpacked(m, m.weight({32, 64}))); });
}

TEST(OnnxWeights, ThatAreLeftOutAreNoBias) {
  test::OnnxModel image;
  image.node("Conv", {image.input("x", {-1, 8, 4, 4}), image.weight({4, 8, 1, 1}), ""});
  EXPECT_EQ(parameters(image.network()), 4 * 8);
  test::OnnxModel back;
  back.node("ConvTranspose", {back.input("x", {-1, 8, 4, 4}), back.weight({8, 4, 1, 1}), ""});
  EXPECT_EQ(parameters(back.network()), 4 * 8);
  test::OnnxModel rows;
  rows.node("Gemm", {rows.input("x", {-1, 64}), rows.weight({64, 32}), ""});
  EXPECT_EQ(parameters(rows.network()), 64 * 32);
}

/// A product, `normalise` of it, and a product.
template <typename Normalise>
Network normalised(Normalise normalise) {
  test::OnnxModel m;
  const std::string x = m.node("MatMul", {m.input("x", {-1, 12, 64}), m.weight({64, 64})});
  const std::string y = m.node("Mul", {normalise(m, x), m.weight({64})});
  m.node("MatMul", {y, m.weight({64, 64})});
  return m.network();
}

std::string root_of_mean(test::OnnxModel& m, const std::string& x) {
  const std::string squares = m.node("Pow", {x, m.weight({})});
  const std::string mean = m.node("ReduceMean", {squares}, "axes", test::Numbers{-1});
  return m.node("Sqrt", {m.node("Add", {mean, m.weight({})})});
}

TEST(OnnxNorms, AreThoseOfTheRootWhereNoMeanIsSubtracted) {
  const auto by_inverse = [](test::OnnxModel& m, const std::string& x) {
    return m.node("Mul", {x, m.node("Div", {m.weight({}), root_of_mean(m, x)})});
  };
  const auto by_reciprocal = [](test::OnnxModel& m, const std::string& x) {
    return m.node("Mul", {m.node("Reciprocal", {root_of_mean(m, x)}), x});
  };
  const auto by_root = [](test::OnnxModel& m, const std::string& x) {
    return m.node("Div", {x, root_of_mean(m, x)});
  };
  const auto centred = [](test::OnnxModel& m, const std::string& x) {
    const std::string mean = m.node("ReduceMean", {x}, "axes", test::Numbers{-1});
    const std::string y = m.node("Sub", {x, mean});
    return m.node("Div", {y, root_of_mean(m, y)});
  };
  using enum LayerKind;
  const std::vector expected{kLinear, kRmsNorm, kLinear};
  for (const Network& network :
       {normalised(by_inverse), normalised(by_reciprocal), normalised(by_root)}) {
    EXPECT_EQ(kinds(network), expected);
    EXPECT_EQ(parameters(network), 2 * 64 * 64 + 64);
    EXPECT_TRUE(network.skipped.empty());
  }
  EXPECT_EQ(kinds(normalised(centred)), (std::vector{kLinear, kLayerNorm, kLinear}));
}

TEST(OnnxNorms, DoNotSwallowMeansOfOtherUse) {
  const auto import = [](const test::Numbers& axes, std::int64_t keeps) {
    test::OnnxModel m;
    const std::string x = m.node("Relu", {m.input("x", {-1, 12, 64})});
    m.node("ReduceMean", {x}, "axes", axes);
    test::set_attribute(m.last(), "keepdims", keeps);
    m.node("Relu", {m.last().output(0)});
    return m.network();
  };
  for (const std::int64_t keeps : {0, 1})
    EXPECT_EQ(kinds(import({1}, keeps)),
              (std::vector{LayerKind::kRelu, LayerKind::kGlobalAveragePool, LayerKind::kRelu}));
  const Network all = import({}, 1);
  ASSERT_EQ(all.skipped.size(), 1U);
  EXPECT_EQ(all.skipped[0].macs, 0);
  EXPECT_EQ(all.layers.back().shape, (Shape{1, 1, 1}));
}

TEST(OnnxActivations, AreGeluByTanhToo) {
  test::OnnxModel m;
  const std::string x = m.node("MatMul", {m.input("x", {-1, 12, 64}), m.weight({64, 64})});
  const std::string cube = m.node("Mul", {m.node("Pow", {x, m.weight({})}), m.weight({})});
  const std::string inner = m.node("Mul", {m.node("Add", {x, cube}), m.weight({})});
  const std::string sum = m.node("Add", {m.node("Tanh", {inner}), m.weight({})});
  m.node("Mul", {m.node("Mul", {x, m.weight({})}), sum});
  EXPECT_EQ(kinds(m.network()), (std::vector{LayerKind::kLinear, LayerKind::kGelu}));
}

TEST(OnnxActivations, OfOthersAreMultipliedByTheirGelu) {
  test::OnnxModel m;
  const std::string x = m.node("MatMul", {m.input("x", {-1, 12, 64}), m.weight({64, 64})});
  m.node("Mul", {x, m.node("Gelu", {x})});
  EXPECT_EQ(kinds(m.network()),
            (std::vector{LayerKind::kLinear, LayerKind::kGelu, LayerKind::kMultiply}));
}

TEST(OnnxChoices, FollowWhatTheyChooseNotTheirMask) {
  test::OnnxModel m;
  const std::string mask = m.input("mask", {-1, 12, 64});
  const std::string x = m.node("MatMul", {mask, m.weight({64, 64})});
  m.node("Relu", {m.node("Where", {mask, m.weight({}), x})});
  const Network one = m.network();
  EXPECT_EQ(one.layers.back().inputs, std::vector<int>{0});
  const std::string y = m.node("MatMul", {mask, m.weight({64, 64})});
  m.node("Where", {mask, x, y});
  EXPECT_EQ(m.network().layers.back().kind, LayerKind::kMultiply);
}

TEST(OnnxTokens, AreThoseOfOneIndex) {
  const auto import = [](const test::Numbers& indices) {
    test::OnnxModel m;
    const std::string x = m.node("Relu", {m.input("x", {-1, 12, 64})});
    m.node("Gather", {x, m.numbers(indices)});
    test::set_attribute(m.last(), "axis", std::int64_t{1});
    return m.network();
  };
  EXPECT_EQ(import({0}).layers.back().kind, LayerKind::kFirstToken);
  EXPECT_EQ(import({3, 4, 5}).skipped.size(), 1U);
}

TEST(OnnxConstants, AsLargeAsASampleAreAdded) {
  test::OnnxModel words;
  const std::string tokens = words.input("ids", {-1, 12}, onnx::TensorProto::INT64);
  const std::string x = words.node("Gather", {words.weight({97, 64}), tokens});
  words.node("Add", {x, words.weight({1, 12, 64})});
  using enum LayerKind;
  EXPECT_EQ(kinds(words.network()), (std::vector{kEmbedding, kEmbedding, kAdd}));
  EXPECT_EQ(parameters(words.network()), (97 + 12) * 64);

  test::OnnxModel rows;
  const std::string y = rows.node("MatMul", {rows.input("x", {-1, 12, 64}), rows.weight({64, 64})});
  rows.node("Add", {rows.weight({12, 64}), y});
  const Imported imported = rows.import();
  EXPECT_EQ(kinds(imported.network), (std::vector{kLinear, kAdd}));
  EXPECT_EQ(parameters(imported.network), 64 * 64);  // without a bias
  EXPECT_THAT(imported.changed,
              Contains(HasSubstr("adds a constant of 12x64, which is not among the parameters")));
  const Network again = read_network("again", network_yaml(imported.network));
  EXPECT_EQ(network_yaml(again), network_yaml(imported.network));
}

TEST(OnnxConstants, MayBeATableByColumns) {
  test::OnnxModel m;
  const std::string tokens = m.input("ids", {-1, 12}, onnx::TensorProto::INT64);
  m.node("Gather", {m.weight({64, 97}), tokens}, "axis", std::int64_t{1});
  const Layer layer = m.network().layers.back();
  EXPECT_EQ((std::pair{layer.vocabulary, layer.features}),
            (std::pair<std::int64_t, std::int64_t>{97, 64}));
}

TEST(OnnxConstants, OfNodesMayBeListsOrSingleNumbers) {
  test::OnnxModel m;
  const std::string x = m.input("x", {-1, 12, 64});
  const std::string view = m.node("Constant", {}, "value_ints", test::Numbers{0, 12, 4, 16});
  const std::string axis = m.node("Constant", {}, "value_int", std::int64_t{2});
  const std::string whole = m.node("Unsqueeze", {axis, m.numbers({0})});
  const std::string y = m.node("Reshape", {x, view});
  m.node("Relu", {m.node("Unsqueeze", {y, whole})});
  EXPECT_EQ(m.network().layers.back().shape.elements(), 12 * 64);
}

TEST(OnnxInputs, WithoutTheBatchAreNotDividedByIt) {
  test::OnnxModel m;
  const std::string x = m.node("Relu", {m.input("x", {-1, 12, 64})});
  m.node("MatMul", {x, m.node("Relu", {m.input("y", {64, 7})})});
  for (const std::int64_t batch : {1, 7}) {
    const Network network = m.network({.batch = batch});
    EXPECT_EQ(std::ranges::count(network.layers, Shape{64, 1, 7}, &Layer::shape), 2) << batch;
    EXPECT_EQ(macs(network), 12 * 64 * 7) << batch;
  }
}

TEST(OnnxNames, ThatAreParametersInNetworkFilesReceiveAWord) {
  test::OnnxModel m;
  m.node("Relu", {m.input("x", {-1, 12, 64})});
  m.last().set_name("$x");
  const std::string text = network_yaml(m.network());
  EXPECT_THAT(text, HasSubstr("name: \"layer$x\""));
  EXPECT_EQ(network_yaml(read_network("again", text)), text);
}

TEST(OnnxWindows, ThatSpreadArePaddedToTheStride) {
  test::OnnxModel m;
  m.node("ConvTranspose", {m.input("x", {-1, 8, 7, 7}), m.weight({8, 4, 4, 4})}, "strides",
         test::Numbers{2, 2});
  test::set_text_attribute(m.last(), "auto_pad", "SAME_UPPER");
  const Network network = m.network();
  EXPECT_TRUE(network.skipped.empty());
  EXPECT_EQ(network.layers.back().pad_h, 1);
  EXPECT_EQ(network.layers.back().shape, (Shape{14, 14, 4}));
}

TEST(OnnxDomains, OfOthersHaveOtherOperators) {
  test::OnnxModel m;
  const std::string x = m.node("Relu", {m.input("x", {-1, 8, 8, 8})});
  m.node("Conv", {x, m.weight({4, 8, 3, 3})});
  m.last().set_domain("my.lib");
  const Network network = m.network();
  EXPECT_EQ(kinds(network), std::vector{LayerKind::kRelu});
  ASSERT_EQ(network.skipped.size(), 1U);
  EXPECT_EQ(network.skipped[0].operation, "my.lib.Conv");
  EXPECT_EQ(network.skipped[0].macs, std::nullopt);
}

TEST(OnnxSoftmax, OfOldOpsetsIsOverAllAxesFromItsOwnOn) {
  for (const auto& [version, columns] : {std::pair{11, 12 * 64}, {13, 64}}) {
    test::OnnxModel m;
    m.model().mutable_opset_import(0)->set_version(version);
    m.node("Softmax", {m.input("x", {-1, 12, 64})});
    EXPECT_EQ(m.network().layers.back().shape.c, columns) << version;
  }
}

TEST(OnnxAttention, OfConstantValuesStaysASoftmax) {
  test::OnnxModel m;
  const std::string scores =
      m.node("MatMul", {m.input("q", {1, 4, 12, 16}), m.input("k", {1, 4, 16, 12})});
  const std::string v = m.node("Relu", {m.weight({1, 4, 12, 16})});
  m.node("MatMul", {m.node("Softmax", {scores}), v});
  const Network network = m.network();
  EXPECT_EQ(kinds(network), (std::vector{LayerKind::kMatmul, LayerKind::kSoftmax}));
  EXPECT_EQ(network.skipped.size(), 1U);
}

TEST(OnnxSums, WithWhatIsLeftOutStay) {
  test::OnnxModel m;
  const std::string x = m.node("Relu", {m.input("x", {-1, 12, 64})});
  m.node("Add", {x, m.node("CumSum", {x, m.numbers({1})})});
  const Network network = m.network();
  EXPECT_EQ(kinds(network), (std::vector{LayerKind::kRelu, LayerKind::kAdd}));
}

TEST(OnnxProducts, AddActivations) {
  test::OnnxModel m;
  const std::string x = m.input("x", {-1, 64});
  const std::string y = m.node("Gemm", {x, m.weight({64, 32})});
  m.node("Gemm", {x, m.weight({64, 32}), y});
  const Network network = m.network();
  EXPECT_EQ(kinds(network), (std::vector{LayerKind::kLinear, LayerKind::kLinear, LayerKind::kAdd}));
  EXPECT_FALSE(network.layers[1].has_bias);
}

TEST(OnnxProducts, ThatBroadcastSaySo) {
  test::OnnxModel m;
  m.node("MatMul", {m.input("a", {1, 6, 1, 8, 16}), m.input("b", {1, 1, 4, 16, 8})});
  EXPECT_THAT(m.import().changed, Contains(HasSubstr("broadcasts one operand")));
}

TEST(OnnxWindows, OfFiltersThatAreActivationsAreLeftOut) {
  test::OnnxModel m;
  const std::string x = m.node("Relu", {m.input("x", {-1, 8, 8, 8})});
  m.node("Conv", {x, m.input("w", {4, 8, 3, 3})});
  const Network network = m.network();
  EXPECT_EQ(kinds(network), std::vector{LayerKind::kRelu});
  EXPECT_EQ(network.skipped.size(), 1U);
}

TEST(OnnxWindows, AreWithoutPaddingWhereOnlyWholeOnesAreValid) {
  test::OnnxModel m;
  m.node("Conv", {m.input("x", {-1, 8, 8, 8}), m.weight({4, 8, 3, 3})}, "pads",
         test::Numbers{1, 1, 1, 1});
  test::set_text_attribute(m.last(), "auto_pad", "VALID");
  EXPECT_EQ(m.network().layers.back().shape, (Shape{6, 6, 4}));
}

TEST(OnnxResults, WithoutNameAreNothing) {
  test::OnnxModel m;
  const std::string x = m.input("x", {-1, 12, 64});
  m.node("Relu", {x});
  m.last().set_output(0, "");
  m.node("Sigmoid", {m.input("z", {-1, 5, 7})});
  m.last().set_output(0, "");
  m.node("Clip", {m.node("Relu", {x}), "", m.weight({})});
  EXPECT_EQ(m.network().layers.back().shape, (Shape{12, 1, 64}));
}

TEST(OnnxNames, StayOnTheirLine) {
  test::OnnxModel m;
  m.node("MatMul", {m.input("x", {-1, 12, 64}), m.weight({63, 64})});
  m.last().set_name("a\nb");
  EXPECT_THAT(m.mistake(), HasSubstr("node 'a\\u000ab' (MatMul): "));
}

/// 7 / 2 = 3.5 is no whole factor; 6 / 2 is one.
TEST(OnnxNumbers, OfFloatsAreNotRoundedByQuotients) {
  const auto resized = [](float dividend) {
    test::OnnxModel m;
    const std::string above = m.weight({4});
    for (const float value : {1.0F, 1.0F, dividend, dividend})
      m.graph().mutable_initializer()->rbegin()->add_float_data(value);
    const std::string below = m.weight({4});
    for (const float value : {1.0F, 1.0F, 2.0F, 2.0F})
      m.graph().mutable_initializer()->rbegin()->add_float_data(value);
    const std::string x = m.node("Relu", {m.input("x", {-1, 8, 6, 6})});
    m.node("Relu", {m.node("Resize", {x, "", m.node("Div", {above, below})})});
    return m;
  };
  EXPECT_EQ(resized(6).network().layers.back().shape, (Shape{18, 18, 8}));
  EXPECT_THAT(resized(7).mistake(), HasSubstr("no shape is known"));
}

}  // namespace
}  // namespace tcsim::networks
