#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "sim/networks/csv_import.hpp"
#include "sim/networks/network_file.hpp"
#include "sim/networks/network_text.hpp"
#include "sim/networks/onnx_import.hpp"
#include "sim/networks/scalesim_import.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_of.hpp"
#include "workloads/networks/counts.hpp"

namespace tcsim::networks {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

template <typename Import>
std::string mistakes(Import import) {
  return test::refusal([&] { return import(); });
}

std::string scalesim_mistakes(const std::string& text) {
  return mistakes([&] { return import_scalesim(text, "t.csv", std::nullopt); });
}

constexpr const char* kTopology =
    "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, "
    "Strides,\n";

TEST(Scalesim, ReadsATopologyWithItsRepairs) {
  const std::string text =
      std::string("\xef\xbb\xbf") + kTopology +
      "Conv1, 224, 224, 7, 7, 3, 64, 2,\r\n,,,,,,,,\nConv1,112,112,1,1,64,32,1\n";
  Imported imported = import_scalesim(text, "t.csv", std::nullopt);
  ASSERT_EQ(imported.network.layers.size(), 4U);
  EXPECT_EQ(imported.network.layers[1].shape, (Shape{110, 110, 64}));
  EXPECT_EQ(imported.network.layers[3].name, "Conv1#2");
  EXPECT_TRUE(imported.network.layers[2].resizes);
  imported.network.name = "topology";
  EXPECT_NO_THROW(read_network("again", network_yaml(imported.network)));
  EXPECT_THAT(imported.changed, Contains("left out a byte-order mark (1 time)"));
  EXPECT_THAT(imported.changed, Contains("left out lines of commas only (1 time)"));
  EXPECT_THAT(imported.changed, Contains("left out commas at line ends (2 times)"));
  EXPECT_THAT(imported.changed, Contains("'Conv1' occurs again and received a number"));
}

TEST(Scalesim, NumbersNamesThatOccurAgain) {
  const Network network =
      import_scalesim("Layer,M,N,K\na,4,4,4\na,4,4,4\na#2,4,4,4\na,4,4,4\n", "t.csv", std::nullopt)
          .network;
  std::vector<std::string> names;
  for (const Layer& layer : network.layers)
    if (layer.kind == LayerKind::kLinear) names.push_back(layer.name);
  EXPECT_EQ(names, (std::vector<std::string>{"a", "a#2", "a#2#2", "a#3"}));
}

TEST(Scalesim, LeavesOutFieldsBeyondTheHeaderAndMissesNoNotes) {
  const auto changed = [](const std::string& rows) {
    return import_scalesim("Layer,M,N,K,Sparsity\n" + rows, "t.csv", std::nullopt).changed;
  };
  const auto left_out = HasSubstr("beyond the header");
  EXPECT_THAT(changed("a,4,5,6\nb,4,5,6,1:2\n"), Not(Contains(left_out)));
  EXPECT_THAT(changed("a,4,5,6,1:2,note\n"), Contains(left_out));
}

TEST(Scalesim, AsksHowDepthwiseIsMeant) {
  const std::string text = std::string(kTopology) + "pw,16,16,1,1,8,24,1\ndw,18,18,3,3,24,1,1\n";
  EXPECT_THAT(scalesim_mistakes(text), HasSubstr("t.csv:3:17: filters: one filter: depthwise is "));
  const Imported by_filter = import_scalesim(text, "t.csv", DepthwiseForm::kOneFilter);
  EXPECT_EQ(macs(by_filter.network, by_filter.network.layers[3]), 16 * 16 * 24 * 9);
  const Imported literal = import_scalesim(text, "t.csv", DepthwiseForm::kNone);
  EXPECT_EQ(literal.network.layers[3].shape.c, 1);
}

TEST(Scalesim, NamesMistakesByPosition) {
  EXPECT_EQ(scalesim_mistakes(""), "t.csv:1:1: header: the file is empty");
  EXPECT_EQ(scalesim_mistakes("Layer,M,N,K\na,1,0,x\n"),
            "t.csv:2:5: N: '0' is not between 1 and 16777216\n"
            "t.csv:2:7: K: 'x' is not a whole number");
  EXPECT_EQ(scalesim_mistakes("Layer,M,N,K\na,1,2\n"),
            "t.csv:2:1: row: 3 fields where 4 are needed; fill in what is missing");
  EXPECT_EQ(scalesim_mistakes(std::string(kTopology) + "a,4,4,5,5,8,8,1\n"),
            "t.csv:2:1: row: a window of 5x5 is larger than its padded input of 4x4x8");
}

TEST(CsvImport, KeepsWhatIsALayerAndListsTheRest) {
  const Imported imported = import_csv(
      "op,dtype_in,dtype_acc,params\ngemm,fp16,fp32,m=8;n=4;k=16\n"
      "conv_fwd,fp16,fp32,n=2;hw=8;c=4;k=4;rs=3\nconv_wgrad,fp16,fp32,n=2;hw=8;c=4;k=4;rs=3\n",
      "l.csv");
  EXPECT_EQ(macs(imported.network), 8 * 4 * 16 + 6 * 6 * 4 * 4 * 9);
  ASSERT_EQ(imported.network.skipped.size(), 1U);
  EXPECT_EQ(imported.network.skipped[0].macs, 6 * 6 * 4 * 4 * 9);  // per sample, as those kept
}

TEST(CsvImport, KeepsProductsOfElements) {
  const Network network =
      import_csv("op,dtype_in,dtype_acc,params\nmul,fp16,fp32,rows=8;cols=64\n", "l.csv").network;
  EXPECT_EQ(network.layers.back().kind, LayerKind::kMultiply);
  EXPECT_EQ(network.layers.back().inputs.size(), 2U);
}

TEST(CsvImport, CountsRowsThatNothingSimulatesAmongTheSkipped) {
  const Imported imported = import_csv(
      "op,dtype_in,dtype_acc,params\ngemm,fp16,fp32,m=8;n=4;k=16\ngemm,fp8,fp32,m=8;n=4;k=32\n"
      "conv_fwd,e4m3,fp32,n=2;hw=8;c=4;k=4;rs=3\n"
      "attention_fwd_bwd,bf16,fp32,b=3;heads=2;n=16;d=8\n"
      "attention_fwd_bwd,bf16,fp32,b=3;heads=2\n",
      "l.csv");
  ASSERT_EQ(imported.network.skipped.size(), 4U);
  EXPECT_EQ(imported.network.skipped[0].macs, 8 * 4 * 32);
  EXPECT_EQ(imported.network.skipped[1].macs, 6 * 6 * 4 * 4 * 9);
  EXPECT_EQ(imported.network.skipped[2].macs, 3.5 * 2 * 2 * 16 * 16 * 8);
  EXPECT_EQ(imported.network.skipped[3].macs, std::nullopt);
  EXPECT_EQ(mac_share(imported.network), std::nullopt);
}

TEST(CsvImport, KeepsOrNamesEveryPartOfARow) {
  const auto import = [](const std::string& row) {
    return import_csv("op,dtype_in,dtype_acc,params\ngemm,fp16,fp32,m=8;n=4;k=16\n" + row + "\n",
                      "l.csv");
  };
  const auto last = [&](const std::string& row) { return import(row).network.layers.back(); };
  const Layer dilated = last("conv_fwd,fp16,fp32,n=1;hw=32;c=64;k=64;rs=3;dil=2");
  EXPECT_EQ(dilated.shape, (Shape{28, 28, 64}));
  EXPECT_EQ((std::pair{dilated.dil_h, dilated.dil_w}),
            (std::pair<std::int64_t, std::int64_t>{2, 2}));
  EXPECT_TRUE(last("gemm,fp16,fp32,m=8;n=4;k=16;bias=1").has_bias);
  EXPECT_THAT(import("gemm,fp16,fp32,m=8;n=4;k=16;scale=1;act=gelu").changed,
              Contains("row2: scale left out"));
  EXPECT_THAT(import("conv_fwd,fp16,fp32,n=2;hw=8;c=8;k=8;rs=3;post=bias+residual+relu").changed,
              Contains("row2: n=2 left to --batch; residual left out"));
  const Network relu = import("conv_fwd,fp16,fp32,n=1;hw=8;c=8;k=8;rs=3;post=relu").network;
  EXPECT_EQ(relu.layers.back().kind, LayerKind::kRelu);
  EXPECT_EQ(relu.layers.back().name, "row2.relu");
  EXPECT_EQ(relu.layers.back().shape, (Shape{6, 6, 8}));
  EXPECT_THAT(import("conv_fwd,fp16,fp32,n=1;hw=8;c=8;k=8;rs=3;layout=nchw;algo=direct").changed,
              Contains("row2: layout, algo left out"));
  for (const char* row :
       {"attention_bwd,fp16,fp32,b=1;heads=8;n=512;d=64", "gemm,fp16,fp32,m=128;n=64;k=64;groups=2",
        "gemm,fp16,fp32,m=64;n=64;k=64;sparse=1", "gemm,fp16,fp32,m=64;n=64;k=64;weights=int4"}) {
    const Network network = import(row).network;
    EXPECT_EQ(network.layers.size(), 2U) << row;
    EXPECT_EQ(network.skipped.size(), 1U) << row;
  }
  EXPECT_THAT(import("gemm,fp16,fp32,m=64;n=64;k=64;sparse=1").changed,
              Contains("gemm 'row2' is skipped: linear layers have no sparse weights"));
}

TEST(CsvImport, NamesTheColumnsThatItDrops) {
  EXPECT_THAT(import_csv("name,op,params,count\na,gemm,m=8;n=4;k=16,3\n", "l.csv").dropped,
              ElementsAre("notes: count, name (every row is one layer)"));
  EXPECT_THAT(import_csv("op,params\ngemm,m=8;n=4;k=16\n", "l.csv").dropped, ElementsAre());
}

TEST(CsvImport, KeepsPools) {
  const Imported imported = import_csv(
      "op,params\nmax_pool,n=4;hw=9;c=16;rs=2;ceil=1\n"
      "avg_pool,n=1;h=8;w=6;c=16;r=3;s=2;stride=2;pad=1;count_pad=0\nupsample,n=1;hw=4;c=16;rs=2\n",
      "l.csv");
  EXPECT_TRUE(imported.network.skipped.empty());
  EXPECT_THAT(imported.changed, Contains("row1: n=4 left to --batch"));
  const auto layer = [&](const std::string& name) {
    return *std::ranges::find(imported.network.layers, name, &Layer::name);
  };
  EXPECT_EQ(layer("row1").kind, LayerKind::kMaxPool);
  EXPECT_EQ(layer("row1").shape, (Shape{5, 5, 16}));
  EXPECT_EQ(layer("row2").kind, LayerKind::kAveragePool);
  EXPECT_EQ(layer("row2").shape, (Shape{4, 4, 16}));
  EXPECT_FALSE(layer("row2").counts_padding);
  EXPECT_EQ(layer("row3").kind, LayerKind::kUpsample);
  EXPECT_EQ(layer("row3").shape, (Shape{8, 8, 16}));
}

TEST(Skipped, HasAShareWhereAllMultiplyAddsAreKnown) {
  Network network = read_network("n",
                                 "name: n\ninput: {tokens: 4, c: 8}\nskipped:\n"
                                 "  - {name: a, op: LSTM, macs: 384}\n"
                                 "  - {name: b, op: Slice, macs: 0}\n"
                                 "layers:\n  - {name: l, op: linear, out: 4}\n");
  EXPECT_EQ(mac_share(network), 0.25);
  EXPECT_EQ(mac_share(network, network.skipped[0]), 0.75);
  EXPECT_EQ(mac_share(network, network.skipped[1]), 0);
  network.skipped[0].macs.reset();
  network = read_network("n", network_yaml(network));
  EXPECT_EQ(mac_share(network), std::nullopt);
  EXPECT_EQ(mac_share(network, network.skipped[0]), std::nullopt);
  EXPECT_EQ(mac_share(network, network.skipped[1]), 0);
}

TEST(NetworkText, IsReadBackAsTheSameNetwork) {
  for (const std::string& name : network_names()) {
    const Network network = load_network(name);
    const Network again = read_network(name, network_yaml(network));
    EXPECT_EQ(network_yaml(again), network_yaml(network)) << name;
    EXPECT_EQ(parameters(again), parameters(network)) << name;
    EXPECT_EQ(macs(again), macs(network)) << name;
  }
}

/// Models that make_onnx_models.py writes with Debian's python3-onnx.
class Onnx : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string command = "/usr/bin/python3 " TC_SOURCE_DIR
                                "/tests/networks/make_onnx_models.py " +
                                folder_.path().string() + " 2>/dev/null";
    if (std::system(command.c_str()) != 0)
      GTEST_SKIP() << "no module onnx for /usr/bin/python3: scripts/install_packages brings it";
  }

  [[nodiscard]] std::string bytes(const char* name) const {
    return test::text_of(folder_.path() / name);
  }

  const test::TemporaryDirectory folder_;
};

