#include "sim/validate/score.hpp"

#include <gtest/gtest.h>

namespace tcsim::validate {
namespace {

Comparison comparison(const std::string& gpu, double measured_us, double simulated_us) {
  Comparison row;
  row.measurement.gpu = gpu;
  row.measurement.op = "gemm";
  row.measurement.dtype = "fp16";
  row.measurement.time_us = measured_us;
  row.simulated_us = simulated_us;
  return row;
}

TEST(Score, ErrorIsPositiveWhereTheModelIsTooSlow) {
  EXPECT_DOUBLE_EQ(comparison("x", 100, 110).error_percent(), 10);
  EXPECT_DOUBLE_EQ(comparison("x", 100, 75).error_percent(), -25);
}

TEST(Score, OfOneGroup) {
  const std::vector<Comparison> rows{comparison("x", 100, 110), comparison("x", 20, 16),
                                     comparison("x", 50, 50), comparison("x", 200, 260)};
  const GroupScore score = score_groups(rows).front();
  EXPECT_EQ(score.rows, 4);
  EXPECT_DOUBLE_EQ(score.mape, (10.0 + 20 + 0 + 30) / 4);
  EXPECT_DOUBLE_EQ(score.median_ape, 15);
  EXPECT_DOUBLE_EQ(score.bias, (10.0 - 20 + 0 + 30) / 4);
  EXPECT_DOUBLE_EQ(score.p90_ape, 20 + 0.7 * 10);
  EXPECT_GT(score.pearson_log.value(), 0.98);
  EXPECT_LT(score.pearson_log.value(), 1);
}

TEST(Score, GroupsByGpuAndSize) {
  const std::vector<Comparison> rows{comparison("x", 5, 5), comparison("x", 100, 100),
                                     comparison("y", 100, 200), comparison("x", 1000, 1000)};
  const std::vector<GroupScore> scores = score_groups(rows);
  ASSERT_EQ(scores.size(), 4u);
  EXPECT_EQ(scores[0].size_class, "10-300 us");
  EXPECT_EQ(scores[3].gpu, "y");
  EXPECT_EQ(scores[3].mape, 100);
  EXPECT_EQ(score_total(rows).rows, 4);
  EXPECT_EQ(score_total(rows).gpu, "all");
}

TEST(Score, CorrelationOfLogarithmsIsOneForAConstantFactor) {
  const std::vector<Comparison> rows{comparison("x", 20, 40), comparison("x", 70, 140),
                                     comparison("x", 200, 400)};
  EXPECT_NEAR(score_total(rows).pearson_log.value(), 1, 1e-12);
  EXPECT_FALSE(score_total({rows[0], rows[1]}).pearson_log) << "a line meets any two";
}

TEST(Score, EqualTimesHaveNoCorrelation) {
  std::vector<Comparison> rows(6, comparison("x", 100, 150));  // the means of both are rounded
  EXPECT_FALSE(score_total(rows).pearson_log);
  rows[1].simulated_us = 140;
  EXPECT_FALSE(score_total(rows).pearson_log) << "the measured ones are equal";
}

TEST(Score, TellsTheErrorOfTheTilesFromThatOfTheChoice) {
  Comparison row = comparison("x", 100, 120);
  row.tiles = {{"a", 120}, {"b", 95}, {"c", 70}};
  EXPECT_EQ(row.fastest().tile, "c");
  EXPECT_EQ(row.nearest().tile, "b");
  Comparison alone = comparison("x", 100, 90);
  alone.tiles = {{"a", 90}};
  const GroupScore score = score_total({row, alone});
  EXPECT_DOUBLE_EQ(score.mape, 15);
  ASSERT_TRUE(score.tiles.has_value());
  EXPECT_DOUBLE_EQ(score.tiles->tried, 2);
  EXPECT_DOUBLE_EQ(score.tiles->fastest_mape, 20);
  EXPECT_DOUBLE_EQ(score.tiles->nearest_mape, 7.5);
  EXPECT_EQ(score_json(score)["nearest_tile_mape"], 7.5);
}

TEST(Score, TellsTheErrorOfNamedKernelsBesideTheChosenOnes) {
  Comparison row = comparison("x", 100, 120);
  row.named = TileTime{"a", 95};
  const GroupScore score = score_total({row, comparison("x", 100, 150)});
  ASSERT_TRUE(score.named.has_value());
  EXPECT_EQ(score.named->rows, 1);
  EXPECT_DOUBLE_EQ(score.named->mape, 5);
  EXPECT_DOUBLE_EQ(score.named->chosen_mape, 20);
  EXPECT_DOUBLE_EQ(score.mape, 35);
  EXPECT_EQ(score_json(score)["named_mape"], 5);
  EXPECT_FALSE(score_total({comparison("x", 100, 150)}).named.has_value());
}

TEST(Score, HasNoTilesWhereARowTriedNone) {
  Comparison row = comparison("x", 100, 120);
  row.tiles = {{"a", 120}, {"b", 95}};
  const GroupScore score = score_total({row, comparison("x", 100, 90)});
  EXPECT_FALSE(score.tiles.has_value());
  EXPECT_FALSE(score_json(score).contains("nearest_tile_mape"));
}

TEST(Score, SizeClassesMeetAtTenAndThreeHundredMicroseconds) {
  EXPECT_EQ(size_class(9.99), "under 10 us");
  EXPECT_EQ(size_class(10), "10-300 us");
  EXPECT_EQ(size_class(300), "10-300 us");
  EXPECT_EQ(size_class(300.1), "above 300 us");
}

}  // namespace
}  // namespace tcsim::validate
