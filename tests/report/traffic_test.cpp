#include "sim/report/traffic.hpp"

#include <gtest/gtest.h>

namespace tcsim::report {
namespace {

isa::KernelLaunch launch(std::vector<isa::Buffer> buffers) {
  isa::KernelLaunch result;
  result.buffers = std::move(buffers);
  return result;
}

TEST(MinimumTraffic, ReadsEachInputAndWritesEachOutputOnce) {
  const auto traffic = minimum_traffic(
      {launch({{"A", 0, 1000, true}, {"B", 4096, 500, true}, {"D", 8192, 80, false}}),
       launch({{"A", 0, 1000, true}, {"E", 12288, 20, false}})});
  ASSERT_TRUE(traffic);
  EXPECT_EQ(traffic->read_bytes, 1500);
  EXPECT_EQ(traffic->write_bytes, 100);
}

TEST(MinimumTraffic, DoesNotReadWhatAnEarlierKernelWrote) {
  const auto traffic = minimum_traffic({launch({{"A", 0, 1000, true}, {"S", 4096, 64, false}}),
                                        launch({{"S", 4096, 64, true}, {"D", 8192, 8, false}})});
  ASSERT_TRUE(traffic);
  EXPECT_EQ(traffic->read_bytes, 1000);
  EXPECT_EQ(traffic->write_bytes, 72);
}

TEST(MinimumTraffic, IsNotKnownWithoutBuffers) {
  EXPECT_FALSE(minimum_traffic({launch({{"A", 0, 8, true}}), launch({})}));
}

}  // namespace
}  // namespace tcsim::report
