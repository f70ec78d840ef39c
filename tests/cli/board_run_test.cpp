// The boards that came as a machine file and no line of code.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/cli/tcsim_process.hpp"

namespace tcsim::cli {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

class BoardRun : public ::testing::TestWithParam<const char*> {
 protected:
  static Json run(const std::string& words) {
    const ChildResult result = tcsim({"run", words, "-m", GetParam(), "-f", "json", "--no-files"});
    EXPECT_EQ(result.status, 0) << result.errors;
    return Json::parse(result.output, nullptr, false);
  }

  TemporaryHome home_;
};

TEST_P(BoardRun, PassesTheCheckOfItsFile) {
  const ChildResult result =
      tcsim({"check", TC_SOURCE_DIR "/configs/" + std::string(GetParam()) + ".yaml"});
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("no mistakes"));
}

/// GeForce boards of GA10x add in FP32 at half the rate, the others at the same.
TEST_P(BoardRun, MultipliesMatricesBelowThePeakOfItsSums) {
  const Json wide = run("gemm:512,acc=fp32");
  const Json narrow = run("gemm:512,acc=fp16,out=fp16");
  const bool is_slow = std::string(GetParam()).starts_with("rtx");
  EXPECT_NEAR(narrow["peak_tflops"].get<double>() / wide["peak_tflops"].get<double>(),
              is_slow ? 2 : 1, 1e-9);
  for (const Json& json : {wide, narrow})
    EXPECT_LT(json["tflops"].get<double>(), json["peak_tflops"].get<double>());
  EXPECT_LT(narrow["cycles"].get<long>(), wide["cycles"].get<long>());
}

TEST_P(BoardRun, Convolves) {
  const Json json = run("conv:n=4,hw=28,c=64,k=64,rs=3,pad=1");
  EXPECT_EQ(json["flop"], 2.0 * 4 * 28 * 28 * 64 * 9 * 64);
  EXPECT_GT(json["cycles"].get<long>(), 0);
}

TEST(BoardWithOneFp64Pipe, IsBoundByItWhereItIsBusy) {
  const TemporaryHome home;
  const ChildResult result =
      tcsim({"run", "gemm:m=256,n=128,k=64,dtype=fp64", "-m", "t4", "--set", "gpu.sms=2", "--set",
             "gpu.sms_per_gpc=[2]", "-f", "json", "--no-files", "-q"});
  ASSERT_EQ(result.status, 0) << result.errors;
  const Json json = Json::parse(result.output);
  EXPECT_GT(json["peak_fraction"].get<double>(), 0.9);
  EXPECT_EQ(json["bound_by"], "cuda_cores");
}

INSTANTIATE_TEST_SUITE_P(All, BoardRun, testing::Values("rtx3070", "rtx3090", "a6000", "titan-rtx"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace tcsim::cli