TEST_F(Onnx, ImportsResnet50Whole) {
  const Imported imported = import_onnx(bytes("resnet50.onnx"), "resnet50.onnx", {});
  const Network shipped = load_network("resnet50");
  EXPECT_TRUE(imported.network.skipped.empty());
  EXPECT_EQ(macs(imported.network), macs(shipped));
  // The file's convolutions have no bias, as the shipped ones.
  EXPECT_EQ(parameters(imported.network), parameters(shipped));
}

TEST_F(Onnx, ImportsABertBlockWhole) {
  const Imported imported = import_onnx(bytes("bert_block.onnx"), "bert_block.onnx", {});
  EXPECT_TRUE(imported.network.skipped.empty());
  EXPECT_EQ(macs(imported.network), 12L * 128 * 768 * 768 + 2L * 128 * 128 * 768);
  EXPECT_EQ(parameters(imported.network), 7087872);  // of an encoder layer of BERT-base
  const auto count = [&](LayerKind kind) {
    return std::ranges::count(imported.network.layers, kind, &Layer::kind);
  };
  EXPECT_EQ(count(LayerKind::kAttention), 1);
  EXPECT_EQ(count(LayerKind::kLayerNorm), 2);
  EXPECT_EQ(count(LayerKind::kGelu), 1);
  EXPECT_EQ(count(LayerKind::kAdd), 2);
}

