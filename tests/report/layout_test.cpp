#include "sim/report/layout.hpp"

#include <gtest/gtest.h>

#include "sim/report/waves.hpp"

namespace tcsim::report {
namespace {

TEST(Layout, GroupsDigitsByThree) {
  EXPECT_EQ(with_thousands(0), "0");
  EXPECT_EQ(with_thousands(999), "999");
  EXPECT_EQ(with_thousands(1000), "1,000");
  EXPECT_EQ(with_thousands(-2018060), "-2,018,060");
  EXPECT_EQ(with_thousands(-100), "-100");
}

TEST(Layout, PicksTheUnitOfATime) {
  EXPECT_EQ(readable_time(8.214), "8.21 us");
  EXPECT_EQ(readable_time(1319.4), "1.319 ms");
  EXPECT_EQ(readable_time(2500000), "2.50 s");
}

TEST(Layout, GivesSmallNumbersTwoDigitsThatCount) {
  EXPECT_EQ(readable_number(88.86, 1), "88.9");
  EXPECT_EQ(readable_number(0.951, 1), "1.0");
  EXPECT_EQ(readable_number(0.949, 1), "0.95");
  EXPECT_EQ(readable_number(0.0284, 1), "0.028");
  EXPECT_EQ(readable_number(0.0991, 2), "0.10");
  EXPECT_EQ(readable_number(0.0154, 2), "0.015");
  EXPECT_EQ(readable_number(0, 1), "0.0");
  EXPECT_EQ(readable_number(1e-30, 1), "0.000000000");
}

TEST(Layout, DrawsABarInProportionAndWithinItsWidth) {
  EXPECT_EQ(bar(0.5, 4), "##  ");
  EXPECT_EQ(bar(1.7, 4), "####");
  EXPECT_EQ(bar(-1, 4), "    ");
}

TEST(Layout, WrapsBetweenWordsOnly) {
  EXPECT_EQ(wrap({"alpha 1", "beta 2", "gamma 3"}, 2, 18), "alpha 1  beta 2\n  gamma 3");
}

TEST(Layout, AlignsNumbersToTheRightAndTextToTheLeft) {
  EXPECT_EQ(aligned_table({{"name", "time"}, {{"a", "1.5"}, {"longer", "10.25"}}}),
            "name     time\n"
            "a         1.5\n"
            "longer  10.25\n");
}

TEST(Layout, WritesAMarkdownTable) {
  EXPECT_EQ(markdown_table({{"name", "time"}, {{"a", "1.5"}}}),
            "| name | time |\n| --- | ---: |\n| a | 1.5 |\n");
}

TEST(Waves, CountWholeAndPartialWaves) {
  EXPECT_DOUBLE_EQ(waves_of(1024, 80).count, 12.8);
  EXPECT_DOUBLE_EQ(waves_of(1024, 80).last_wave_fill, 0.8);
  EXPECT_DOUBLE_EQ(waves_of(160, 80).last_wave_fill, 1.0);
  EXPECT_DOUBLE_EQ(waves_of(5, 80).last_wave_fill, 0.0625);
  EXPECT_DOUBLE_EQ(waves_of(5, 0).count, 0.0);
}

TEST(Waves, AreRoundedAlikeToTheFirstDigitOfASmallShare) {
  const auto text = [](std::int64_t ctas, std::int64_t slots) {
    const WavesText waves = text_of(waves_of(ctas, slots));
    return waves.count + " " + waves.last_wave_percent;
  };
  EXPECT_EQ(text(7, 40), "0.18 18");
  EXPECT_EQ(text(5, 4), "1.25 25");
  EXPECT_EQ(text(160, 80), "2.00 100");
  EXPECT_EQ(text(1, 432), "0.002 0.2");
  EXPECT_EQ(text(4097, 4096), "1.0002 0.02");
  EXPECT_EQ(text(5, 0), "0.00 0");
}

}  // namespace
}  // namespace tcsim::report
