#include "sim/results/list_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <variant>

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

/// A network that two GPUs share, as a list of one row.
StoredList network_list(const std::string& field, const Json& value) {
  Json result = Json::parse(R"({"machine": "toy", "time_us": 2.5, "tflops": 0.0015, "flop": 1e6,
      "peak_fraction": 0.5, "bound_by": "dram", "memory": {"arithmetic_intensity": null},
      "kernels": [], "cycles_by_reason": {"issued": 10}, "gpus": 2, "samples_per_s": 400000.0,
      "tokens_per_s": 800000.0, "collectives": {"time_us": 0.5}})");
  result[field] = value;
  const Json row{{"row", 1},
                 {"machine", "toy"},
                 {"workload", "net:tiny"},
                 {"title", "tiny, batch 1, fp16, forward, 2 GPUs"},
                 {"directory", "rows/0001-toy"},
                 {"status", "done"},
                 {"reason", ""},
                 {"result", result}};
  return list_of("list", View(Json::array({row}), "rows.json"), fake_run().manifest);
}

TEST(ListReport, OfANetworkHasItsRates) {
  const Document document = report_of(network_list("gpus", 2));
  const auto rows = std::ranges::find(document.sections, "rows", &Section::id);
  ASSERT_NE(rows, document.sections.end());
  const auto& table = std::get<Table>(rows->parts.front());
  EXPECT_THAT(table.columns, ElementsAre("machine", "workload", "time us", "samples/s", "tokens/s",
                                         "TFLOPS per GPU", "% of peak", "bound by"));
  ASSERT_EQ(table.rows.size(), 1U);
  std::vector<std::string> texts;
  for (const Cell& cell : table.rows.front()) texts.push_back(cell.text);
  EXPECT_THAT(texts, ElementsAre("toy", "tiny, batch 1, fp16, forward, 2 GPUs", "2.50", "400000.0",
                                 "800000.0", "0.0015", "50.0", "dram"));
  EXPECT_EQ(table.rows.front()[6].in_column(), 50);
  EXPECT_EQ(table.rows.front()[1].target, "rows/0001-toy/report.html");
}

TEST(ListReport, FiguresOfNetworksAreChecked) {
  const auto refused = [](const std::string& field, const Json& value) {
    return test::refusal([&] { return network_list(field, value); });
  };
  EXPECT_THAT(refused("gpus", "two"), HasSubstr("gpus"));
  EXPECT_THAT(refused("samples_per_s", 1e300), HasSubstr("samples_per_s"));
  EXPECT_THAT(refused("collectives", {{"time_us", "long"}}), HasSubstr("collectives.time_us"));
}

TEST(ListReport, ARowWithoutCyclesIsRefused) {
  EXPECT_THAT(refusal(Json::object()), HasSubstr("names no reason"));
  EXPECT_THAT(refusal({{"issued", 0}}), HasSubstr("adds up to no cycle"));
  EXPECT_THAT(refusal({{"issued", 1e300}}), HasSubstr("rows.json"));
}

}  // namespace
}  // namespace tcsim::results
