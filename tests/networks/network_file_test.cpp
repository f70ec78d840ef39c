#include "sim/networks/network_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "sim/networks/network_text.hpp"
#include "tests/support/refusal.hpp"

namespace tcsim::networks {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::StartsWith;

constexpr const char* kHead = "name: n\ninput: {h: 8, w: 8, c: 4}\n";

Network read(const std::string& text) { return read_network("n.yaml", text); }

std::string file_mistakes(const std::string& text) {
  return test::refusal([&] { return read(text); });
}

TEST(NetworkFile, InfersShapesFromLayerToLayer) {
  const Network network = read(std::string(kHead) +
                               "layers:\n"
                               "  - {name: a, op: conv, k: 16, rs: 3, stride: 2, pad: 1}\n"
                               "  - {name: b, op: max_pool, rs: 3, stride: 2, ceil: true}\n"
                               "  - {name: c, op: flatten}\n"
                               "  - {name: d, op: linear, out: 10}\n");
  EXPECT_EQ(network.layers[0].shape, (Shape{4, 4, 16}));
  EXPECT_EQ(network.layers[1].shape, (Shape{2, 2, 16}));
  EXPECT_EQ(network.layers[2].shape, (Shape{1, 1, 64}));
  EXPECT_EQ(network.layers[3].shape, (Shape{1, 1, 10}));
}

TEST(NetworkFile, PoolsStrideByTheirSizeInEachDirection) {
  const Network network =
      read(std::string(kHead) + "layers:\n  - {name: a, op: avg_pool, r: 2, s: 4}\n");
  EXPECT_EQ(network.layers[0].shape, (Shape{4, 2, 4}));
}

TEST(NetworkFile, AWindowHasTwoSides) {
  const std::string head = std::string(kHead) + "layers:\n  - {name: a, op: conv, k: 8";
  EXPECT_THAT(file_mistakes(head + ", r: 3}\n"), EndsWith("layers.s: missing"));
  EXPECT_THAT(file_mistakes(head + ", s: 3}\n"), EndsWith("layers.r: missing"));
  EXPECT_THAT(file_mistakes(head + "}\n"), EndsWith("layers.rs: missing"));
  EXPECT_EQ(read(head + ", rs: 3, s: 1}\n").layers[0].s, 1);
}

TEST(NetworkFile, KeysAndValuesHaveEqualRows) {
  const std::string layers =
      "name: n\ninput: {tokens: 128, c: 64}\n"
      "layers:\n"
      "  - {name: few, op: reshape, h: 64, w: 1, c: 128, from: input}\n"
      "  - {name: k, op: linear, out: 64, from: few}\n"
      "  - {name: a, op: attention, heads: 1";
  EXPECT_THAT(file_mistakes(layers + ", from: [input, k, input]}\n"),
              EndsWith("K has 64 rows, V has 128"));
  EXPECT_THAT(file_mistakes(layers + ", from: [input, k, k], keys: 32}\n"),
              EndsWith("keys=32, but K has 64 rows"));
  EXPECT_EQ(read(layers + ", from: [input, k, k], keys: 96}\n").layers.back().shape,
            (Shape{128, 1, 64}));  // 32 of earlier tokens
}

TEST(NetworkFile, RepeatsBlocksWithParameters) {
  const Network network = read(std::string(kHead) +
                               "blocks:\n"
                               "  b:\n"
                               "    parameters: [width]\n"
                               "    layers:\n"
                               "      - {name: c, op: conv, k: $width, rs: 1}\n"
                               "      - {name: s, op: add, from: [c, input]}\n"
                               "layers:\n"
                               "  - {name: x, block: b, width: 4, repeat: 2}\n"
                               "  - {name: y, op: relu, from: x}\n");
  ASSERT_EQ(network.layers.size(), 5U);
  EXPECT_EQ(network.layers[2].name, "x.1.c");
  EXPECT_EQ(network.layers[3].inputs, (std::vector<int>{2, 1}));
  EXPECT_EQ(network.layers[4].inputs, (std::vector<int>{3}));
}

TEST(NetworkFile, LetsABlockReadALayerThatAParameterNames) {
  const std::string block = std::string(kHead) +
                            "blocks:\n"
                            "  b:\n"
                            "    parameters: [other]\n"
                            "    layers:\n"
                            "      - {name: c, op: linear, out: 4, from: $other}\n"
                            "      - {name: s, op: add, from: [c, input]}\n"
                            "layers:\n"
                            "  - {name: far, op: relu}\n"
                            "  - {name: near, op: relu}\n";
  const Network network = read(block + "  - {name: x, block: b, other: far, repeat: 2}\n");
  ASSERT_EQ(network.layers.size(), 6U);
  EXPECT_EQ(network.layers[2].inputs, (std::vector<int>{0}));
  EXPECT_EQ(network.layers[4].inputs, (std::vector<int>{0}));
  EXPECT_EQ(network.layers[5].inputs, (std::vector<int>{4, 3}));
  EXPECT_THAT(file_mistakes(block + "  - {name: x, block: b, other: farr}\n"),
              ::testing::HasSubstr("no layer 'farr' is defined above"));
}

TEST(NetworkFile, ParametersNameLayersWhereTheBlockStands) {
  const Network network = read(std::string(kHead) +
                               "blocks:\n"
                               "  inner:\n"
                               "    parameters: [skip]\n"
                               "    layers:\n"
                               "      - {name: c, op: relu}\n"
                               "      - {name: s, op: add, from: [c, $skip]}\n"
                               "  outer:\n"
                               "    parameters: [skip]\n"
                               "    layers:\n"
                               "      - {name: c, op: relu}\n"
                               "      - {name: i, block: inner, skip: $skip}\n"
                               "layers:\n"
                               "  - {name: c, op: relu}\n"
                               "  - {name: a, block: outer, skip: input}\n"
                               "  - {name: b, block: outer, skip: c}\n");
  ASSERT_EQ(network.layers.size(), 7U);
  EXPECT_EQ(network.layers[3].inputs, (std::vector<int>{2, kNetworkInput}));
  EXPECT_EQ(network.layers[6].inputs, (std::vector<int>{5, 0}));
}

TEST(NetworkFile, InfersImagesThatGrow) {
  const Network network =
      read(std::string(kHead) +
           "layers:\n"
           "  - {name: a, op: conv, k: 8, rs: 3, dil: 2, pad: 2}\n"
           "  - {name: b, op: group_norm, groups: 4}\n"
           "  - {name: c, op: upsample, rs: 2}\n"
           "  - {name: d, op: conv_transpose, k: 6, rs: 3, stride: 2, pad: 1, more: 1}\n"
           "  - {name: e, op: global_avg_pool}\n"
           "  - {name: f, op: add, from: [d, e]}\n");
  EXPECT_EQ(network.layers[0].shape, (Shape{8, 8, 8}));
  EXPECT_EQ(network.layers[2].shape, (Shape{16, 16, 8}));
  EXPECT_EQ(network.layers[3].shape, (Shape{32, 32, 6}));
  EXPECT_EQ(network.layers[5].shape, (Shape{32, 32, 6}));
  EXPECT_EQ(file_mistakes(std::string(kHead) +
                          "layers:\n  - {name: a, op: conv_transpose, k: 8, rs: 2, more: 1}\n"),
            "n.yaml:4:5: a: more rows or columns after the last window than its stride leaves");
  EXPECT_EQ(file_mistakes(std::string(kHead) +
                          "layers:\n  - {name: a, op: conv_transpose, k: 8, rs: 1, pad: 4}\n"),
            "n.yaml:4:5: a: its padding leaves an empty result");
  EXPECT_EQ(
      file_mistakes(std::string(kHead) + "layers:\n  - {name: a, op: group_norm, groups: 3}\n"),
      "n.yaml:4:5: a: 3 groups do not divide 4 channels");
}

TEST(NetworkFile, ComparesTheSizesOfViewsAndOperands) {
  const std::string layers = std::string(kHead) + "layers:\n";
  EXPECT_EQ(file_mistakes(layers + "  - {name: r, op: reshape, h: 8, w: 8, c: 5}\n"),
            "n.yaml:4:5: r: 8x8x5 does not have the elements of its input of 8x8x4; with resizes: "
            "true it has its own memory");
  EXPECT_EQ(
      file_mistakes(layers + "  - {name: r, op: reshape, h: 16777216, w: 16777216, c: 16777216}\n")
          .find("n.yaml:4:5: r: 16777216x16777216x16777216 does not have the elements"),
      0U);
  EXPECT_EQ(read(layers + "  - {name: r, op: reshape, h: 64, c: 4}\n").layers[0].shape,
            (Shape{64, 1, 4}));
  const Network own = read(layers + "  - {name: r, op: reshape, c: 7, resizes: true}\n");
  EXPECT_EQ(own.layers[0].shape, (Shape{1, 1, 7}));
  EXPECT_NE(network_yaml(own).find("c: 7, resizes: true"), std::string::npos);
  const std::string operands = layers +
                               "  - {name: a, op: linear, out: 6, from: input}\n"
                               "  - {name: p, op: matmul, m: 32, count: 2, from: [input, a], ";
  EXPECT_EQ(read(operands + "k: 4, n: 48}\n").layers[1].shape, (Shape{32, 1, 96}));
  EXPECT_EQ(file_mistakes(operands + "k: 8, n: 48}\n"),
            "n.yaml:5:5: p: its first input has 8x8x4 elements, not 2 x 32 x 8");
  EXPECT_EQ(file_mistakes(operands + "k: 4, n: 24}\n"),
            "n.yaml:5:5: p: its second input has 8x8x6 elements, not 2 x 4 x 24");
}

TEST(NetworkFile, EmbedsNumbersAlone) {
  EXPECT_EQ(file_mistakes("name: n\ninput: {tokens: 16, c: 8}\nlayers:\n"
                          "  - {name: e, op: embedding, vocabulary: 9, out: 4}\n"),
            "n.yaml:4:5: e: takes one number of a row for each token, not the 8 columns of 16x1x8");
}

TEST(NetworkFile, NamesMistakesByPosition) {
  EXPECT_THAT(
      file_mistakes(std::string(kHead) + "layers:\n  - {name: a, op: conx, k: 16, rs: 3}\n"),
      AllOf(StartsWith("n.yaml:4:19: layers.op: 'conx' is not one of conv, linear, "),
            EndsWith("; did you mean \"conv\"?")));
  EXPECT_EQ(file_mistakes(std::string(kHead) + "layers:\n  - {name: a, op: conv, k: 0, rs: -3}\n"),
            "n.yaml:4:28: layers.k: 0 is out of range; allowed are 1 to 16777216\n"
            "n.yaml:4:35: layers.rs: -3 is out of range; allowed are 1 to 65535");
  EXPECT_EQ(file_mistakes(std::string(kHead) + "layers:\n  - {name: a, op: linear, out: N}\n"),
            "n.yaml:4:32: layers.out: expected an integer, got 'N'");
  EXPECT_EQ(file_mistakes(std::string(kHead) + "layers:\n  - {name: a, op: relu, of: 3}\n"),
            "n.yaml:4:25: layers.of: unknown key; did you mean \"op\"?");
  EXPECT_EQ(
      file_mistakes(std::string(kHead) +
                    "layers:\n  - {name: first, op: relu}\n  - {name: b, op: relu, from: fist}\n"),
      "n.yaml:5:31: layers.from: no layer 'fist' is defined above; did you mean \"first\"?");
}

TEST(NetworkFile, NamesAllMistakesAtOnceAndEachOnce) {
  const std::string mistakes = file_mistakes(std::string(kHead) +
                                             "blocks:\n"
                                             "  b:\n"
                                             "    parameters: []\n"
                                             "    layers:\n"
                                             "      - {name: c, op: conv, k: 4, rs: 99}\n"
                                             "layers:\n"
                                             "  - {name: a, op: conx, k: 16, rs: 3}\n"
                                             "  - {name: d, op: linear, outt: 3}\n"
                                             "  - {name: e, op: relu, from: nowhere}\n"
                                             "  - {name: f, op: conv, k: 4, rs: 33, from: input}\n"
                                             "  - {name: x, block: b, repeat: 3, from: input}\n"
                                             "  - {name: y, block: b, from: input}\n"
                                             "  - {name: z, op: add, from: [x, f]}\n");
  EXPECT_EQ(std::ranges::count(mistakes, '\n'), 5) << mistakes;  // and a sixth line
  for (const char* part :
       {"n.yaml:7:9: x.0.c: a window of 99x99", "n.yaml:9:19: layers.op: 'conx'",
        "n.yaml:10:27: layers.outt: unknown key", "no layer 'nowhere' is defined above",
        "n.yaml:12:5: f: a window of 33x33"})
    EXPECT_THAT(mistakes, ::testing::HasSubstr(part));
}

TEST(NetworkFile, AMistakeHidesNoOther) {
  EXPECT_EQ(file_mistakes("name: n\ninput: {h: 0, w: 8, c: 4}\n"
                          "layers:\n"
                          "  - {name: a, op: conv, k: 0, rs: 3}\n"
                          "  - {name: a, op: relu, bogus: 3}\n"
                          "  - {nam: b, op: relu}\n"
                          "  - {nam: c, op: relu}\n"
                          "  - 3\n"
                          "  - {name: a, op: relu, op: relu, from: nowhere}\n"
                          "extra: 3\n"),
            "n.yaml:2:12: input.h: 0 is out of range; allowed are 1 to 16777216\n"
            "n.yaml:4:28: layers.k: 0 is out of range; allowed are 1 to 16777216\n"
            "n.yaml:5:12: layers.name: 'a' is given twice\n"
            "n.yaml:5:25: layers.bogus: unknown key\n"
            "n.yaml:6:5: layers.name: missing\n"
            "n.yaml:6:6: layers.nam: unknown key; did you mean \"name\"?\n"
            "n.yaml:7:5: layers.name: missing\n"
            "n.yaml:7:6: layers.nam: unknown key; did you mean \"name\"?\n"
            "n.yaml:8:5: layers: expected a mapping, got '3'\n"
            "n.yaml:9:12: layers.name: 'a' is given twice\n"
            "n.yaml:9:25: layers.op: given twice, first at line 9\n"
            "n.yaml:9:41: layers.from: no layer 'nowhere' is defined above\n"
            "n.yaml:10:1: extra: unknown key");
}

TEST(NetworkFile, AMistakeInTheUseOfABlockHidesNoneInIt) {
  EXPECT_EQ(file_mistakes("name: n\n"
                          "blocks:\n"
                          "  b: {layers: [{name: c, op: linear, outt: 4}]}\n"
                          "  p: {parametres: [k], layers: [{name: c, op: linear, out: $k}]}\n"
                          "layers:\n"
                          "  - {name: x, block: b, repaet: 2}\n"
                          "  - {name: y, block: p, k: 3}\n"),
            "n.yaml:1:1: input: missing\n"
            "n.yaml:3:16: layers.out: missing\n"
            "n.yaml:3:38: layers.outt: unknown key; did you mean \"out\"?\n"
            "n.yaml:4:7: blocks.p.parametres: unknown key; did you mean \"parameters\"?\n"
            "n.yaml:6:25: layers.repaet: unknown key; did you mean \"repeat\"?");
}

TEST(NetworkFile, RepeatsNothingBehindAMistake) {
  EXPECT_EQ(
      file_mistakes(std::string(kHead) + "blocks:\n"
                                         "  a: {layers: [{name: x, op: relu}]}\n"
                                         "  b: {layers: [{name: x, block: a, repeat: 60000}]}\n"
                                         "  c: {layers: [{name: x, block: b, repeat: 60000}]}\n"
                                         "layers:\n"
                                         "  - {name: z, op: relu, k: 3}\n"
                                         "  - {name: y, block: c}\n"),
      "n.yaml:8:25: layers.k: unknown key");
}

TEST(NetworkFile, RefusesBlocksOfNothing) {
  EXPECT_EQ(
      file_mistakes(std::string(kHead) + "blocks:\n  b:\n    layers: []\n"
                                         "layers:\n  - {name: x, block: b, repeat: 100000}\n"),
      "n.yaml:5:13: layers: the list is empty\n"
      "n.yaml:7:33: layers.repeat: 100000 is out of range; allowed are 1 to 65535");
}

TEST(NetworkFile, NamesParametersThatABlockHasNot) {
  EXPECT_EQ(
      file_mistakes(std::string(kHead) + "blocks:\n  b:\n    parameters: [width]\n    layers:\n"
                                         "      - {name: c, op: conv, k: $with, rs: 1}\n"
                                         "layers:\n  - {name: x, block: b, width: 4}\n"),
      "n.yaml:7:32: k: '$with' is not a parameter of this block");
}

TEST(NetworkFile, NamesShapesThatDoNotFit) {
  EXPECT_EQ(file_mistakes(std::string(kHead) + "layers:\n  - {name: a, op: conv, k: 16, rs: 9}\n"),
            "n.yaml:4:5: a: a window of 9x9 is larger than its padded input of 8x8x4");
  EXPECT_EQ(file_mistakes(std::string(kHead) +
                          "layers:\n  - {name: a, op: conv, k: 9, rs: 1, groups: 2}\n"),
            "n.yaml:4:5: a: 2 groups do not divide 4 channels and 9 filters");
  EXPECT_EQ(file_mistakes(std::string(kHead) + "layers:\n  - {name: a, op: linear, out: 3}\n"
                                               "  - {name: b, op: add, from: [a, input]}\n"),
            "n.yaml:5:5: b: its inputs differ: 8x8x3 and 8x8x4");
}

TEST(NetworkFile, RefusesMoreWeightsThanCountsHold) {
  EXPECT_EQ(file_mistakes("name: n\ninput: {tokens: 1, c: 16777216}\nlayers:\n"
                          "  - {name: a, op: experts, out: 16777216, experts: 65535, active: 1}\n"),
            "n.yaml:4:5: a: its weights have more than 2^50 elements");
  EXPECT_EQ(file_mistakes("name: n\ninput: {h: 1, w: 1, c: 16777216}\nlayers:\n"
                          "  - {name: a, op: conv_transpose, k: 128, rs: 65535, pad: 32767}\n"),
            "n.yaml:4:5: a: its filters have more than 2147483648 elements");
}

TEST(NetworkFile, NamesTheNetworksThatThereAre) {
  EXPECT_NE(
      test::refusal([&] { return load_network("resnet5O"); }).find("did you mean \"resnet50\"?"),
      std::string::npos);
}

}  // namespace
}  // namespace tcsim::networks