TEST_F(Onnx, KeepsWhetherAveragesCountPadding) {
  const Imported imported = import_onnx(bytes("pools.onnx"), "pools.onnx", {});
  ASSERT_EQ(imported.network.layers.size(), 2U);
  EXPECT_FALSE(imported.network.layers[0].counts_padding);
  EXPECT_TRUE(imported.network.layers[1].counts_padding);
  const Network again = read_network("again", network_yaml(imported.network));
  EXPECT_FALSE(again.layers[0].counts_padding);
  EXPECT_TRUE(again.layers[1].counts_padding);
}

TEST_F(Onnx, TakesSoftmaxOverTheAxisOfTheFile) {
  const Imported imported = import_onnx(bytes("softmaxes.onnx"), "softmaxes.onnx", {});
  std::vector<Shape> shapes;
  for (const Layer& layer : imported.network.layers)
    if (layer.kind == LayerKind::kSoftmax) shapes.push_back(layer.shape);
  EXPECT_EQ(shapes, (std::vector{Shape{16, 32, 8}, Shape{8 * 16, 1, 32}}));
  EXPECT_EQ(imported.network.skipped.size(), 1U);  // over columns
}

TEST_F(Onnx, GoesOnBehindEveryOutputOfASkippedNode) {
  const Imported imported = import_onnx(bytes("split.onnx"), "split.onnx", {});
  ASSERT_EQ(imported.network.skipped.size(), 1U);
  EXPECT_EQ(imported.network.layers.back().shape, (Shape{8, 1, 8}));
}

