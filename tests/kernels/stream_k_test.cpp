#include "workloads/kernels/stream_k.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>

#include "models/isa/launch.hpp"
#include "tests/support/targets.hpp"
#include "workloads/kernels/tile_strips.hpp"

namespace tcsim::kernels::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Of 256 tiles of 64 k-tiles on an A100 with two CTAs on an SM: 2048 x 2048 x 2048 in tiles of
/// 128x128x32 (CUTLASS, example 47).
StreamKDeal of_example() { return deal_to_ctas(256, 64, 108, 2); }

TEST(StreamK, SharesTheLastWaveAndAHalfOnAnA100) {
  // 256 tiles are two waves of 108 and 40 more: one wave stays whole, 148 tiles are shared.
  const StreamK stream_k(of_example());
  EXPECT_EQ(stream_k.deal().shared_tiles, 148);
  EXPECT_EQ(stream_k.deal().units, 108);
  EXPECT_EQ(stream_k.deal().workers, 216);
  // 148 * 64 k-tiles are 87 for each of 108 CTAs, and one more for the first 76.
  EXPECT_EQ(stream_k.begin(0), 0);
  EXPECT_EQ(stream_k.begin(76), 76 * 88);
  EXPECT_EQ(stream_k.begin(77) - stream_k.begin(76), 87);
  EXPECT_EQ(stream_k.end(107), 148 * 64);
}

TEST(StreamK, LeavesWholeWavesAndShortProductsAlone) {
  EXPECT_EQ(deal_to_ctas(108, 64, 108, 2).units, 0);
  EXPECT_EQ(deal_to_ctas(16, 2, 108, 2).units, 0);  // less than joining would cost
}

TEST(StreamK, GivesEveryTileAsManyCtasWhereTilesAreFew) {
  // Four tiles, fifty k-tiles each, on sixteen SMs: four CTAs on each, of 13, 13, 12 and 12.
  const StreamK stream_k(deal_to_ctas(4, 50, 16, 1));
  EXPECT_EQ(stream_k.deal().units, 16);
  for (const std::int64_t tile : {0, 3}) EXPECT_THAT(stream_k.cuts(tile), ElementsAre(13, 26, 38));
}

// CUTLASS's heuristic for clusters, one after the other: no part of a wave; the rest at least half
// a wave; too few k-tiles.
TEST(StreamK, LeavesTilesToWholeClustersAsCutlassDoes) {
  EXPECT_EQ(deal_to_clusters(264, 12, 64, 132, 1).units, 0);
  EXPECT_EQ(deal_to_clusters(198, 12, 64, 132, 1).units, 0);
  EXPECT_EQ(deal_to_clusters(150, 12, 8, 132, 1).units, 0);
  EXPECT_EQ(deal_to_clusters(150, 12, 8, 132, 1).workers, 132);
}

TEST(StreamK, SharesUpToTwoWavesOfClustersInGroups) {
  // 150 tiles of 132 SMs in six groups: 22 units share 25 tiles of each.
  const StreamKDeal deal = deal_to_clusters(150, 15, 128, 132, 1);
  EXPECT_EQ(deal.shared_tiles, 150);
  EXPECT_EQ(deal.units, 132);
  EXPECT_EQ(deal.regions, 6);
  // 25 * 128 k-tiles are 145 for each of 22 units, and one more for the first 10.
  const StreamK stream_k(deal);
  EXPECT_EQ(stream_k.begin(6), 146);
  EXPECT_EQ(stream_k.end(6 * 21 + 5), 25 * 128);
  // Three waves and a rest: the first two stay whole. 149 tiles have no group size in common with
  // 132 units: the largest that divides these, five groups with a tile more than the last.
  const StreamKDeal later = deal_to_clusters(3 * 132 + 17, 15, 128, 132, 1);
  EXPECT_EQ(later.shared_tiles, 149);
  EXPECT_EQ(later.regions, 6);
  EXPECT_EQ(later.big_regions(), 5);
}

TEST(StreamK, CutsFewTilesIntoSlicesWhereUnitsAreAMultiple) {
  const StreamKDeal deal = deal_to_clusters(33, 3, 64, 132, 1);
  EXPECT_EQ(deal.regions, 33);
  EXPECT_THAT(StreamK(deal).cuts(32), ElementsAre(16, 32, 48));
  // Eight k-tiles each are the fewest: 5 tiles of 20 make 12 units.
  EXPECT_EQ(deal_to_clusters(5, 5, 20, 132, 1).units, 12);
}

