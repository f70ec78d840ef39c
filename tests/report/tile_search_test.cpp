#include "sim/report/tile_search.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tcsim::report {
namespace {

using testing::HasSubstr;

TEST(TileSearch, SaysWhatTheChoiceLoses) {
  const TileSearch search{{{"128x128x32", 103.0}, {"64x64x32", 120.0}, {"256x128x32", 100.0}}};
  EXPECT_EQ(search.best()->tile, "256x128x32");
  EXPECT_NEAR(search.lost().value(), 0.03, 1e-12);
  EXPECT_EQ(
      tile_search_sentence(search),
      "The library's choice, 128x128x32, takes 3.0 % longer than the best of the 3 top-ranked "
      "tiles, 256x128x32.");
  EXPECT_EQ(tile_search_json(search)["best"], "256x128x32");
}

TEST(TileSearch, SaysThatNothingIsLost) {
  const TileSearch search{{{"128x128x32", 100.0}, {"64x64x32", 100.0}}};
  EXPECT_EQ(search.best()->tile, "128x128x32");
  EXPECT_EQ(search.lost(), 0.0);
  EXPECT_THAT(tile_search_sentence(search), HasSubstr("None of the 2 top-ranked tiles"));
}

TEST(TileSearch, KeepsTilesThatFailedApart) {
  const TileSearch search{{{"128x128x32", 100.0}, {"64x64x32", {}, "status 4: stopped"}}};
  EXPECT_EQ(search.best()->tile, "128x128x32");
  EXPECT_THAT(tile_search_text(search), HasSubstr("status 4: stopped"));
  const TileSearch none{{{"128x128x32", {}, "interrupted"}}};
  EXPECT_EQ(none.best(), nullptr);
  EXPECT_FALSE(none.lost());
  EXPECT_THAT(tile_search_sentence(none), HasSubstr("No tile could be compared"));
}

}  // namespace
}  // namespace tcsim::report
