#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/networks/csv_import.hpp"
#include "sim/networks/network_file.hpp"
#include "sim/networks/network_text.hpp"
#include "sim/networks/scalesim_import.hpp"
#include "tests/support/refusal.hpp"
#include "workloads/networks/counts.hpp"

namespace tcsim::networks {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

constexpr const char* kSizes =
    "Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, Num Filter, ";

Imported scalesim(const std::string& text) { return import_scalesim(text, "t.csv", std::nullopt); }

TEST(Scalesim, CountsALastWindowThatIsPartlyOutside) {
  const Imported imported =
      scalesim(std::string(kSizes) + "Strides,\nConv1,224,224,11,11,3,96,4,\n");
  EXPECT_EQ(imported.network.layers.back().shape, (Shape{55, 55, 96}));  // as its alexnet.csv says
  EXPECT_EQ(macs(imported.network), 55 * 55 * 96 * 11 * 11 * 3);
  EXPECT_THAT(imported.changed,
              Contains(HasSubstr("Conv1: image of 227x227x3 instead of 224x224x3")));
}

TEST(Scalesim, ReadsStridesOfBothSides) {
  const std::string header = std::string(kSizes) + "Stride Height, Stride Width,\n";
  const Layer both = scalesim(header + "a,33,33,3,3,16,32,1,2,\n").network.layers.back();
  EXPECT_EQ(both.shape, (Shape{31, 16, 32}));
  const Layer one = scalesim(header + "a,33,33,3,3,16,32,2,\n").network.layers.back();
  EXPECT_EQ(one.shape, (Shape{16, 16, 32}));
}

TEST(Scalesim, ReadsSizesOfProductsByTheirColumns) {
  const Network network = scalesim("Layer, M, K, N,\na,32,48,64,\n").network;
  EXPECT_EQ(network.input, (Shape{32, 1, 48}));
  EXPECT_EQ(network.layers.back().features, 64);
  EXPECT_THAT(test::refusal([] { return scalesim("Layer, M, L, N,\na,32,48,64,\n"); }),
              HasSubstr("t.csv:1:7: header: a list of products has a name and the columns M, N"));
}

TEST(Scalesim, RefusesWhatANetworkFileCannotHold) {
  EXPECT_THAT(test::refusal([] {
                return scalesim(std::string(kSizes) + "Strides,\na,70000,8,66000,1,3,96,1,\n");
              }),
              HasSubstr("t.csv:2:11: filter height: '66000' is not between 1 and 65535"));
}

TEST(ListImport, FilesHoldLongImages) {
  for (Network network :
       {scalesim(std::string(kSizes) + "Strides,\na,70000,8,3,1,3,96,1,\n").network,
        import_csv("op,dtype_in,dtype_acc,params\ngemm,fp16,fp32,m=100000;n=64;k=64\n", "l.csv")
            .network}) {
    network.name = "long";
    EXPECT_EQ(read_network("n.yaml", network_yaml(network)).input, network.input);
  }
}

TEST(Scalesim, DoesNotTakeALayerForTheHeader) {
  EXPECT_THAT(
      test::refusal([] { return scalesim("a,34,34,3,3,16,32,1,\nb,34,34,3,3,16,32,1,\n"); }),
      HasSubstr("t.csv:1:3: header: '34' is no name of a column"));
}

TEST(CsvImport, KeepsWhatTakesTwoInputs) {
  Imported imported = import_csv(
      "op,dtype_in,dtype_acc,params\nadd,fp16,,rows=10;cols=20\nscale_bias,fp16,,rows=10;cols=20\n"
      "gemm,fp16,fp32,m=64;n=32;k=48;batch=8;act=relu\n",
      "l.csv");
  Network& network = imported.network;
  network.name = "list";
  EXPECT_TRUE(network.skipped.empty());
  EXPECT_EQ(macs(network), 8 * 64 * 32 * 48);
  std::vector<LayerKind> kinds;
  for (const Layer& layer : network.layers)
    if (layer.kind != LayerKind::kReshape) kinds.push_back(layer.kind);
  using enum LayerKind;
  EXPECT_EQ(kinds, (std::vector{kAdd, kBatchNorm, kMatmul, kRelu}));
  const Network again = read_network("again", network_yaml(network));
  EXPECT_EQ(network_yaml(again), network_yaml(network));
}

}  // namespace
}  // namespace tcsim::networks