TEST_F(Onnx, ListsWhatItSkips) {
  const Imported imported =
      import_onnx(bytes("odd.onnx"), "odd.onnx", {.batch = 1, .dimensions = {{"rows", 16}}});
  ASSERT_EQ(imported.network.skipped.size(), 2U);
  EXPECT_EQ(imported.network.skipped[0].operation, "ConvTranspose");
  EXPECT_EQ(imported.network.skipped[0].macs, 16 * 16 * 8 * 4 * 4);
  EXPECT_EQ(imported.network.skipped[1].macs, 33 * 33 * 8 * 8 * 9);
}

TEST_F(Onnx, CountsWhatItSkips) {
  for (const std::int64_t batch : {1, 2}) {
    const Network network =
        import_onnx(bytes("not_simulated.onnx"), "m.onnx", {.batch = batch}).network;
    std::vector<std::pair<std::string, double>> counts;
    for (const Skipped& skipped : network.skipped)
      counts.emplace_back(skipped.operation, skipped.macs.value_or(-1));
    const std::vector<std::pair<std::string, double>> expected{
        {"QLinearConv", 32 * 14 * 14 * 16 * 9}, {"ConvInteger", 8 * 14 * 14 * 16},
        {"MatMulInteger", 3136 * 10},           {"QLinearMatMul", 3136 * 5},
        {"Einsum", 16 * 14 * 14 * 8},           {"Einsum", 16 * 14 * 14 * 5},
        {"LSTM", 196 * 4 * 32 * (16 + 32)},     {"GRU", 196 * 3 * 32 * (16 + 32)},
        {"RNN", 196 * 32 * (16 + 32)}};
    EXPECT_EQ(counts, expected);
    EXPECT_EQ(macs(network), 160);
  }
}

