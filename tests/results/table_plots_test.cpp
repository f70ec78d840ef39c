#include "sim/results/table_plots.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "sim/config/error.hpp"
#include "sim/files/atomic_file.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_directory.hpp"

namespace tcsim::results {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ResultTables : public testing::Test {
 protected:
  ResultTable read(const std::string& text) {
    const auto path = directory_.path() / "rows.csv";
    files::write_atomically(path, text);
    return read_result_table(path);
  }
  std::string refusal(const std::string& text) {
    return test::refusal([&] { read(text); });
  }

  std::string refusal_of_speed_ups(const std::string& text) {
    return test::refusal<std::invalid_argument>([&] { speed_ups(read(text), "machine"); });
  }

  test::TemporaryDirectory directory_;
};

constexpr const char* kRows =
    "machine,workload,status,time_us,tflops\n"
    "v,gemm:256,done,4,1\n"
    "a,gemm:256,done,1,4\n"
    "v,gemm:512,done,9,2\n"
    "a,gemm:512,done,4,5\n"
    "a,\"gemm:m=1,n=2,k=3\",failed,,\n";

TEST_F(ResultTables, KnowTheSideOfSquareProducts) {
  const ResultTable table = read(kRows);
  ASSERT_EQ(table.rows.size(), 5U);
  EXPECT_EQ(table.rows[2].number("n"), 512);
  EXPECT_EQ(table.rows[4].number("n"), std::nullopt);
  EXPECT_FALSE(table.rows[4].complete);
  EXPECT_THAT(table.keys, ElementsAre("machine", "workload"));
}

TEST_F(ResultTables, CompareMachinesRowByRow) {
  const plot::Bars bars = speed_ups(read(kRows), "machine");
  ASSERT_EQ(bars.rows.size(), 3U);
  EXPECT_DOUBLE_EQ(bars.rows[0].value, 4);
  EXPECT_DOUBLE_EQ(bars.rows[1].value, 2.25);
  EXPECT_DOUBLE_EQ(bars.rows[2].value, 3);
  EXPECT_EQ(bars.rows[2].label, "a: geometric mean");
}

TEST_F(ResultTables, TakeAMachineWithChangesForAnotherOne) {
  const plot::Bars bars = speed_ups(
      read("machine,workload,time_us,overrides\nv,gemm:8,4,\nv,gemm:8,2,clocks.sm_mhz=9\n"),
      "machine");
  EXPECT_THAT(bars.rows.back().label, "v, clocks.sm_mhz=9: geometric mean");
  EXPECT_DOUBLE_EQ(bars.rows.back().value, 2);
}

TEST_F(ResultTables, TellPointsOfASweepApartByItsAxes) {
  const plot::Bars bars = speed_ups(read("point,name,machine,workload,n,part,time_us\n"
                                         "1,p,v,gemm:{n},64,gemm:64,4\n"
                                         "2,p,v,gemm:{n},128,gemm:128,9\n"
                                         "3,p,a,gemm:{n},64,gemm:64,2\n"
                                         "4,p,a,gemm:{n},128,gemm:128,3\n"),
                                    "machine");
  ASSERT_EQ(bars.rows.size(), 3U);
  EXPECT_DOUBLE_EQ(bars.rows[0].value, 2);
  EXPECT_DOUBLE_EQ(bars.rows[1].value, 3);
}

TEST_F(ResultTables, RefuseSeveralRowsToCompareWith) {
  EXPECT_THAT(
      refusal_of_speed_ups("machine,workload,time_us\nv,gemm:8,1\nv,gemm:8,2\na,gemm:8,1\n"),
      HasSubstr("several rows of v are 'gemm:8'; choose among them with --where"));
}

TEST_F(ResultTables, RefuseSeveralRowsOfAnyMachine) {
  EXPECT_THAT(
      refusal_of_speed_ups("machine,workload,time_us\nv,gemm:8,1\na,gemm:8,1\na,gemm:8,2\n"),
      HasSubstr("several rows of a are 'gemm:8'; choose among them with --where"));
}

TEST_F(ResultTables, TellWhichMachineHasNoRowInCommon) {
  const plot::Bars bars =
      speed_ups(read("machine,workload,time_us\nv,gemm:8,4\nc,gemm:9,1\na,gemm:8,2\n"), "machine");
  ASSERT_EQ(bars.rows.size(), 3U);
  EXPECT_EQ(bars.rows[0].label, "c: geometric mean");
  EXPECT_EQ(bars.rows[0].text, "no row in common");
  EXPECT_DOUBLE_EQ(bars.rows[2].value, 2);
  EXPECT_THAT(bars.legend, ElementsAre("c", "a")) << "in the order of their colours";
}

constexpr const char* kRepeats =
    "row,machine,workload,status,time_us\n"
    "1,v,gemm:8,done,4\n"
    "1,a,gemm:8,done,2\n"
    "2,v,gemm:9,done,9\n"
    "2,a,gemm:9,done,3\n"
    "3,v,gemm:8,done,8\n"
    "3,a,gemm:8,done,1\n";

TEST_F(ResultTables, CompareEqualWorkloadsOfAListByTheirRows) {
  const plot::Bars bars = speed_ups(read(kRepeats), "machine");
  ASSERT_EQ(bars.rows.size(), 4U);
  EXPECT_EQ(bars.rows[0].label, "gemm:8 (row 1)");
  EXPECT_DOUBLE_EQ(bars.rows[0].value, 2);
  EXPECT_EQ(bars.rows[1].label, "gemm:9");
  EXPECT_EQ(bars.rows[2].label, "gemm:8 (row 3)");
  EXPECT_DOUBLE_EQ(bars.rows[2].value, 8);
}

TEST_F(ResultTables, MapEqualWorkloadsOfAListByTheirRows) {
  ResultTable table = read(kRepeats);
  const plot::Bars bars = bars_of(table, heat_map(table, "workload", "machine", "time_us"));
  EXPECT_EQ(bars.rows[4].label, "workload gemm:8 (row 3), v");
}

TEST_F(ResultTables, PairRowsThatTheSeriesTellsApart) {
  const plot::Bars bars = speed_ups(
      read("row,machine,workload,tile,time_us\n1,v,gemm:8,s,4\n2,v,gemm:8,t,2\n"), "tile");
  EXPECT_EQ(bars.rows.front().label, "v, gemm:8");
}

TEST_F(ResultTables, RefuseToCompareOneMachine) {
  EXPECT_THROW(speed_ups(read("machine,workload,time_us\nv,gemm:8,1\n"), "machine"),
               std::invalid_argument);
}

TEST_F(ResultTables, DrawRatesAgainstTheSide) {
  ResultTable table = read(kRows);
  const sweep::PlotRequest plot = flops_vs_n(table);
  EXPECT_EQ(table.rows.size(), 4U);
  EXPECT_EQ(plot.series, "machine");
  EXPECT_EQ(bars_of(table, plot).rows[3].label, "n 512, a");
}

TEST_F(ResultTables, DrawACurveForEachNumberFormat) {
  ResultTable table = read(
      "machine,workload,status,tflops\nv,gemm:64,done,3\n"
      "v,\"gemm:m=64,n=64,k=64,dtype=int8\",done,4\nv,\"gemm:m=8,n=8,k=8,dtype=fp64\",failed,\n");
  EXPECT_EQ(flops_vs_n(table).series, "machine");
  EXPECT_EQ(table.rows[0].parameters.front().second, "v, fp16");
  EXPECT_EQ(table.rows[1].parameters.front().second, "v, int8");
  table = read("n,dtype,tflops\n64,fp16,3\n64,int8,4\n");
  EXPECT_EQ(flops_vs_n(table).series, "dtype");
}

TEST_F(ResultTables, DrawRatesOfSquareProductsAlone) {
  const std::string rows =
      "configuration,name,machine,workload,n,complete,tflops\n"
      "1,,v,\"attn:heads=2,n={n},d=64\",32,yes,3\n"
      "2,,v,\"gemm:m=64,n={n},k=32\",32,yes,4\n"
      "3,,v,layer,32,yes,5\n";
  EXPECT_THAT(
      [&] {
        ResultTable table = read(rows);
        (void)flops_vs_n(table);
      },
      testing::ThrowsMessage<std::invalid_argument>("no row is a GEMM with m = n = k"));
  ResultTable table = read(rows + "4,,v,\"gemm:m={n},n={n},k={n}\",32,yes,6\n");
  const sweep::PlotRequest plot = flops_vs_n(table);
  const plot::Bars bars = bars_of(table, plot);
  ASSERT_EQ(bars.rows.size(), 1U);
  EXPECT_EQ(bars.rows[0].label, "n 32, v");
  EXPECT_DOUBLE_EQ(bars.rows[0].value, 6);
}

TEST_F(ResultTables, KeepTheRowsOfOneValue) {
  ResultTable table = read(kRows);
  keep_rows(table, "machine", "a");
  EXPECT_EQ(table.rows.size(), 3U);
  EXPECT_THROW(keep_rows(table, "machin", "a"), config::ConfigError);
  EXPECT_THAT([&] { keep_rows(table, "machine", "x"); },
              testing::ThrowsMessage<std::invalid_argument>("no row has machine 'x'"));
}

TEST_F(ResultTables, NameTheHeaderThatLacksAColumn) {
  const ResultTable table = parse_result_table(std::string("\n") + kRows, "rows.csv");
  EXPECT_THAT([&] { require_column(table, "tflop"); },
              testing::ThrowsMessage<config::ConfigError>(
                  "rows.csv:2:1: header: no column 'tflop'; did you mean \"tflops\"?"));
}

TEST_F(ResultTables, TakeTheParametersOfASweep) {
  const ResultTable table =
      read("configuration,name,machine,n,complete,reason,time_us\n1,,v,8,yes,,3\n");
  EXPECT_THAT(table.keys, ElementsAre("machine", "n"));
}

TEST_F(ResultTables, TakeTheMarkOfASpreadsheet) {
  EXPECT_EQ(read(std::string("\xef\xbb\xbf") + kRows).columns.front(), "machine");
}

TEST_F(ResultTables, TakeFormulasWithoutTheApostropheThatGuardsThem) {
  ResultTable table = read("machine,workload,time_us\n'=v,gemm:8,1\n'a,gemm:8,2\n");
  keep_rows(table, "machine", "=v");
  EXPECT_EQ(table.rows.size(), 1U);
  table = read("machine,workload,time_us\n\"'@v,w\",gemm:8,1\n'a,gemm:8,2\n");
  EXPECT_EQ(table.rows[0].text("machine"), "@v,w");
  EXPECT_EQ(table.rows[1].text("machine"), "'a");
}

TEST_F(ResultTables, NameTheLineOfAMistake) {
  EXPECT_THAT(refusal("a,b\n1\n"), HasSubstr("rows.csv:2:1: has 1 fields, the header has 2"));
  EXPECT_THAT(refusal("a,b\n"), HasSubstr("a header and rows are needed"));
  EXPECT_THAT(refusal("a\n\"1\n"), HasSubstr("rows.csv:2:2: the quote is not closed"));
  EXPECT_THAT(refusal("a,b\n1,\"2\"3\n"),
              HasSubstr("rows.csv:2:4: text stands behind the closing quote"));
  EXPECT_THAT(refusal("a,b,a\n1,2,3\n"), HasSubstr("rows.csv:1:5: header: 'a' is given twice"));
  EXPECT_THAT(refusal("machine;time_us\na;1\n"),
              HasSubstr("rows.csv:1:1: fields must be separated by commas"));
  EXPECT_THAT(refusal("machine,workload\na,gemm:64\na,gemm:x\n"),
              HasSubstr("rows.csv:3:3: gemm:x: "));
}

TEST_F(ResultTables, RefuseNumbersThatNoPlotHolds) {
  const auto refused = [&](const std::string& time, const std::string& rate) {
    return test::refusal([&] {
      ResultTable table =
          read("machine,workload,status,time_us,tflops\nv,gemm:8,done,2,1\na,gemm:8,done," + time +
               "," + rate + "\n");
      (void)speed_ups(table, "machine");
      (void)flops_vs_n(table);
    });
  };
  EXPECT_EQ(refused("3", "4"), "accepted");
  for (const char* time : {"0", "-1", "nan", "inf", "1e-320", "1e300", "", "x"})
    EXPECT_THAT(refused(time, "4"),
                HasSubstr(std::string("rows.csv:3:15: time_us: expected a number from 1e-12 to "
                                      "1e+18, got '") +
                          time + "'"));
  for (const char* rate : {"-1", "nan", "inf", "1e300", ""})
    EXPECT_THAT(refused("3", rate), HasSubstr("rows.csv:3:17: tflops: expected a number from 0"));
}

TEST_F(ResultTables, RefuseToMapWhatIsNoNumber) {
  ResultTable table = read("machine,n,v\na,1,nan\n");
  EXPECT_THAT([&] { (void)heat_map(table, "n", "machine", "v"); },
              testing::ThrowsMessage<config::ConfigError>(HasSubstr("rows.csv:2:5: v: expected")));
}

TEST_F(ResultTables, NameTheNearestColumn) {
  const ResultTable table = read(kRows);
  EXPECT_NO_THROW(require_column(table, "tflops"));
  EXPECT_THROW(require_column(table, "tflop"), config::ConfigError);
}

}  // namespace
}  // namespace tcsim::results
