// The quick half of the published microbenchmarks, on every push.

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/microbench/published_rows.hpp"

namespace tcsim::microbench {
namespace {

class Sample : public testing::TestWithParam<const char*> {};

/// One SM at work, no L2.
bool is_quick(const PublishedRow& row) {
  static const std::set<std::string> suites{"mma", "alu", "shared", "sync", "launch"};
  return suites.contains(row.suite) && row.unit != "TFLOPS" && row.test.value("ctas", 0) == 0;
}

/// Rows beyond 15 %, of docs/accuracy.md.
bool is_far_off(const PublishedRow& row) {
  static const std::set<std::string> names{"SYNCS.ARRIVE.TRANS64.A1T0",
                                           "SYNCS.PHASECHK.TRANS64.TRYWAIT", "MUFU.RCP",
                                           "hand_over", "cluster_puts bytes=128"};
  return names.contains(row.name) ||
         (row.name == "HMMA.16816.F32 warps=1 ilp=1" && row.source.starts_with("FLASHGPU")) ||
         (row.name == "null" && row.source == "V25, GH200");
}

TEST_P(Sample, IsWithinFifteenPercentAndMostlyWithinFive) {
  const std::vector<MeasuredRow> rows =
      measure_rows(GetParam(), [](const auto& row) { return is_quick(row) && !is_far_off(row); });
  ASSERT_GE(rows.size(), 10U);
  for (const MeasuredRow& row : rows)
    EXPECT_LE(std::abs(row.error_percent()), 15) << row.row.name << ' ' << *row.model;
  EXPECT_LE(rows_beyond(rows, 5), static_cast<int>(rows.size()) * 15 / 100);
}

INSTANTIATE_TEST_SUITE_P(Machines, Sample, testing::Values("v100", "t4", "a100", "h100"),
                         [](const auto& test) { return std::string(test.param); });

/// MMAs whose time follows from the shape of the tensor cores, without what was measured of them
/// (docs/tensor-core.md says which rows are beyond, and why).
TEST(DerivedTiming, IsWithinTenPercentOfMostMmas) {
  const std::map<std::string, int> beyond{{"v100", 0}, {"t4", 0}, {"a100", 4}, {"h100", 6}};
  int count = 0;
  int within = 0;
  for (const auto& [machine, most] : beyond) {
    const std::vector<MeasuredRow> rows =
        measure_rows(machine,
                     [](const PublishedRow& row) {
                       return row.suite == "mma" && is_quick(row) && !is_far_off(row);
                     },
                     {"sm.tensor.instruction_timing=derived"});
    EXPECT_LE(rows_beyond(rows, 10), most) << machine;
    count += static_cast<int>(rows.size());
    within += static_cast<int>(rows.size()) - rows_beyond(rows, 10);
  }
  EXPECT_GE(count, 80);
  EXPECT_GE(within, count * 87 / 100);
}

}  // namespace
}  // namespace tcsim::microbench
