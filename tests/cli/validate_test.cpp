#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>

#include "sim/errors/errors.hpp"
#include "sim/files/csv_table.hpp"
#include "sim/report/checksum.hpp"
#include "tests/cli/tcsim_process.hpp"

namespace tcsim::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Json = nlohmann::ordered_json;

/// Measured times of a GPU like lab-tiny, small enough for milliseconds.
class Validate : public ::testing::Test {
 protected:
  Validate() {
    std::ofstream("times.csv")
        << "gpu,op,dtype_in,dtype_acc,params,time_us,tflops,clock_mhz_if_known,source_id,notes\n"
           "Tiny,gemm,fp16,fp32,m=64;n=64;k=64,5,1,,X,\n"
           "Tiny,gemm,fp16,fp32,m=128;n=64;k=64,6,1,,X,\n"
           "Tiny,gemm,fp16,fp32,m=128;n=128;k=512,20,1,,X,l2=weights_cold\n"
           "Tiny,gemm,fp16,fp32,m=64;n=64;k=64,5,1,,X,flag=overhead\n"
           "Tiny,attention_fwd_bwd,fp16,fp32,b=1,5,1,,X,\n";
  }
  TemporaryHome home_;
};

/// The simulated times of the rows of `rows_csv`.
std::vector<double> simulated_us(const std::string& rows_csv) {
  files::CsvTable table(rows_csv, "rows.csv");
  files::CsvRow row;
  table.next(row);
  const auto column =
      std::ranges::find(row.fields, "simulated_us", &files::CsvField::text) - row.fields.begin();
  std::vector<double> times;
  while (table.next(row)) times.push_back(std::stod(row.fields.at(column).text));
  return times;
}

TEST_F(Validate, ScoresTheRowsThatCanBe) {
  const ChildResult result =
      tcsim({"validate", "times.csv", "-m", "lab-tiny", "-f", "json", "-o", "out"});
  ASSERT_EQ(result.status, 0) << result.errors;
  const Json json = Json::parse(result.output);
  EXPECT_EQ(json["total"]["rows"], 3);
  EXPECT_EQ(json["groups"].size(), 2u);
  EXPECT_EQ(json["groups"][0]["gpu"], "Tiny");
  EXPECT_EQ(json["groups"][0]["size_class"], "10-300 us");
  EXPECT_EQ(json["skipped"].size(), 2u);
  for (const char* file :
       {"manifest.json", "rows.csv", "validation.json", "accuracy.csv", "scatter.svg"})
    EXPECT_TRUE(fs::exists(fs::path("out") / file)) << file;
}

TEST_F(Validate, NamesRowsThatFailInEveryFormat) {
  std::ofstream("tiles.csv")
      << "gpu,op,dtype_in,dtype_acc,params,time_us,tflops,clock_mhz_if_known,source_id,notes\n"
         "Tiny,gemm,fp16,fp32,m=64;n=64;k=64,5,1,,X,\n"
         "Tiny,gemm,fp16,fp32,m=64;n=64;k=64,5,1,,X,tile=64x64x64;stages=40;warps=2x2\n";
  for (const char* format : {"csv", "md"}) {
    const ChildResult result =
        tcsim({"validate", "tiles.csv", "-m", "lab-tiny", "--no-files", "-f", format});
    EXPECT_EQ(result.status, kCheckFailed);
    EXPECT_THAT(result.errors, HasSubstr("failed: tiles.csv:3: gemm:")) << format;
  }
  const ChildResult json =
      tcsim({"validate", "tiles.csv", "-m", "lab-tiny", "--no-files", "-f", "json"});
  const Json failed = Json::parse(json.output)["failed"];
  EXPECT_EQ(failed[0]["file"], "tiles.csv");
  EXPECT_EQ(failed[0]["line"], 3);
}

