#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/tcsim_process.hpp"

namespace tcsim::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;
using Json = nlohmann::ordered_json;

class RunList : public ::testing::Test {
 protected:
  static void write_list(const std::string& rows) {
    std::ofstream("list.csv") << "op,dtype_in,dtype_acc,params\n" << rows;
  }

  TemporaryHome home_;
};

constexpr const char* kSlow = "gemm,fp16,fp32,m=8192;n=8192;k=8192\n";
constexpr const char* kQuick = "gemm,fp16,fp32,m=64;n=64;k=64\n";
constexpr const char* kOther = "gemm,fp16,fp32,m=128;n=64;k=64\n";

TEST_F(RunList, PrintsOneRowPerWorkloadAndMachineInOrder) {
  write_list(std::string(kOther) + kQuick);
  const ChildResult result = tcsim(
      {"run", "csv:list.csv", "-m", "lab-tiny", "-m", "t4", "-j", "2", "-f", "json", "--no-files"});
  ASSERT_EQ(result.status, 0) << result.errors;
  const Json rows = Json::parse(result.output);
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0]["machine"], "lab-tiny");
  EXPECT_EQ(rows[1]["machine"], "t4");
  EXPECT_EQ(rows[0]["row"], 1);
  EXPECT_EQ(rows[3]["row"], 2);
  EXPECT_THAT(rows[0]["workload"].get<std::string>(), StartsWith("gemm:m=128,n=64,k=64"));
  for (const Json& row : rows) EXPECT_EQ(row["status"], "done");
}

TEST_F(RunList, RowsAreRunByTheSameProgramEvenIfItsFileGoes) {
  write_list(kQuick);
  const ChildResult result =
      command({"/bin/bash", "-c",
               "ln -L \"$0\" mine 2> /dev/null || cp \"$0\" mine; exec 3< mine; rm mine; "
               "exec /proc/self/fd/3 run csv:list.csv -m lab-tiny --no-files",
               program()});
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("lab-tiny: 1 of 1 row done"));
}

TEST_F(RunList, TellsTheNotesOfItsRowsOnceEach) {
  write_list(std::string(kOther) + kQuick);
  const ChildResult result =
      tcsim({"run", "csv:list.csv", "-m", "lab-tiny", "--unit", "cuda-core", "-o", "out"});
  ASSERT_EQ(result.status, 0) << result.errors;
  const std::string note = "the CUDA-core kernel computes fp16 operands as fp32 (FFMA)";
  EXPECT_EQ(
      result.errors,
      "note: row 1, gemm 128x64x64 fp32->fp32 NT on lab-tiny and 1 further row: " + note + "\n");
  EXPECT_EQ(Json::parse(text_of("out/rows/0002-lab-tiny/stats.json"))["notes"], Json{note});
  EXPECT_THAT(text_of("out/rows/0002-lab-tiny/report.md"), HasSubstr("Note: " + note + "."));
}

TEST_F(RunList, EndsWithASummaryAndJoinsTheFilesOfItsRows) {
  write_list(std::string(kOther) + kQuick);
  const ChildResult result = tcsim({"run", "csv:list.csv", "-m", "lab-tiny", "-o", "out"});
  ASSERT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.output, StartsWith("machine   workload"));
  EXPECT_THAT(result.output, HasSubstr("lab-tiny: 2 of 2 rows done, "));
  const std::string kernels = text_of("out/kernels.csv");
  EXPECT_EQ(std::count(kernels.begin(), kernels.end(), '\n'), 3);
  EXPECT_THAT(kernels, HasSubstr("\n0001-lab-tiny,"));
  EXPECT_THAT(text_of("out/stats.csv"), HasSubstr("\n0002-lab-tiny,run,time_us,us,"));
  EXPECT_EQ(Json::parse(text_of("out/manifest.json"))["complete"], true);
  EXPECT_TRUE(fs::exists("out/rows/0001-lab-tiny/stats.json"));
}

TEST_F(RunList, AFailedRowIsARowWithItsReason) {
  write_list(std::string("gemm,int8,int32,m=64;n=64;k=64\n") + kQuick);
  const ChildResult result =
      tcsim({"run", "csv:list.csv", "-m", "v100", "--unit", "tensor", "-f", "json", "-o", "out"});
  EXPECT_EQ(result.status, 3);
  const Json rows = Json::parse(result.output);
  EXPECT_EQ(rows[0]["status"], "failed");
  EXPECT_EQ(rows[0]["reason"],
            "status 3: v100: int8 has no tensor-core path on this machine (formats: fp16). Use "
            "--unit cuda-core, or a machine that lists int8.");
  EXPECT_TRUE(rows[0]["result"].is_null());
  EXPECT_EQ(rows[1]["status"], "done");
  EXPECT_EQ(Json::parse(text_of("out/manifest.json"))["stopped_by"], "failed rows");
}

