#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/cli/tcsim_process.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_of.hpp"

namespace tcsim::cli {
namespace {

using testing::HasSubstr;

TEST(VerifyCommand, ReportsEveryUnitAndOperationWithoutMismatch) {
  const auto result = tcsim({"verify", "rtl", "--vectors", "500"});
  EXPECT_EQ(result.status, 0) << result.errors;
  for (const char* operation :
       {"rtl 4x4x4, fp16 into fp16", "rtl 4x4x4, fp16 into fp32", "rtl 8x4x8, fp16 into fp16",
        "rtl 8x4x8, fp16 into fp32", "rtl 8x4x8, bf16 into fp32", "rtl 8x4x8, tf32 into fp32",
        "rtl 8x4x8, int8 into int32", "rtl 8x4x16, e4m3 into fp16",
        "rtl 8x4x16, e4m3 x e5m2 into fp32"})
    EXPECT_THAT(result.output, HasSubstr(operation));
  EXPECT_THAT(result.output, HasSubstr(" 0 mismatches, seed 1"));
  EXPECT_THAT(result.output, HasSubstr("throughput 512 multiply-adds a cycle (a100: 512)"));
}

TEST(VerifyCommand, FailsOnRequestWhenASituationNeverOccurred) {
  const auto result = tcsim({"verify", "rtl", "--unit", "4x4x4", "--acc", "fp16", "--vectors", "16",
                             "--require-coverage"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.output, HasSubstr("missed: "));
}

TEST(VerifyCommand, WritesJson) {
  const auto result = tcsim(
      {"verify", "rtl", "--unit", "8x4x8", "--dtype", "int8", "--vectors", "64", "-f", "json"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.output, HasSubstr("\"mismatches\": 0"));
}

TEST(VerifyCommand, WritesAWaveform) {
  const test::TemporaryDirectory folder;
  const auto file = folder.path() / "wave.vcd";
  const auto result = tcsim({"verify", "rtl", "--unit", "4x4x4", "--acc", "fp32", "--vectors", "64",
                             "--vcd", file.string()});
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(test::text_of(file), HasSubstr("cut_valid"));
}

TEST(VerifyCommand, ReplaysAFileAndFindsTheResultThatIsNotTheUnits) {
  const test::TemporaryDirectory folder;
  const auto file = folder.path() / "vectors.csv";
  std::ofstream(file) << "cat,a,b,c,d\n"
                         "hw,3c00000000000000,3c00000000000000,3c00,4000\n"
                         "hw,3c00000000000000,3c00000000000000,3c00,4001\n";
  const auto result =
      tcsim({"verify", "rtl", "--unit", "4x4x4", "--acc", "fp16", "--file", file.string()});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.output, HasSubstr("2 measured results, 1 mismatches"));
  EXPECT_THAT(result.output, HasSubstr(".csv:3: rtl 4000, measured 4001"));
}

// Of E4M3 into FP32 there are two operations, one with E5M2.
TEST(VerifyCommand, ComparesSumsThatWrap) {
  const test::TemporaryDirectory folder;
  const std::string file = (folder.path() / "sums.csv").string();
  const auto verified = [&](const std::string& text) {
    std::ofstream(file) << text;
    return tcsim(
        {"verify", "rtl", "--unit", "8x4x8", "--dtype", "int8", "--acc", "int32", "--file", file});
  };
  const ChildResult both =
      verified("a,b,c,d_satfinite,d_wrap\n7f7f,7f7f,7fffffff,7fffffff,80007e01\n");
  EXPECT_EQ(both.status, 0) << both.output;
  const ChildResult saturated = verified("a,b,c,d_satfinite\n7f7f,7f7f,7fffffff,7fffffff\n");
  EXPECT_EQ(saturated.status, 2);
  EXPECT_THAT(saturated.errors, HasSubstr("the sums of the units wrap"));
}

TEST(VerifyCommand, ReplaysAFileOfOneTypeUnlessToldAnother) {
  const test::TemporaryDirectory folder;
  const auto replayed = [&](const std::string& row, std::vector<std::string> words) {
    const std::string file = (folder.path() / "vectors.csv").string();
    std::ofstream(file) << "cat,a,b,c,d\n" << row << "\n";
    words.insert(words.begin(), {"verify", "rtl", "--unit", "8x4x16", "--dtype", "e4m3", "--acc",
                                 "fp32", "--file", file});
    const auto result = tcsim(words);
    EXPECT_EQ(result.status, 0) << result.errors << result.output;
    return result.output;
  };
  EXPECT_THAT(replayed("hw,38,38,00000000,3f800000", {}),
              HasSubstr("rtl 8x4x16, e4m3 into fp32: "));
  EXPECT_THAT(replayed("hw,38,3c,00000000,3f800000", {"--b-dtype", "e5m2"}),
              HasSubstr("rtl 8x4x16, e4m3 x e5m2 into fp32: "));
}

struct RtlRefusal {
  std::vector<std::string> words;
  int status;
  const char* message;
};

TEST(VerifyCommand, RefusesWithTheNearestWordAndTheRightStatus) {
  const RtlRefusal refusals[] = {
      {{"verify"}, 2, "tcsim verify: what? Write tcsim verify rtl"},
      {{"verify", "rtk"}, 2, "'rtk' is not one of rtl; did you mean \"rtl\"?"},
      {{"verify", "rtl", "--unit", "4x4x5"}, 2, "did you mean \"4x4x4\"?"},
      {{"verify", "rtl", "--dtype", "fp61"}, 2, "'fp61' is not one of"},
      {{"verify", "rtl", "--acc", "fp23"}, 2, "'fp23' is not one of"},
      {{"verify", "rtl", "--b-dtype", "e5m3"}, 2, "--b-dtype: 'e5m3' is not one of"},
      {{"verify", "rtl", "--seed", "-1"},
       2,
       "--seed: '-1' is not a whole number from 0 to 18446744073709551615"},
      {{"verify", "rtl", "--vectors", "0"}, 2, "--vectors: 0 is not positive"},
      {{"verify", "rtl", "--vcd", "w.vcd"}, 2, "--vcd is for one operation"},
      {{"verify", "rtl", "--file", "v.csv", "--vectors", "7"},
       2,
       "--vectors and --require-coverage are for random operands, not for --file"},
      {{"verify", "rtl", "--file", "v.csv", "--require-coverage"}, 2, "not for --file"},
      {{"verify", "rtl", "-f", "csv"}, 2, "--format: 'csv' is not one of text, json"},
      {{"verify", "rtl", "--unit", "4x4x4", "--dtype", "int8"},
       3,
       "no unit has int8; there are 4x4x4: fp16 into fp16"},
      {{"verify", "rtl", "--unit", "8x4x16", "--dtype", "e4m3", "--b-dtype", "int8"},
       3,
       "no unit has e4m3 x int8; there are"},
      {{"verify", "rtl", "--unit", "4x4x4", "--acc", "fp32", "--file", "absent.csv"},
       5,
       "absent.csv: cannot read"},
      {{"verify", "rtl", "--unit", "4x4x4", "--acc", "fp32", "--vectors", "16", "--vcd",
        "absent/w.vcd"},
       5,
       "absent/w.vcd: cannot write"},
  };
  for (const RtlRefusal& refusal : refusals) {
    const auto result = tcsim(refusal.words);
    EXPECT_EQ(result.status, refusal.status) << result.errors;
    EXPECT_THAT(result.errors, HasSubstr(refusal.message));
  }
}

}  // namespace
}  // namespace tcsim::cli