TEST_F(Validate, AddsTheTimesOfBothPassesOfAttention) {
  std::ofstream table("passes.csv");
  table << "gpu,op,dtype_in,dtype_acc,params,time_us,tflops,clock_mhz_if_known,source_id,notes\n";
  for (const char* op : {"attention_fwd", "attention_bwd", "attention_fwd_bwd"})
    table << "A100-SXM4-80GB," << op << ",fp16,fp32,b=1;heads=1;seq=64;dim=64;causal=1,9,1,,X,\n";
  table.close();
  const ChildResult result = tcsim({"validate", "passes.csv", "-f", "csv", "-o", "out"});
  ASSERT_EQ(result.status, 0) << result.errors;
  const std::vector<double> times = simulated_us(result.output);
  ASSERT_EQ(times.size(), 3u);
  EXPECT_GT(times[1], times[0]);
  EXPECT_NEAR(times[2], times[0] + times[1], 1e-4 * times[2]);
  const ChildResult tiles =
      tcsim({"validate", "passes.csv", "-f", "json", "--no-files", "--tiles", "2"});
  ASSERT_EQ(tiles.status, 0) << tiles.errors;
  const Json total = Json::parse(tiles.output)["total"];
  EXPECT_EQ(total["fastest_tile_mape"], total["mape"]);
}

TEST_F(Validate, NamesTheLibrariesOfTheSourceInItsRows) {
  std::ofstream("sources.yaml") << "X: {libraries: [tensorrt]}\n";
  const ChildResult result =
      tcsim({"validate", "times.csv", "-m", "lab-tiny", "-f", "csv", "--no-files"});
  EXPECT_THAT(result.output, HasSubstr(",roofline_us,libraries,named_tile,named_us\n"));
  EXPECT_THAT(result.output, HasSubstr(",tensorrt,,\n"));
}

TEST_F(Validate, GivesTheSameBytesTwiceAndRunsNothingTwice) {
  const std::vector<std::string> words{"validate", "times.csv", "-m", "lab-tiny",
                                       "-f",       "csv",       "-o", "out"};
  const ChildResult first = tcsim(words);
  ASSERT_EQ(first.status, 0) << first.errors;
  EXPECT_EQ(std::distance(fs::directory_iterator("out/rows"), fs::directory_iterator()), 3);
  // A kept result that differs shows that it was taken and not made again.
  fs::path kept;
  for (const auto& entry : fs::directory_iterator("out/rows")) kept = entry.path();
  Json json = Json::parse(text_of(kept));
  json["time_us"] = 1234.0;
  json.erase("checksum");
  std::ofstream(kept) << report::sealed(json).dump();
  EXPECT_THAT(tcsim(words).output, HasSubstr(",1234,"));
  json["time_us"] = 4321.0;
  std::ofstream(kept) << json.dump();  // not as it was written: made again
  EXPECT_EQ(tcsim(words).output, first.output);
  const ChildResult fresh =
      tcsim({"validate", "times.csv", "-m", "lab-tiny", "-f", "csv", "--no-files"});
  EXPECT_EQ(fresh.output, first.output);
}

TEST_F(Validate, TriesOtherTilesAndGoesOnWithThem) {
  std::vector<std::string> words{"validate", "times.csv", "-m",   "lab-tiny", "--tiles",
                                 "3",        "-f",        "json", "-o",       "out"};
  const Json chosen = Json::parse(
      tcsim({"validate", "times.csv", "-m", "lab-tiny", "-f", "json", "-o", "out"}).output);
  const ChildResult result = tcsim(words);
  ASSERT_EQ(result.status, 0) << result.errors;
  const Json total = Json::parse(result.output)["total"];
  EXPECT_EQ(total["mape"], chosen["total"]["mape"]);
  EXPECT_FALSE(chosen["total"].contains("nearest_tile_mape"));
  EXPECT_GT(total["tiles_tried"], 1.5);
  EXPECT_LE(total["tiles_tried"], 3.0);
  EXPECT_LT(total["nearest_tile_mape"], total["mape"]);
  // The chosen tile's results were there already; the others are kept too.
  const auto kept = std::distance(fs::directory_iterator("out/rows"), fs::directory_iterator());
  EXPECT_EQ(kept, 3 * total["tiles_tried"].get<double>());
  words[7] = "csv";
  EXPECT_THAT(tcsim(words).output, HasSubstr(",tiles_tried,fastest_tile,fastest_tile_us,"));
}