TEST_F(Onnx, SaysThatWorkOfForeignOperatorsIsUnknown) {
  const Network network = import_onnx(bytes("foreign.onnx"), "m.onnx", {}).network;
  ASSERT_EQ(network.skipped.size(), 1U);
  EXPECT_EQ(network.skipped[0].macs, std::nullopt);
  EXPECT_EQ(mac_share(network), std::nullopt);
}

TEST_F(Onnx, GivesSymbolsOfDeclaredShapesTheirSizes) {
  const auto last_shape = [&](const char* name, const ImportSizes& sizes) {
    return import_onnx(bytes(name), "m.onnx", sizes).network.layers.back().shape;
  };
  const Shape half{7, 7, 32};
  EXPECT_EQ(last_shape("foreign.onnx", {}), half);
  EXPECT_EQ(last_shape("foreign.onnx", {.batch = 2}), half);
  EXPECT_EQ(last_shape("foreign.onnx", {.dimensions = {{"N", 2}}}), half);
  EXPECT_EQ(last_shape("foreign_sides.onnx", {.dimensions = {{"side", 14}}}), half);
  EXPECT_THAT(mistakes([&] { return last_shape("foreign_sides.onnx", {}); }),
              HasSubstr("has a dynamic dimension 'side'; fix it with --dim side=SIZE"));
}

TEST_F(Onnx, RefusesABatchThatADimensionContradicts) {
  const auto imported = [&](const ImportSizes& sizes) {
    return import_onnx(bytes("odd.onnx"), "odd.onnx", sizes);
  };
  EXPECT_EQ(mistakes([&] {
              return imported({.batch = 4, .dimensions = {{"N", 3}, {"rows", 16}}});
            }),
            "odd.onnx: --batch 4 and --dim N=3 contradict each other: the first dimension is 'N'");
  EXPECT_EQ(mistakes([&] {
              return imported({.batch = 3, .dimensions = {{"N", 3}, {"rows", 16}}});
            }),
            "accepted");
  EXPECT_EQ(mistakes([&] {
              return imported({.dimensions = {{"N", 3}, {"rows", 16}}});
            }),
            "accepted");
}

TEST_F(Onnx, NamesADimensionThatNoTensorHas) {
  EXPECT_THAT(mistakes([&] {
                return import_onnx(bytes("odd.onnx"), "odd.onnx",
                                   {.batch = 1, .dimensions = {{"row", 16}}});
              }),
              HasSubstr("odd.onnx: no tensor has a dimension 'row'; did you mean \"rows\"?"));
}

TEST_F(Onnx, NamesWhatItSkipsWhereNothingIsLeft) {
  EXPECT_THAT(mistakes([&] { return import_onnx(bytes("nothing.onnx"), "nothing.onnx", {}); }),
              HasSubstr("no node became a layer; the first that is not simulated: 'NonZero'"));
}

TEST_F(Onnx, ImportsImagesThatGrow) {
  const Imported imported = import_onnx(bytes("growing.onnx"), "growing.onnx", {});
  EXPECT_TRUE(imported.network.skipped.empty());
  ASSERT_EQ(imported.network.layers.size(), 4U);
  const auto& [conv, norm, up, back] =
      std::tie(imported.network.layers[0], imported.network.layers[1], imported.network.layers[2],
               imported.network.layers[3]);
  EXPECT_EQ((std::pair{conv.dil_h, conv.dil_w}), (std::pair<std::int64_t, std::int64_t>{2, 2}));
  EXPECT_EQ(norm.groups, 4);
  EXPECT_EQ(up.shape, (Shape{32, 32, 16}));
  EXPECT_EQ(back.kind, LayerKind::kConvTranspose);
  EXPECT_EQ(back.shape, (Shape{64, 64, 4}));
  EXPECT_TRUE(back.has_bias);
}

