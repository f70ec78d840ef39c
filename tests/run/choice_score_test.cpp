#include "sim/run/choice_score.hpp"

#include <gtest/gtest.h>

#include "sim/validate/named_kernels.hpp"

namespace tcsim::run {
namespace {

validate::NamedKernel call_of(const std::string& words, const std::string& kernel) {
  validate::NamedKernel row;
  row.gpu = row.model.machine = "a100";
  row.operation = "gemm";
  row.workload = workload::parse_workload(words).front();
  row.unit = "tensor";
  std::string reason;
  row.name = kernels::parse_kernel_name(kernel, reason).value();
  return row;
}

TEST(ChoiceScore, ComparesThePickWithTheNamedTile) {
  const std::vector<validate::NamedKernel> rows{
      call_of("gemm:8192", "ampere_fp16_s16816gemm_fp16_128x256_ldg8_f2f_stages_64x3_tn"),
      call_of("gemm:8192", "ampere_fp16_s16816gemm_fp16_128x256_ldg8_f2f_stages_32x3_tn"),
      call_of("gemm:8192", "ampere_fp16_s16816gemm_fp16_512x8_ldg8_f2f_stages_32x3_tn")};
  const NamedChoices choices = choose_for(rows, {});
  ASSERT_EQ(choices.rows.size(), 3u);
  EXPECT_EQ(choices.rows[0].library, "cublas-ampere");
  EXPECT_TRUE(choices.rows[0].is_right_in_all);
  EXPECT_TRUE(choices.rows[1].is_right);
  EXPECT_FALSE(choices.rows[1].is_right_in_all);
  EXPECT_FALSE(choices.rows[2].is_on_menu);
  EXPECT_EQ(choices.rows[2].uniform, 0);
  EXPECT_EQ(choices.rows[2].nearest.n, 256);
  EXPECT_EQ(choices.rows[2].loss, std::nullopt);

  const std::vector<ChoiceGroup> groups = score_choices(choices.rows);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[1].gpu, "all");
  EXPECT_EQ(groups[1].score.rows, 3u);
  EXPECT_EQ(groups[1].score.right, 2u);
  EXPECT_EQ(groups[1].score.right_in_all, 1u);
}

/// A golden: what the fitted rule of cublas-nvjet reached on every 40th product of an H200.
TEST(ChoiceScore, NvjetFollowsTheNamesOfAnH200) {
  validate::NamedKernels list =
      validate::read_named_kernels(TC_TEST_SOURCE "/tests/validation/kernels_h200.csv.gz", {});
  ASSERT_GT(list.rows.size(), 9000u);
  std::vector<validate::NamedKernel> rows;
  constexpr std::size_t kStep = 40;
  for (std::size_t i = 0; i < list.rows.size(); i += kStep) rows.push_back(list.rows[i]);
  const ChoiceScore score = score_choices(choose_for(rows, {}).rows).back().score;
  EXPECT_EQ(score.rows, rows.size());
  EXPECT_GE(score.on_menu, score.rows * 88 / 100);  // 213 of 237
  EXPECT_GE(score.right, score.rows * 46 / 100);    // 116
  EXPECT_GE(score.slicing_right, score.slicing_told * 90 / 100);
}

TEST(ChoiceScore, IntervalIsWilsons) {
  const ShareInterval half = wilson(50, 100);  // 0.404 to 0.596 of published tables
  EXPECT_NEAR(half.low, 0.404, 0.0005);
  EXPECT_NEAR(half.high, 0.596, 0.0005);
  EXPECT_NEAR(wilson(0, 10).high, 0.278, 0.0005);
  EXPECT_EQ(wilson(0, 0).high, 1);
}

}  // namespace
}  // namespace tcsim::run