TEST(StreamK, LeavesNoClusterFewerThanEightKTilesOfATile) {
  // 70 k-tiles for each of ten units: 64 and 6 of the next tile, which stay with the next unit.
  const StreamK stream_k(deal_to_clusters(11, 1, 64, 10, 2));
  EXPECT_EQ(stream_k.begin(1), 64);
  EXPECT_EQ(stream_k.begin(2), 142);
  EXPECT_THAT(stream_k.cuts(2), ElementsAre(14));
}

/// What a worker does, from the expressions of its program.
class Walk {
 public:
  Walk(const StreamK& stream_k, std::int64_t worker) : uniforms_(stream_k.uniforms()) {
    bindings_[static_cast<std::size_t>(isa::Variable::kCtaX)] =
        (worker + 1) * stream_k.deal().ctas_per_worker - 1;
    go_to(0);
  }
  void go_to(std::int64_t trip) {
    bindings_[static_cast<std::size_t>(isa::Variable::kLoop0)] = trip;
    isa::bind_uniforms(uniforms_, bindings_);
  }
  [[nodiscard]] std::int64_t operator[](isa::Variable variable) const {
    return bindings_[static_cast<std::size_t>(variable)];
  }
  [[nodiscard]] std::int64_t operator[](const isa::Expression& expression) const {
    return isa::evaluate(expression, bindings_);
  }

 private:
  std::vector<isa::Expression> uniforms_;
  isa::Bindings bindings_{};
};

/// Walks through all workers in order: every k-tile of every tile comes once, from the first to the
/// last, and each worker knows how many were there before it.
void expect_complete(const StreamKDeal& deal) {
  SCOPED_TRACE(::testing::PrintToString(std::vector{deal.tiles, deal.k_tiles, deal.shared_tiles,
                                                    deal.units, deal.workers, deal.regions}));
  const StreamK stream_k(deal);
  const auto tiles = static_cast<std::size_t>(deal.tiles);
  std::vector<std::int64_t> done(tiles);
  std::vector<std::int64_t> units(tiles);
  std::vector<std::vector<std::int64_t>> cuts(tiles);
  for (std::int64_t worker = 0; worker < deal.workers; ++worker) {
    Walk walk(stream_k, worker);
    std::int64_t k_tiles = 0;
    for (std::int64_t trip = 0; trip < walk[stream_k.trips()]; ++trip) {
      walk.go_to(trip);
      const std::int64_t tile = walk[StreamK::kTile];
      ASSERT_TRUE(tile >= 0 && tile < deal.tiles);
      const auto place = static_cast<std::size_t>(tile);
      const std::int64_t begin = walk[StreamK::kKBegin];
      const std::int64_t end = walk[StreamK::kKEnd];
      ASSERT_EQ(begin, done[place]);
      const bool is_part = begin > 0 || end < deal.k_tiles;
      ASSERT_GE(end - begin, is_part ? std::min(deal.fewest_k_tiles, deal.k_tiles) : 1);
      ASSERT_EQ(walk[StreamK::kKBefore], k_tiles);
      ASSERT_EQ(walk[stream_k.continues()], begin > 0 ? 1 : 0);
      ASSERT_EQ(walk[stream_k.finishes()], end == deal.k_tiles ? 1 : 0);
      ASSERT_EQ(walk[stream_k.peers_before()], units[place]);
      if (begin > 0) {
        cuts[place].push_back(begin);
        ASSERT_EQ(walk[StreamK::peers_of_continued()], units[place]);
      }
      ++units[place];
      k_tiles += end - begin;
      done[place] = end;
    }
    ASSERT_EQ(walk[stream_k.all_k_tiles()], k_tiles);
  }
  EXPECT_EQ(std::ranges::count(done, deal.k_tiles), deal.tiles);
  for (std::size_t place = 0; place < tiles; ++place)
    EXPECT_EQ(stream_k.cuts(static_cast<std::int64_t>(place)), cuts[place]);
}

TEST(StreamK, CoversEveryKTileOnce) {
  for (const StreamKDeal& deal :
       {of_example(), deal_to_ctas(289, 256, 108, 2), deal_to_ctas(5, 100, 8, 1),
        deal_to_ctas(1, 37, 16, 2), deal_to_ctas(4, 50, 16, 1), deal_to_ctas(39, 21, 7, 3),
        deal_to_ctas(99, 4, 10, 1), deal_to_ctas(19, 33, 4, 2), deal_to_ctas(108, 64, 108, 2)})
    expect_complete(deal);
}

