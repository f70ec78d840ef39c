#include "sim/report/traffic.hpp"

#include <gtest/gtest.h>

#include <utility>

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

TEST(MinimumTraffic, LeavesOutWhatAKernelPassesOn) {
  const auto traffic = minimum_traffic({launch({{"A", 0, 1000, true}, {"S", 4096, 64, false}}),
                                        launch({{"S", 4096, 64, true}, {"D", 8192, 8, false}})});
  ASSERT_TRUE(traffic);
  EXPECT_EQ(traffic->read_bytes, 1000);
  EXPECT_EQ(traffic->write_bytes, 8);
}

/// x + z, then its ReLU in the place of x + z.
TEST(MinimumTraffic, WritesWhatALaterKernelPutsInThePlaceOfAnother) {
  const auto traffic =
      minimum_traffic({launch({{"X", 0, 64, true}, {"Z", 256, 64, true}, {"S", 512, 64, false}}),
                       launch({{"S", 512, 64, true}, {"R", 768, 64, false}}),
                       launch({{"R", 768, 64, true}, {"S", 512, 64, false}})});
  ASSERT_TRUE(traffic);
  EXPECT_EQ(traffic->read_bytes, 128);
  EXPECT_EQ(traffic->write_bytes, 64);
}

TEST(MinimumTraffic, WritesAndReadsTheRestOfACacheThatAKernelAddsTo) {
  using Moved = std::pair<std::int64_t, std::int64_t>;
  const auto moved = [](std::uint64_t replaced) {
    isa::Buffer cache{"K", 4096, 1000, false};
    cache.replaced = replaced;
    const auto traffic =
        minimum_traffic({launch({{"K_new", 0, replaced, true}, cache}),
                         launch({{"K", 4096, 1000, true}, {"O", 8192, 8, false}})});
    return Moved{traffic->read_bytes, traffic->write_bytes};
  };
  EXPECT_EQ(moved(16), Moved(16 + 984, 16 + 8));
  EXPECT_EQ(moved(1000), Moved(1000, 1000 + 8)) << "it outlives the operation";
}

TEST(MinimumTraffic, LeavesOutFlagsAndScratch) {
  isa::Buffer sums{"sums", 8192, 500, false};
  sums.scratch = true;
  isa::Buffer flags{"flags", 12288, 4, false};
  flags.flags = true;
  const auto traffic =
      minimum_traffic({launch({{"A", 0, 1000, true}, {"D", 4096, 80, false}, sums, flags})});
  ASSERT_TRUE(traffic);
  EXPECT_EQ(traffic->read_bytes, 1000);
  EXPECT_EQ(traffic->write_bytes, 80);
}

TEST(MinimumTraffic, IsNotKnownWithoutBuffers) {
  EXPECT_FALSE(minimum_traffic({launch({{"A", 0, 8, true}}), launch({})}));
}

}  // namespace
}  // namespace tcsim::report
