#include "sim/results/list_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/results/stored_runs.hpp"
#include "tests/support/refusal.hpp"

namespace tcsim::results {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A list with one finished row, whose cycles went to `cycles_by_reason`.
StoredList list_with(const Json& cycles_by_reason) {
  const Json row{{"row", 1},
                 {"machine", "toy"},
                 {"workload", "gemm:64"},
                 {"title", "64x64x64"},
                 {"directory", "rows/0001-toy"},
                 {"status", "done"},
                 {"reason", ""},
                 {"result", {{"machine", "toy"}, {"cycles_by_reason", cycles_by_reason}}}};
  return {"list", View(Json::array({row}), "rows.json"), fake_run().manifest};
}

std::string refusal(const Json& cycles_by_reason) {
  return test::refusal([&] { return stalls_of(list_with(cycles_by_reason)); });
}

TEST(ListReport, StallsAreTheCyclesOfEachReason) {
  const plot::StackedBars bars = stalls_of(list_with({{"dependence_fixed", 30}, {"issued", 10}}));
  EXPECT_THAT(bars.names, ElementsAre("dependence fixed", "issued"));
  ASSERT_EQ(bars.rows.size(), 1U);
  EXPECT_EQ(bars.rows[0].label, "toy 64x64x64");
  EXPECT_THAT(bars.rows[0].parts, ElementsAre(30, 10));
}

TEST(ListReport, RowsOfOneTitleAreToldApartByTheirTiles) {
  Json rows = list_with({{"issued", 10}}).rows.json();
  rows[0]["result"]["kernels"] = Json::array({{{"tile", "direct"}}});
  rows.push_back(rows[0]);
  rows[1]["result"]["kernels"][0]["tile"] = "fft";
  const plot::StackedBars bars = stalls_of({"list", View(rows, "rows.json"), fake_run().manifest});
  ASSERT_EQ(bars.rows.size(), 2U);
  EXPECT_EQ(bars.rows[0].label, "toy 64x64x64 direct");
  EXPECT_EQ(bars.rows[1].label, "toy 64x64x64 fft");
}

TEST(ListReport, ARowWithoutCyclesIsRefused) {
  EXPECT_THAT(refusal(Json::object()), HasSubstr("names no reason"));
  EXPECT_THAT(refusal({{"issued", 0}}), HasSubstr("adds up to no cycle"));
  EXPECT_THAT(refusal({{"issued", 1e300}}), HasSubstr("rows.json"));
}

}  // namespace
}  // namespace tcsim::results
