#include "workloads/kernels/stream_k.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>

#include "models/isa/launch.hpp"
#include "tests/kernels/gemm_check.hpp"

namespace tcsim::kernels::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// 2048 x 2048 x 2048 in tiles of 128x128x32 on an A100 with two CTAs on an SM (CUTLASS, example
/// 47).
StreamK of_example() { return {16, 16, 64, 108, 2}; }

TEST(StreamK, SharesTheLastWaveAndAHalfOnAnA100) {
  // 256 tiles are two waves of 108 and 40 more: one wave stays whole, 148 tiles are shared.
  const StreamK stream_k = of_example();
  EXPECT_EQ(stream_k.shared_tiles(), 148);
  EXPECT_EQ(stream_k.shared_ctas(), 108);
  EXPECT_EQ(stream_k.ctas(), 216);
  // 148 * 64 k-tiles are 87 for each of 108 CTAs, and one more for the first 76.
  EXPECT_EQ(stream_k.begin(0), 0);
  EXPECT_EQ(stream_k.begin(76), 76 * 88);
  EXPECT_EQ(stream_k.begin(77) - stream_k.begin(76), 87);
  EXPECT_EQ(stream_k.begin(108), 148 * 64);
  EXPECT_EQ(stream_k.begin(216), 256 * 64);
}

TEST(StreamK, LeavesWholeWavesAndShortProductsAlone) {
  EXPECT_EQ(StreamK(12, 9, 64, 108, 2).shared_ctas(), 0);
  EXPECT_EQ(StreamK(4, 4, 2, 108, 2).shared_ctas(), 0);  // less than joining would cost
}

TEST(StreamK, GivesEveryTileAsManyCtasWhereTilesAreFew) {
  // Four tiles, fifty k-tiles each, on sixteen SMs: four CTAs on each, of 13, 13, 12 and 12.
  const StreamK stream_k(2, 2, 50, 16, 1);
  EXPECT_EQ(stream_k.shared_ctas(), 16);
  for (const std::int64_t row : {0, 1})
    for (const std::int64_t column : {0, 1})
      EXPECT_THAT(stream_k.cuts(row, column), ElementsAre(13, 26, 38));
}

/// What a CTA does, from the expressions of its program.
class Walk {
 public:
  Walk(const StreamK& stream_k, std::int64_t cta) : uniforms_(stream_k.uniforms()) {
    bindings_[static_cast<std::size_t>(isa::Variable::kCtaX)] = cta;
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

struct Shape {
  std::int64_t tiles_m, tiles_n, k_tiles, sms, ctas_per_sm;
};

/// Walks through all CTAs in order: every k-tile of every tile comes once, from the first to the
/// last, and each CTA knows how many were there before it.
void expect_complete(const Shape& shape) {
  const StreamK stream_k(shape.tiles_m, shape.tiles_n, shape.k_tiles, shape.sms, shape.ctas_per_sm);
  const auto tiles = static_cast<std::size_t>(shape.tiles_m * shape.tiles_n);
  std::vector<std::int64_t> done(tiles);
  std::vector<std::int64_t> ctas(tiles);
  std::vector<std::vector<std::int64_t>> cuts(tiles);
  for (std::int64_t cta = 0; cta < stream_k.ctas(); ++cta) {
    Walk walk(stream_k, cta);
    std::int64_t k_tiles = 0;
    for (std::int64_t trip = 0; trip < walk[StreamK::kTiles]; ++trip) {
      walk.go_to(trip);
      const std::int64_t row = walk[StreamK::kRow];
      const std::int64_t column = walk[StreamK::kColumn];
      ASSERT_TRUE(row >= 0 && row < shape.tiles_m && column >= 0 && column < shape.tiles_n);
      const auto place = static_cast<std::size_t>(row * shape.tiles_n + column);
      ASSERT_EQ(walk[StreamK::kKBegin], done[place]);
      ASSERT_GT(walk[StreamK::kKEnd], walk[StreamK::kKBegin]);
      ASSERT_EQ(walk[stream_k.continues()], done[place] > 0 ? 1 : 0);
      ASSERT_EQ(walk[stream_k.finishes()], walk[StreamK::kKEnd] == shape.k_tiles ? 1 : 0);
      ASSERT_EQ(walk[stream_k.peers_before()], ctas[place]++);
      if (done[place] > 0) cuts[place].push_back(done[place]);
      k_tiles += walk[StreamK::kKEnd] - done[place];
      done[place] = walk[StreamK::kKEnd];
    }
    ASSERT_EQ(k_tiles, stream_k.begin(cta + 1) - stream_k.begin(cta));
  }
  EXPECT_EQ(std::ranges::count(done, shape.k_tiles), shape.tiles_m * shape.tiles_n);
  for (std::size_t place = 0; place < tiles; ++place)
    EXPECT_EQ(stream_k.cuts(static_cast<std::int64_t>(place) / shape.tiles_n,
                            static_cast<std::int64_t>(place) % shape.tiles_n),
              cuts[place]);
}

TEST(StreamK, CoversEveryKTileOnce) {
  for (const Shape& shape :
       {Shape{16, 16, 64, 108, 2}, Shape{17, 17, 256, 108, 2}, Shape{5, 1, 100, 8, 1},
        Shape{1, 1, 37, 16, 2}, Shape{2, 2, 50, 16, 1}, Shape{3, 13, 21, 7, 3},
        Shape{11, 9, 4, 10, 1}, Shape{1, 19, 33, 4, 2}, Shape{12, 9, 64, 108, 2}}) {
    SCOPED_TRACE(::testing::PrintToString(
        std::vector{shape.tiles_m, shape.tiles_n, shape.k_tiles, shape.sms, shape.ctas_per_sm}));
    expect_complete(shape);
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
