#include "sim/sweep/collect.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <fstream>

#include "sim/sweep/html_report.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/sweep/sweep_samples.hpp"

namespace tcsim::sweep {
namespace {

using testing::HasSubstr;

std::string query(const std::filesystem::path& file, const char* sql) {
  sqlite3* database = nullptr;
  ::sqlite3_open(file.c_str(), &database);
  std::string text;
  const auto append = [](void* out, int count, char** values, char**) {
    for (int i = 0; i < count; ++i)
      *static_cast<std::string*>(out) += std::string(values[i] == nullptr ? "-" : values[i]) + "|";
    return 0;
  };
  ::sqlite3_exec(database, sql, append, &text, nullptr);
  ::sqlite3_close(database);
  return text;
}

TEST(Collect, OpenAndFailedPointsAreRowsToo) {
  const test::TemporaryDirectory home;
  const Folder folder = Folder::prepare(home.path() / "s", plan_of(small_spec_text()));
  const auto& points = folder.plan().points;
  folder.store_result(points[0], result_of(3));
  folder.store_failure(points[1], {PointState::kCrashed, 0, 11, "ended by signal 11", {"a", "b"}});
  collect(folder, rows_of(folder));
  const auto file = home.path() / "s/sweep.sqlite";
  EXPECT_EQ(query(file, "SELECT state FROM point"), "done|crashed|open|open|");
  EXPECT_EQ(query(file, "SELECT wall_s FROM point"), "0.5|-|-|-|");
  EXPECT_EQ(query(file, "SELECT machine, n, time_us, tile FROM wide WHERE number = 1"),
            "lab-tiny|32|3.0|64x64x32_s2_w2x2|");
  EXPECT_THAT(query(file, "SELECT point, reason, last_lines FROM failure"),
              HasSubstr("2|ended by signal 11|a\nb\n|"));
}

TEST(Collect, TheDatabaseIsWrittenIntoTheFileThatWaitsForTheDisk) {
  const test::TemporaryDirectory home;
  const Folder folder = Folder::prepare(home.path() / "s", plan_of(small_spec_text()));
  const auto file = home.path() / "empty";
  const auto same = home.path() / "same";
  std::ofstream(file).close();
  std::filesystem::create_hard_link(file, same);
  write_sqlite(file, folder.plan(), rows_of(folder));
  EXPECT_EQ(query(same, "SELECT name FROM sweep"), "small|");
}

TEST(Collect, AParameterAndAMetricOfOneNameAreOneColumn) {
  const test::TemporaryDirectory home;
  const Folder folder = Folder::prepare(home.path() / "s", plan_of(small_spec_text()));
  auto result = result_of(3);
  result["n"] = 32;  // as the batch of a network, which is an axis too
  folder.store_result(folder.plan().points[0], result);
  collect(folder, rows_of(folder));
  const std::string table = sweep_csv(folder.plan(), rows_of(folder));
  const std::string header = table.substr(0, table.find('\n')) + ",";
  EXPECT_EQ(header.find(",n,"), header.rfind(",n,")) << header;
  EXPECT_EQ(query(home.path() / "s/sweep.sqlite",
                  "SELECT count(*) FROM pragma_table_info('wide') WHERE name LIKE 'n:%'"),
            "0|");
}

TEST(Collect, TheTableHoldsNothingOfTheHost) {
  const test::TemporaryDirectory home;
  const Folder folder = Folder::prepare(home.path() / "s", plan_of(small_spec_text()));
  auto result = result_of(3);
  folder.store_result(folder.plan().points[0], result);
  const std::string before = sweep_csv(folder.plan(), rows_of(folder));
  result["simulation"]["wall_s"] = 77;
  folder.store_result(folder.plan().points[0], result);
  EXPECT_EQ(sweep_csv(folder.plan(), rows_of(folder)), before);
  EXPECT_THAT(before, HasSubstr(",time_us,flop,tflops,bound_by,memory.dram_read_bytes,"));
}

TEST(Collect, PartsOfAWorkloadAddUpByTheirCounts) {
  const test::TemporaryDirectory home;
  const Folder folder = Folder::prepare(
      home.path() / "s",
      plan_of("name: net\nmachines: [lab-tiny]\nworkloads:\n  - name: net\n    parts:\n"
              "      - {workload: \"gemm:32\", count: 3}\n      - \"gemm:64\"\n"));
  folder.store_result(folder.plan().points[0], result_of(2));
  EXPECT_FALSE(totals_of(rows_of(folder))[0].complete);
  folder.store_result(folder.plan().points[1], result_of(5));
  const std::vector<Total> totals = totals_of(rows_of(folder));
  ASSERT_EQ(totals.size(), 1U);
  EXPECT_DOUBLE_EQ(*totals[0].number("time_us"), 11);
  EXPECT_DOUBLE_EQ(*totals[0].number("flop"), 4e6);
  EXPECT_DOUBLE_EQ(*totals[0].number("tflops"), 4e6 / 11e6);
  EXPECT_FALSE(totals[0].number("memory.l2_hit_rate").has_value());
}

TEST(Collect, TheAreaOfAChipIsAMetricOfEveryPointAndTotal) {
  const test::TemporaryDirectory home;
  const Folder folder = Folder::prepare(
      home.path() / "s",
      plan_of("name: net\nmachines: [v100, lab-tiny]\nworkloads:\n  - name: net\n    parts:\n"
              "      - {workload: \"gemm:32\", count: 3}\n      - \"gemm:64\"\n"));
  for (const Point& point : folder.plan().points) folder.store_result(point, result_of(2));
  const Folder again = Folder::open(home.path() / "s");
  const std::vector<Row> rows = rows_of(again);
  const std::vector<Total> totals = totals_of(rows);
  ASSERT_EQ(totals.size(), 2U);
  EXPECT_NEAR(*totals[0].number("area_mm2"), 795, 2);
  EXPECT_NEAR(*totals[0].number("core_gates"), 151509, 1000);
  EXPECT_TRUE(totals[1].number("core_gates").has_value());
  EXPECT_FALSE(totals[1].number("area_mm2").has_value());
  EXPECT_EQ(rows[0].metrics.back().name, "area_mm2");
}

TEST(Collect, TheReportHoldsTheFiguresOfTheTableAndNoOtherFile) {
  const test::TemporaryDirectory home;
  const Folder folder = Folder::prepare(home.path() / "s", plan_of(small_spec_text()));
  const auto& points = folder.plan().points;
  folder.store_result(points[0], result_of(3.25));
  folder.store_result(points[2], result_of(4.5));
  folder.store_failure(points[1], {PointState::kCrashed, 0, 11, "ended by signal 11 <&", {}});
  const std::vector<Row> rows = rows_of(folder);
  const std::string html = report_html(folder, rows, totals_of(rows));
  EXPECT_THAT(html, HasSubstr("2 of 4 points done"));
  EXPECT_THAT(html, HasSubstr("<td>3.25</td>"));
  EXPECT_THAT(html, HasSubstr("<td>4.5</td>"));
  EXPECT_THAT(html, HasSubstr("crashed: ended by signal 11 &lt;&amp;"));
  EXPECT_THAT(html, HasSubstr("class=\"line\""));
  EXPECT_THAT(html, testing::Not(HasSubstr("src=")));
  EXPECT_THAT(html, testing::Not(HasSubstr("href=")));
}

TEST(Collect, AReportTellsWhyItHasNoPictureOfResultsBeyondAnAxis) {
  const test::TemporaryDirectory home;
  const Folder folder = Folder::prepare(home.path() / "s", plan_of(small_spec_text()));
  nlohmann::ordered_json result = result_of(3);
  for (const Point& point : folder.plan().points) {
    folder.store_result(point, result);
    result["energy"]["energy_j"] = 1e308;
  }
  const std::vector<Row> rows = rows_of(folder);
  const std::string html = report_html(folder, rows, totals_of(rows));
  EXPECT_THAT(html, HasSubstr("4 of 4 points done"));
  EXPECT_THAT(html, testing::ContainsRegex("<section id=\"parallel\"><p>[^<]+</p></section>"));
}

}  // namespace
}  // namespace tcsim::sweep