TEST_F(Validate, RunsTheKernelThatALibraryChoseBesideItsOwnChoice) {
  std::ofstream("times.csv", std::ios::app)
      << "Tiny,gemm,fp16,fp32,m=256;n=256;k=64,6,1,,X,"
         "kernel=volta_fp16_s884gemm_fp16_64x64_ldg8_f2f_nn\n"
         "Tiny,gemm,fp16,fp32,m=256;n=256;k=128,6,1,,X,"
         "kernel=volta_fp16_s884gemm_fp16_1024x1024_ldg8_f2f_nn\n";
  const ChildResult result =
      tcsim({"validate", "times.csv", "-m", "lab-tiny", "-f", "json", "-o", "out"});
  ASSERT_EQ(result.status, 0) << result.errors;
  const Json total = Json::parse(result.output)["total"];
  EXPECT_EQ(total["rows"], 5);
  EXPECT_EQ(total["named_rows"], 1);  // no kernel has tiles of 1024 rows
  EXPECT_THAT(text_of("out/rows.csv"), HasSubstr(",64x64x"));
  EXPECT_THAT(tcsim({"validate", "times.csv", "-m", "lab-tiny", "-o", "out"}).output,
              HasSubstr("as named |%|"));
}

TEST_F(Validate, TheNamedKernelIsNoneOfTheTilesThatAreTried) {
  std::ofstream("named.csv")
      << "gpu,op,dtype_in,dtype_acc,params,time_us,tflops,clock_mhz_if_known,source_id,notes\n"
         "Tiny,gemm,fp16,fp32,m=256;n=256;k=64,6,1,,X,"
         "kernel=volta_fp16_s884gemm_fp16_64x64_ldg8_f2f_nn\n";
  const ChildResult result = tcsim(
      {"validate", "named.csv", "-m", "lab-tiny", "--tiles", "2", "-f", "json", "--no-files"});
  ASSERT_EQ(result.status, 0) << result.errors;
  const Json total = Json::parse(result.output)["total"];
  EXPECT_EQ(total["named_rows"], 1);
  EXPECT_EQ(total["tiles_tried"], 2.0);
}

TEST_F(Validate, ShowsAPlantedErrorInTheTable) {
  const auto bias = [](const std::vector<std::string>& more) {
    std::vector<std::string> words{"validate", "times.csv", "-m",        "lab-tiny",
                                   "-f",       "json",      "--no-files"};
    words.insert(words.end(), more.begin(), more.end());
    return Json::parse(tcsim(words).output)["total"]["bias"].get<double>();
  };
  EXPECT_GT(bias({"--set", "clocks.sm_mhz=705"}), bias({}) + 10);  // half as fast
}

TEST_F(Validate, ASampleDependsOnItsSeed) {
  const auto rows = [](const char* seed) {
    return tcsim({"validate", "times.csv", "-m", "lab-tiny", "--sample", "1", "--seed", seed, "-f",
                  "csv", "--no-files"})
        .output;
  };
  EXPECT_EQ(rows("1"), rows("1"));
  bool differs = false;
  for (const char* seed : {"2", "3", "4", "5", "6"}) differs = differs || rows(seed) != rows("1");
  EXPECT_TRUE(differs);
}

constexpr const char* kSlowRow = "Tiny,gemm,fp16,fp32,m=8192;n=8192;k=8192,5,1,,X,\n";

TEST_F(Validate, AnInterruptKeepsTheRowsThatEndedAndCallsNoneFailed) {
  std::ofstream("times.csv", std::ios::app) << kSlowRow;
  const auto when_one_has_ended = [] {
    return fs::exists("out/rows") && !fs::is_empty("out/rows") ? SIGINT : 0;
  };
  const ChildResult result = tcsim(
      {"validate", "times.csv", "-m", "lab-tiny", "-j", "2", "-o", "out"}, when_one_has_ended);
  EXPECT_EQ(result.status, 130);
  EXPECT_THAT(result.output, Not(HasSubstr("failed")));
  EXPECT_THAT(result.errors, HasSubstr(" of 4 rows; the same command continues with -o out\n"));
  EXPECT_TRUE(Json::parse(text_of("out/validation.json"))["failed"].empty());
}

