#include "sim/report/layer_names.hpp"

#include <gtest/gtest.h>

namespace tcsim::report {
namespace {

TEST(LayerNames, OfRepeatedBlocksShareTheirLike) {
  EXPECT_EQ(like_name("layer.3.query"), "layer.*.query");
  EXPECT_EQ(like_name("layer1.0.conv2.10"), "layer1.*.conv2.*");
  EXPECT_EQ(like_name("conv1"), "conv1");
  EXPECT_EQ(like_name(""), "");
}

TEST(LayerNames, BlocksEndWithTheirNumber) {
  EXPECT_EQ(block_of("layer.3.query"), "layer.3");
  EXPECT_EQ(block_of("stage.1.unit.2.conv"), "stage.1.unit.2");
  EXPECT_EQ(block_of("pooler"), "");
}

}  // namespace
}  // namespace tcsim::report
