// The quick half of the published microbenchmarks, on every push.

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tests/microbench/published_rows.hpp"

namespace tcsim::microbench {
namespace {

class Sample : public testing::TestWithParam<const char*> {};

/// One SM at work, no L2.
bool is_quick(const PublishedRow& row) {
  static const std::set<std::string> suites{"mma", "alu", "shared", "sync", "launch"};
  return suites.contains(row.suite) && row.unit != "TFLOPS" && row.test.value("ctas", 0) == 0;
}

TEST_P(Sample, IsWithinFifteenPercentAndMostlyWithinFive) {
  const std::vector<MeasuredRow> rows = measure_rows(GetParam(), is_quick);
  ASSERT_GE(rows.size(), 10U);
  for (const MeasuredRow& row : rows)
    EXPECT_LE(std::abs(row.error_percent()), 15) << row.row.name << ' ' << *row.model;
  EXPECT_LE(rows_beyond(rows, 5), static_cast<int>(rows.size()) * 15 / 100);
}

INSTANTIATE_TEST_SUITE_P(Machines, Sample, testing::Values("v100", "t4", "a100", "h100"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace tcsim::microbench