TEST_F(Onnx, ImportsNewerOperators) {
  const Imported imported = import_onnx(bytes("newer_block.onnx"), "newer_block.onnx", {});
  EXPECT_TRUE(imported.network.skipped.empty());
  EXPECT_EQ(parameters(imported.network), 7087872);  // as the older form of the same
  EXPECT_EQ(macs(imported.network), 12L * 128 * 768 * 768 + 2L * 128 * 128 * 768);
}

TEST_F(Onnx, NamesInputsThatNothingMakesBefore) {
  const auto reason = [&](const std::string& name) {
    return mistakes([&] { return import_onnx(bytes((name + ".onnx").c_str()), "m.onnx", {}); });
  };
  EXPECT_EQ(reason("undefined"),
            "m.onnx: node 'MatMul_1' (MatMul): reads 'w9', which no node makes and which is "
            "neither an input nor a weight");
  EXPECT_EQ(reason("cyclic"),
            "m.onnx: node 'Add_1' (Add): reads 'Add_2_out', which node 'Add_2' (Add) makes of the "
            "result of 'Add_1': the graph is cyclic");
  EXPECT_EQ(reason("unordered"),
            "m.onnx: node 'Relu_1' (Relu): reads 'Tanh_2_out', which node 'Tanh_2' (Tanh) makes "
            "after it: nodes must be in an order in which they can run");
  EXPECT_THAT(reason("unknown"),
              HasSubstr("no shape is known for 'TopK_2_out': no rule gives the shape of what node "
                        "'TopK_2' (TopK) makes, and the file declares none; export"));
}

TEST_F(Onnx, ReadsQuantisedOperandsAsThoseOfTheNetwork) {
  const Imported imported = import_onnx(bytes("quantised.onnx"), "quantised.onnx", {});
  EXPECT_TRUE(imported.network.skipped.empty());
  EXPECT_EQ(macs(imported.network), 16 * 16 * 16 * 8 * 9 + 16 * 32 + 32 * 10);
  EXPECT_EQ(parameters(imported.network), 16 * 8 * 9 + 16 + 16 * 32 + 32 + 32 * 10 + 10);
}

TEST_F(Onnx, ProductsAreOfOperandsOfTheirSizes) {
  const Imported imported = import_onnx(bytes("products.onnx"), "products.onnx", {});
  const Network again = read_network("again", network_yaml(imported.network));
  EXPECT_EQ(network_yaml(again), network_yaml(imported.network));
  EXPECT_EQ(std::ranges::count(again.layers, LayerKind::kMatmul, &Layer::kind), 2);
  EXPECT_EQ(std::ranges::count(again.layers, true, &Layer::resizes), 2);
}

TEST_F(Onnx, ProductsTakeTheRowsOfTheirWeights) {
  const auto import = [&](const char* name) { return import_onnx(bytes(name), "m.onnx", {}); };
  const Network rows = import("rows.onnx").network;
  EXPECT_EQ(macs(rows), 64 * 8 * 32);
  EXPECT_EQ(parameters(rows), 32 * 8 + 8);
  EXPECT_EQ(rows.layers.back().shape, (Shape{64, 1, 8}));
  EXPECT_EQ(macs(import("stacked.onnx").network), 4 * 16 * 24 * 32 + 64 * 32 * 8);
  EXPECT_EQ(macs(import("flattened.onnx").network), 8 * 16 * 4);
  const Network means = import("means.onnx").network;
  EXPECT_EQ(std::ranges::count(means.layers, Shape{1, 1, 16}, &Layer::shape), 1);
  const Imported mixed = import("mixed.onnx");
  ASSERT_EQ(mixed.network.skipped.size(), 1U);
  EXPECT_EQ(mixed.network.skipped[0].macs, 3 * 2 * 5 / 2);
  EXPECT_THAT(mixed.changed,
              Contains(HasSubstr("is skipped: the 3 elements of a sample are not rows of 2")));
}