TEST_F(Validate, AnInterruptBeforeTheFirstRowEndsIsWrittenDown) {
  std::ofstream("slow.csv")
      << "gpu,op,dtype_in,dtype_acc,params,time_us,tflops,clock_mhz_if_known,source_id,notes\n"
      << kSlowRow;
  const ChildResult result = tcsim({"validate", "slow.csv", "-m", "lab-tiny"},
                                   [] { return fs::exists("run-0001/rows") ? SIGINT : 0; });
  EXPECT_EQ(result.status, 130);
  EXPECT_EQ(result.errors,
            "tcsim validate: interrupted after 0 of 1 row; the same command continues with -o "
            "run-0001\n");
  const Json manifest = Json::parse(text_of("run-0001/manifest.json"));
  EXPECT_EQ(manifest["stopped_by"], "interrupted");
  EXPECT_GT(manifest["wall_s"], 0);
}

TEST_F(Validate, AFilterThatNoRowPassesNamesTheNearestWord) {
  const auto errors = [](const std::vector<std::string>& filter) {
    std::vector<std::string> words{"validate", "times.csv", "-m", "lab-tiny", "--no-files"};
    words.insert(words.end(), filter.begin(), filter.end());
    const ChildResult result = tcsim(words);
    EXPECT_EQ(result.status, 2);
    return result.errors;
  };
  EXPECT_THAT(errors({"--op", "gem"}),
              StartsWith("tcsim validate: --op: no row has 'gem'; there are gemm; did you mean "
                         "\"gemm\"?\nnot scored: "));
  EXPECT_THAT(errors({"--gpu", "Tinny"}), HasSubstr("--gpu: no row has 'Tinny'; there are Tiny; "
                                                    "did you mean \"Tiny\"?"));
  EXPECT_THAT(errors({"--dtype", "fp61"}), HasSubstr("--dtype: no row has 'fp61'"));
  EXPECT_THAT(errors({"--source", "Q"}), HasSubstr("--source: no row has 'Q'; there are X\n"));
}

TEST_F(Validate, LeavesTheResultsOfAnotherCommandAlone) {
  ASSERT_EQ(tcsim({"run", "gemm:64", "-m", "lab-tiny", "-o", "out"}).status, 0);
  const std::string manifest = text_of("out/manifest.json");
  const ChildResult result = tcsim({"validate", "times.csv", "-m", "lab-tiny", "-o", "out"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.errors, HasSubstr("results that are not of tcsim validate"));
  EXPECT_EQ(text_of("out/manifest.json"), manifest);
}

TEST_F(Validate, MistakesAreNamed) {
  const auto errors = [](const std::vector<std::string>& words) {
    const ChildResult result = tcsim(words);
    EXPECT_EQ(result.status, 2);
    return result.errors;
  };
  EXPECT_EQ(errors({"validate", "times.csv", "--sample", "none"}),
            "tcsim validate: --sample: 'none' is not a whole number of at least 1\n");
  EXPECT_EQ(errors({"validate", "times.csv", "--tiles", "0"}),
            "tcsim validate: --tiles: '0' is not a whole number of at least 1\n");
  EXPECT_THAT(errors({"validate", "times.csv"}),
              StartsWith("tcsim validate: no row is left to simulate; see --gpu, --op, --dtype, "
                         "--source\nnot scored: 1 row, first times.csv:6: "));
  EXPECT_THAT(
      errors({"validate", "times.csv"}),
      EndsWith("\nnot scored: 3 rows, first times.csv:2: no machine file for Tiny; give one with "
               "-m\n"));
  EXPECT_EQ(errors({"validate", "times.csv", "--seed", "3"}),
            "tcsim validate: --seed has no effect without --sample\n");
  EXPECT_EQ(tcsim({"validate", "none.csv"}).status, 5);
}

}  // namespace
}  // namespace tcsim::cli