TEST_F(RunList, ARowOfATypeWithoutAKernelIsNotCoveredWithItsReason) {
  write_list(
      "gemm,fp8,fp32,m=64;n=64;k=64\n"
      "conv_dgrad,e4m3,fp32,n=1;h=8;w=8;c=16;k=16;r=3;s=3;stride=1;pad=1\n"
      "attention_bwd,fp8,fp32,b=1;heads=1;n=64;d=64\n"
      "softmax,fp8,fp32,rows=8;cols=8\n");
  const ChildResult result =
      tcsim({"run", "csv:list.csv", "-m", "h100", "-f", "json", "--no-files", "-q"});
  EXPECT_EQ(result.status, 3);
  for (const Json& row : Json::parse(result.output))
    EXPECT_THAT(row["reason"].get<std::string>(),
                MatchesRegex("status 3: .*kernel is generated for dtype=(fp8|e4m3).*"));
}

TEST_F(RunList, FailedRowsAreToldOnStandardErrorAlsoWhenQuiet) {
  write_list("gemm,fp8,fp32,m=64;n=64;k=64\n");
  const ChildResult result =
      tcsim({"run", "csv:list.csv", "-m", "h100", "-f", "csv", "--no-files", "-q"});
  EXPECT_THAT(result.errors, HasSubstr("tcsim run: row 1, "));
  EXPECT_THAT(result.errors, HasSubstr("no kernel is generated for dtype=fp8"));
}

TEST_F(RunList, IntegersAreCountedInTops) {
  write_list("gemm,int8,int32,m=64;n=64;k=64\n");
  const ChildResult whole = tcsim({"run", "csv:list.csv", "-m", "lab-tiny", "--no-files"});
  EXPECT_THAT(whole.output, Not(HasSubstr("TFLOPS")));
  EXPECT_THAT(whole.output, HasSubstr("TOPS overall"));
  write_list(std::string("gemm,int8,int32,m=64;n=64;k=64\n") + kQuick);
  const ChildResult both = tcsim({"run", "csv:list.csv", "-m", "lab-tiny", "--no-files"});
  EXPECT_THAT(both.output, AllOf(HasSubstr(" TOPS overall"), Not(HasSubstr("TFLOPS"))));
}

TEST_F(RunList, AStoppedRowKeepsItsPartialResult) {
  write_list(kSlow);
  const ChildResult result = tcsim({"run", "csv:list.csv", "-m", "lab-tiny", "--max-cycles",
                                    "20000", "-f", "json", "--no-files"});
  EXPECT_EQ(result.status, 4);
  const Json rows = Json::parse(result.output);
  EXPECT_EQ(rows[0]["status"], "stopped");
  EXPECT_EQ(rows[0]["reason"], "cycle limit");
  EXPECT_GE(rows[0]["result"]["cycles"], 20000);
}

TEST_F(RunList, RunsOnlyTheFirstRowsWithALimit) {
  write_list(std::string(kQuick) + kSlow);
  const ChildResult result =
      tcsim({"run", "csv:list.csv", "-m", "lab-tiny", "--limit", "1", "-f", "csv", "--no-files"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 2);
}

TEST_F(RunList, AnInterruptKeepsTheFinishedRows) {
  write_list(std::string(kQuick) + kSlow + kQuick);
  const auto when_the_second_runs = [] {
    return fs::exists("out/rows/0002-lab-tiny/manifest.json") ? SIGINT : 0;
  };
  const ChildResult result =
      tcsim({"run", "csv:list.csv", "-m", "lab-tiny", "-j", "1", "-f", "json", "-o", "out"},
            when_the_second_runs);
  EXPECT_EQ(result.status, 130);
  const Json rows = Json::parse(result.output);
  EXPECT_EQ(rows[0]["status"], "done");
  EXPECT_EQ(rows[1]["status"], "stopped");
  EXPECT_EQ(rows[1]["reason"], "interrupted");
  EXPECT_EQ(rows[2]["status"], "not run");
  EXPECT_THAT(result.errors, HasSubstr("tcsim run: interrupted after 1 of 3 rows"));
  EXPECT_EQ(Json::parse(text_of("out/manifest.json"))["stopped_by"], "interrupted");
  EXPECT_TRUE(fs::exists("out/rows.csv"));
}

TEST_F(RunList, AMistakeInTheListEndsTheCommandBeforeAnyRow) {
  write_list(std::string(kQuick) + "gemm,fp61,fp32,m=64;n=64;k=64\n");
  const ChildResult result = tcsim({"run", "csv:list.csv", "-m", "lab-tiny"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.errors, StartsWith("list.csv:3:"));
  EXPECT_FALSE(fs::exists("run-0001"));
}

}  // namespace
}  // namespace tcsim::cli
