// The default set of measured times: a sample of it, and what a machine file with a wrong tensor
// rate does to it. Every suite has the sample of tests/validation/sample.csv (Accuracy).

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/tcsim_process.hpp"

namespace tcsim::cli {
namespace {

using Json = nlohmann::ordered_json;

Json total_of(std::vector<std::string> words) {
  words.insert(words.begin(), "validate");
  words.insert(words.end(), {"--no-files", "-q", "-f", "json"});
  const ChildResult result = tcsim(words);
  // 1: a row has no kernel, as the INT8 product of T4 with a k of 1530; rows are counted below.
  EXPECT_LE(result.status, 1) << result.errors;
  return Json::parse(result.output)["total"];
}

constexpr int kRows = 40;

TEST(ValidationSample, FollowsTheMeasuredTimes) {
  const TemporaryHome home;
  const Json total = total_of({"--sample", std::to_string(kRows), "--seed", "1"});
  EXPECT_GE(total["rows"], kRows * 7 / 8);
  EXPECT_LT(total["mape"], 25);
  EXPECT_GT(total["pearson_log"], 0.97);
}

TEST(ValidationSample, ShowsATensorRateThatIsAFifthTooHigh) {
  const TemporaryHome home;
  // Products that the tensor cores bind: rows of times_a100.csv.
  std::ofstream("times.csv")
      << "gpu,op,dtype_in,dtype_acc,params,time_us,tflops,clock_mhz_if_known,source_id,notes\n"
         "A100-SXM4-80GB,gemm,bf16,fp32,m=2048;n=768;k=3072;layout=NT,44.8361,215.53,1410,AIC,\n"
         "A100-SXM4-80GB,gemm,bf16,fp32,m=4096;n=1024;k=1024;layout=NT,60.8795,141.1,1410,AIC,\n";
  const double right = total_of({"times.csv"})["bias"];
  const double wrong = total_of({"times.csv", "--set", "sm.tensor.bf16_macs=307"})["bias"];
  EXPECT_LT(wrong, right - 5) << "right " << right;
}

}  // namespace
}  // namespace tcsim::cli