TEST_F(Onnx, ImportsConvnextWhole) {
  constexpr std::int64_t kC = 32;
  const Network network = import_onnx(bytes("convnext.onnx"), "m.onnx", {}).network;
  EXPECT_TRUE(network.skipped.empty());
  EXPECT_EQ(std::ranges::count(network.layers, true, &Layer::resizes), 0);
  const auto weights = [](std::int64_t c) { return 8 * c * c + 49 * c; };
  const auto block = [&](std::int64_t c) { return weights(c) + 8 * c; };  // with biases, norm
  EXPECT_EQ(parameters(network), 49 * kC + 2 * kC + 2 * block(kC) + 2 * kC + 129 * 2 * kC +
                                     block(2 * kC) + 4 * kC + (2 * kC + 1) * 10);
  EXPECT_EQ(macs(network),
            196 * (48 * kC + 2 * weights(kC)) + 49 * (8 * kC * kC + weights(2 * kC)) + 2 * kC * 10);
}

TEST_F(Onnx, ImportsAStageOfSwinWhole) {
  constexpr std::int64_t kC = 32;
  constexpr std::int64_t kTokens = 64;
  for (const std::int64_t batch : {1, 2}) {
    const Network network = import_onnx(bytes("swin.onnx"), "m.onnx", {.batch = batch}).network;
    EXPECT_EQ(mac_share(network), 1);  // views, parts and joins are skipped
    EXPECT_EQ(std::ranges::count(network.layers, LayerKind::kAttention, &Layer::kind), 2);
    EXPECT_EQ(parameters(network), 49 * kC + 2 * kC + 2 * (12 * kC * kC + 9 * kC + 4 * kC) +
                                       8 * kC + 8 * kC * kC + (2 * kC + 1) * 10);
    const std::int64_t attention = 2 * kTokens * kC * 16;  // a window has 16 tokens
    EXPECT_EQ(macs(network), kTokens * 48 * kC + 2 * (kTokens * 12 * kC * kC + attention) +
                                 16 * 8 * kC * kC + 2 * kC * 10);
    for (const Layer& layer : network.layers)
      EXPECT_TRUE(layer.kind != LayerKind::kAdd || layer.shape.elements() == kTokens * kC);
    const Network again = read_network("again", network_yaml(network));
    EXPECT_EQ(network_yaml(again), network_yaml(network));
  }
}

TEST_F(Onnx, ReadsAProductWithItsOwnSigmoidAsSilu) {
  const Network network = import_onnx(bytes("gates.onnx"), "m.onnx", {}).network;
  std::vector<LayerKind> kinds;
  for (const Layer& layer : network.layers) kinds.push_back(layer.kind);
  using enum LayerKind;
  EXPECT_EQ(kinds,
            (std::vector{kLinear, kSilu, kLinear, kSilu, kLinear, kSigmoid, kMultiply, kAdd}));
}

TEST_F(Onnx, AddsUpEveryOperandOfASum) {
  const Network network = import_onnx(bytes("sums.onnx"), "m.onnx", {}).network;
  std::vector<std::vector<int>> inputs;
  for (const Layer& layer : network.layers)
    if (layer.kind == LayerKind::kAdd) inputs.push_back(layer.inputs);
  EXPECT_EQ(inputs, (std::vector<std::vector<int>>{
                        {0, 1}, {2, kNetworkInput}, {3, 0}, {4, 1}, {5, 5}, {6, 0}}));
}

TEST_F(Onnx, NamesWhatIsWrong) {
  EXPECT_THAT(mistakes([&] { return import_onnx(bytes("odd.onnx"), "odd.onnx", {}); }),
              HasSubstr("has a dynamic dimension 'rows'; fix it with --dim rows=SIZE"));
  EXPECT_THAT(mistakes([&] { return import_onnx("not a model", "x.onnx", {}); }),
              HasSubstr("x.onnx: not an ONNX model"));
  const std::string whole = bytes("resnet50.onnx");
  EXPECT_NE(mistakes([&] { return import_onnx(whole.substr(0, 9000), "cut.onnx", {}); }),
            "accepted");
}

}  // namespace
}  // namespace tcsim::networks
