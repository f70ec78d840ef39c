#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "tests/cli/tcsim_process.hpp"

namespace tcsim::cli {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

const std::string published_header = "suite,test,published,unit,set,source\n";

/// A table of the current directory.
void write_table(const std::string& rows) { std::ofstream("mine.csv") << published_header << rows; }

TEST(MicrobenchCommand, PrintsModelAndPublishedFigureAsJson) {
  const TemporaryHome home;
  write_table(
      "alu,FFMA,5,cycles,,mine\nshared,LDS,23,cycles,sm.shared_memory.load_latency_cycles=46,"
      "mine\n");
  const ChildResult result = tcsim({"microbench", "a100", "--table", "mine.csv", "-f", "json"});
  EXPECT_EQ(result.status, 0) << result.errors;
  const Json json = Json::parse(result.output);
  EXPECT_EQ(json["machine"], "a100-sxm4-40gb");
  ASSERT_EQ(json["rows"].size(), 2U);
  const Json& ffma = json["rows"][0];
  EXPECT_EQ(ffma["name"], "FFMA");
  EXPECT_NEAR(ffma["model"].get<double>(), 4, 0.01);
  EXPECT_EQ(ffma["published"], 5);
  EXPECT_EQ(ffma["unit"], "cycles");
  EXPECT_NEAR(ffma["error_percent"].get<double>(), -20, 0.1);
  EXPECT_EQ(ffma["source"], "mine");
  EXPECT_NEAR(json["rows"][1]["model"].get<double>(), 46, 0.01);
  EXPECT_EQ(json["summary"]["rows"], 2);
  EXPECT_EQ(json["summary"]["within_15_percent"], 0);
}

TEST(MicrobenchCommand, KeepsOneSuiteAndChecksABound) {
  const TemporaryHome home;
  write_table("alu,FFMA,5,cycles,,mine\nsync,BAR.SYNC,23,cycles,,mine\n");
  const ChildResult all = tcsim({"microbench", "a100", "--table", "mine.csv", "--within", "15"});
  EXPECT_EQ(all.status, 1);
  EXPECT_THAT(all.output, HasSubstr("-20.0 %"));
  EXPECT_THAT(all.output, HasSubstr("2 of 2 rows have a value; 1 within 5 %, 1 within 15 %"));
  const ChildResult sync =
      tcsim({"microbench", "a100", "--table", "mine.csv", "--within", "15", "--suite", "sync"});
  EXPECT_EQ(sync.status, 0);
  EXPECT_THAT(sync.output, HasSubstr("1 of 1 rows have a value"));
}

TEST(MicrobenchCommand, ChecksABoundOfZero) {
  const TemporaryHome home;
  write_table("alu,FFMA,5,cycles,,mine\n");
  EXPECT_EQ(tcsim({"microbench", "a100", "--table", "mine.csv", "--within", "0"}).status, 1);
  const ChildResult below = tcsim({"microbench", "a100", "--table", "mine.csv", "--within", "-1"});
  EXPECT_EQ(below.status, 2);
  EXPECT_EQ(below.errors, "--within: -1 is not a percentage from 0 on\n");
}

TEST(MicrobenchCommand, ATableWithNothingToRunIsAMistake) {
  const TemporaryHome home;
  write_table("alu,FFMA,5,cycles,,mine\n");
  const ChildResult none = tcsim({"microbench", "a100", "--table", "mine.csv", "--suite", "sync"});
  EXPECT_EQ(none.status, 2);
  EXPECT_EQ(none.errors, "mine.csv: no row of the suite sync\n");
  write_table("");
  EXPECT_EQ(tcsim({"microbench", "a100", "--table", "mine.csv"}).errors, "mine.csv: no row\n");
}

TEST(MicrobenchCommand, AnInterruptLeavesTheOtherRowsWithoutAValue) {
  const TemporaryHome home;
  ASSERT_EQ(::mkfifo("mine.csv", 0600), 0);
  std::optional<std::chrono::steady_clock::time_point> read;
  const auto half_a_second_after_the_table = [&read] {
    if (!read) {
      const int descriptor = ::open("mine.csv", O_WRONLY | O_NONBLOCK);
      if (descriptor < 0) return 0;  // not yet opened to be read
      const std::string text = published_header +
                               "alu,FFMA,4,cycles,,mine\nl2,chase bytes=1024MiB,4,cycles,,mine\n"
                               "alu,IADD3,4,cycles,,mine\n";
      EXPECT_EQ(::write(descriptor, text.data(), text.size()), static_cast<ssize_t>(text.size()));
      ::close(descriptor);
      read = std::chrono::steady_clock::now();
    }
    return std::chrono::steady_clock::now() - *read > std::chrono::milliseconds(500) ? SIGINT : 0;
  };
  const ChildResult result = tcsim({"microbench", "lab-tiny", "--table", "mine.csv", "-f", "json"},
                                   half_a_second_after_the_table);
  EXPECT_EQ(result.status, 130);
  const Json json = Json::parse(result.output);
  EXPECT_EQ(json["summary"]["rows"], 3);
  EXPECT_EQ(json["rows"][1]["reason"], "interrupted");
  EXPECT_EQ(json["rows"][2]["reason"], "interrupted");
}

TEST(MicrobenchCommand, PlacesWhatARowSetsInItsTable) {
  const TemporaryHome home;
  write_table("alu,FFMA,4,cycles,,mine\nalu,FFMA,4,cycles,clocks.sm_mz=3,mine\n");
  const ChildResult result =
      tcsim({"microbench", "a100", "--table", "mine.csv", "--set", "gpu.sms=108"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.errors, HasSubstr("mine.csv:3:19: set: clocks.sm_mz: unknown key; did you"));
}

TEST(MicrobenchCommand, SaysWhyARowHasNoValue) {
  const TemporaryHome home;
  write_table("mma,HMMA.16816.F32,25,cycles,,mine\n");
  const ChildResult result = tcsim({"microbench", "v100", "--table", "mine.csv", "-f", "csv"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.output,
            "suite,name,model,published,unit,error_percent,source\nmma,HMMA.16816.F32,,25,cycles,,"
            "mine\n");
  EXPECT_THAT(tcsim({"microbench", "v100", "--table", "mine.csv"}).output,
              HasSubstr("v100-sxm2 has no HMMA.16816.F32"));
}

TEST(MicrobenchCommand, ShowsHowRowsMoveWithAKey) {
  const TemporaryHome home;
  write_table("alu,FFMA,4,cycles,,mine\nalu,IADD3,4,cycles,,mine\n");
  const ChildResult result = tcsim({"microbench", "a100", "--table", "mine.csv", "--sensitivity",
                                    "sm.pipes.fp32_latency_cycles", "-f", "json"});
  EXPECT_EQ(result.status, 0) << result.errors;
  const Json json = Json::parse(result.output);
  EXPECT_EQ(json["value"], "4");
  EXPECT_NEAR(json["rows"][0]["halved"].get<double>(), 2, 0.02);
  EXPECT_NEAR(json["rows"][0]["doubled"].get<double>(), 8, 0.02);
  EXPECT_EQ(json["rows"][1]["halved"], json["rows"][1]["model"]);
  EXPECT_EQ(tcsim({"microbench", "a100", "--table", "mine.csv", "--sensitivity",
                   "sm.pipes.fp32_latency_cycles", "--suite", "alu", "-f", "csv"})
                .output,
            "suite,name,model,unit,halved_percent,doubled_percent\n"
            "alu,FFMA,4,cycles,-49.90,100.00\nalu,IADD3,4,cycles,0.00,0.00\n");
  EXPECT_THAT(tcsim({"microbench", "a100", "--table", "mine.csv", "--sensitivity",
                     "sm.pipes.fp32_latency_cyclez"})
                  .errors,
              HasSubstr("did you mean \"sm.pipes.fp32_latency_cycles\"?"));
  EXPECT_EQ(tcsim({"microbench", "a100", "--table", "mine.csv", "--sensitivity", "assumptions",
                   "--within", "1"})
                .errors,
            "--within has no effect with --sensitivity\n");
  EXPECT_THAT(
      tcsim({"microbench", "a100", "--table", "mine.csv", "--sensitivity", "l2.size"}).errors,
      HasSubstr("--sensitivity: 'l2.size' is not a key of a100"));
  EXPECT_THAT(tcsim({"microbench", "a100", "--table", "mine.csv", "--sensitivity", "chip"}).errors,
              HasSubstr("--sensitivity: chip is 'GA100', not a number"));
}

TEST(MicrobenchCommand, ShowsWhichAssumptionsMoveTheRows) {
  const TemporaryHome home;
  write_table("alu,FFMA,4,cycles,,mine\nl2,LDG.E.STRONG.GPU,185,cycles,,mine\n");
  const ChildResult result = tcsim({"microbench", "lab-tiny", "--table", "mine.csv",
                                    "--sensitivity", "assumptions", "-f", "json"});
  EXPECT_EQ(result.status, 0) << result.errors;
  const Json rows = Json::parse(result.output);
  const auto row_of = [&rows](const std::string& key) {
    const auto row = std::ranges::find_if(rows, [&key](const Json& r) { return r["key"] == key; });
    return row == rows.end() ? Json() : *row;
  };
  const Json request = row_of("noc.request_latency_cycles");
  EXPECT_EQ(request["value"], "45");
  EXPECT_EQ(request["rows_moved"], "1");
  EXPECT_THAT(request["doubled"].get<std::string>(), HasSubstr(" % of LDG.E.STRONG.GPU"));
  EXPECT_EQ(row_of("sm.pipes.fp64_latency_cycles")["doubled"], "0");
  EXPECT_TRUE(row_of("sm.pipes.fp32_latency_cycles").is_null());  // measured
}

TEST(MicrobenchCommand, RefusesMistakesWithTheirStatus) {
  const TemporaryHome home;
  write_table("alu,FFMA,4,cycle,,mine\n");
  const ChildResult table = tcsim({"microbench", "a100", "--table", "mine.csv"});
  EXPECT_EQ(table.status, 2);
  EXPECT_THAT(table.errors, HasSubstr("mine.csv:2:12: unit: 'cycle' is not a unit of FFMA"));
  const ChildResult suite = tcsim({"microbench", "a100", "--suite", "drum"});
  EXPECT_EQ(suite.status, 2);
  EXPECT_THAT(suite.errors,
              HasSubstr("--suite: 'drum' is not one of mma, alu, shared, l1, l2, dram, "
                        "sync, launch; did you mean \"dram\"?"));
  EXPECT_EQ(tcsim({"microbench", "a100", "--table", "none.csv"}).status, 5);
  EXPECT_EQ(tcsim({"microbench", "p100"}).status, 2);
  EXPECT_EQ(tcsim({"microbench"}).errors,
            "microbench: no machine given; write tcsim microbench MACHINE\n");
}

}  // namespace
}  // namespace tcsim::cli