TEST(StreamK, CoversEveryKTileOnceInSlices) {
  for (const std::int64_t tiles : {1, 2, 7})
    for (const int slices : {2, 3, 5}) expect_complete(deal_in_slices(tiles, 17, slices, 2));
  EXPECT_THAT(StreamK(deal_in_slices(7, 17, 3, 1)).cuts(6), ElementsAre(6, 12));
}

TEST(StreamK, CoversEveryKTileOnceInClusters) {
  for (const int ctas : {1, 2, 4})
    for (const std::int64_t k_tiles : {8, 9, 10, 15, 16, 17, 23, 64, 131})
      for (const std::int64_t clusters : {2, 7, 12, 33})
        for (const std::int64_t tiles : {1, 3, 5, 8, 13, 14, 27, 40, 69, 101})
          for (const std::int64_t tiles_n : {1, 4, 9})
            expect_complete(deal_to_clusters(tiles, tiles_n, k_tiles, clusters, ctas));
}

/// The numbers of tiles of every row and column, and these again.
TEST(TileStrips, NumberEveryTileOnce) {
  for (const std::int64_t width : {1, 3, 4, 8, 11}) {
    const TileStrips strips(5, 11, width);
    std::vector<int> found(55);
    for (std::int64_t row = 0; row < 5; ++row)
      for (std::int64_t column = 0; column < 11; ++column) {
        isa::Bindings bindings{};
        const std::int64_t number = strips.number(row, column);
        bindings[static_cast<std::size_t>(StreamK::kTile)] = number;
        EXPECT_EQ(isa::evaluate(strips.row(StreamK::kTile), bindings), row);
        EXPECT_EQ(isa::evaluate(strips.column(StreamK::kTile), bindings), column);
        ++found.at(static_cast<std::size_t>(number));
      }
    EXPECT_THAT(found, ::testing::Each(1));
  }
}

TEST(StreamK, IsALaunchOfEqualSharesWithFlagsAndAWorkspace) {
  const GemmProblem problem{.m = 2048, .n = 2048, .k = 2048};
  const GemmTile tile{
      .m = 128, .n = 128, .k = 32, .stages = 4, .warps_m = 2, .warps_n = 2, .stream_k = true};
  const std::vector<isa::KernelLaunch> stream = make_gemm_stream(problem, tile, a100());
  ASSERT_EQ(stream.size(), 1);
  EXPECT_THAT(isa::validate(stream[0]), IsEmpty());
  EXPECT_THAT(stream[0].grid, ElementsAre(216, 1, 1));
  const auto& buffers = stream[0].buffers;
  EXPECT_EQ(buffers[3].name, "semaphores");
  EXPECT_EQ(buffers[3].bytes, 148U * 4);
  EXPECT_EQ(buffers[4].name, "workspace");
  EXPECT_TRUE(buffers[4].scratch);
  EXPECT_EQ(buffers[4].bytes, 148U * 128 * 128 * 4);
}

TEST(StreamK, IsATileWordAndRefusesWhatItDoesNotDeal) {
  GemmProblem problem{.m = 512, .n = 512, .k = 2048};
  const auto reason = [&](const std::string& text) {
    std::string why;
    const auto tile = parse_tile(text, problem, a100(), why);
    return tile ? tile->text() : why;
  };
  const std::string tile = "128x128x32_s4_w2x2_streamk";
  EXPECT_EQ(reason(tile), tile);
  EXPECT_EQ(reason("128x128x32_s4_streamk"), tile);
  EXPECT_THAT(reason("128x128x32_s4_w2x2_splitk2_streamk"), ::testing::HasSubstr("without slices"));
  EXPECT_THAT(reason("64x64x64_s5_w1x2_sliced2_streamk"), ::testing::HasSubstr("one group"));
  problem.batch = 2;
  EXPECT_THAT(reason(tile), ::testing::HasSubstr("not a batch"));
  problem.batch = 1;
  problem.sparse = true;
  EXPECT_THAT(reason("128x128x64_s3_w2x2_streamk"), ::testing::HasSubstr("sparse"));
}

}  // namespace
}  // namespace tcsim::kernels::testing
