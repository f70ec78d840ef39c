#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sim/errors/errors.hpp"
#include "tests/cli/tcsim_process.hpp"

namespace tcsim::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using Json = nlohmann::ordered_json;

class AttentionRun : public ::testing::Test {
 protected:
  static Json run(const std::string& words, const std::string& machine = "lab-tiny") {
    const ChildResult result =
        tcsim({"run", words, "-m", machine, "-f", "json", "--no-files", "-q"});
    EXPECT_EQ(result.status, 0) << result.errors;
    return Json::parse(result.output, nullptr, /*allow_exceptions=*/false);
  }

  TemporaryHome home_;
};

TEST_F(AttentionRun, CountsTheProductsOfTheBlocksThatAreNotSkipped) {
  const Json whole = run("attn:heads=4,n=512,d=64");
  // 16 of 16 blocks of 128 x 128 for each head, 64 + 64 k-steps of 16 x 8 x 16 in each.
  EXPECT_EQ(whole["instructions"]["mma"], 4 * 16 * 2 * (128 * 128 * 64) / (16 * 8 * 16));
  EXPECT_EQ(whole["flop"], 4.0 * 4 * 512 * 512 * 64);
  const Json causal = run("attn:heads=4,n=512,d=64,causal=1");
  EXPECT_EQ(causal["instructions"]["mma"], 4 * 10 * 2 * (128 * 128 * 64) / (16 * 8 * 16));
  EXPECT_EQ(causal["flop"], 2.0 * 4 * 512 * 512 * 64);
  EXPECT_LT(causal["cycles"], whole["cycles"]);
}

TEST_F(AttentionRun, CountsTheProductsOfEveryFormat) {
  const auto mma = [](const char* format) {
    return run(std::string("attn:heads=2,n=256,d=64,dtype=") + format)["instructions"]["mma"]
        .get<double>();
  };
  constexpr double kMacs = 2.0 * 2 * 256 * 256 * 64;
  EXPECT_EQ(mma("bf16"), kMacs / (16 * 8 * 16));
  EXPECT_EQ(mma("tf32"), kMacs / (16 * 8 * 8));
  EXPECT_EQ(mma("int8"), kMacs / (16 * 8 * 32));
}

TEST_F(AttentionRun, WithoutAnMmaOfItsTypeRunsOnCudaCores) {
  const ChildResult told = tcsim({"run", "attn:heads=2,n=64,d=64,dtype=int8", "-m", "v100",
                                  "--values", "-f", "json", "--no-files"});
  ASSERT_EQ(told.status, 0) << told.errors;
  EXPECT_THAT(told.errors, StartsWith("note: v100 has no tensor-core instruction for int8"));
  EXPECT_THAT(told.errors, HasSubstr("\nnote: runs as products and a softmax\n"));
  const Json json = Json::parse(told.output);
  EXPECT_EQ(json["instructions"]["mma"], 0);
  EXPECT_EQ(json["values"]["results"]["O"]["elements_beyond_bound"], 0);
  const ChildResult wide = tcsim({"run", "attn:heads=2,n=64,d=64", "-m", "lab-tiny", "--unit",
                                  "cuda-core", "--values", "-f", "json", "--no-files"});
  EXPECT_THAT(wide.errors, HasSubstr("computes fp16 operands as fp32 (FFMA)"));
  EXPECT_EQ(Json::parse(wide.output)["values"]["results"]["O"]["elements_beyond_bound"], 0);
  const ChildResult backward =
      tcsim({"run", "attn:heads=2,n=64,d=64,pass=bwd", "-m", "v100", "--unit", "cuda-core"});
  EXPECT_EQ(backward.status, kNotCovered);
  EXPECT_THAT(backward.errors, HasSubstr("CUDA cores run forward attention"));
}

TEST_F(AttentionRun, MovesFourBytesOfTf32AndOneOfInt8) {
  const auto read = [](const char* format) {
    return run(std::string("attn:heads=2,n=128,d=64,dtype=") + format)["memory"]["l2_read_bytes"]
        .get<double>();
  };
  const double elements = 3.0 * 2 * 128 * 64;  // one tile of rows: Q, K and V once
  EXPECT_NEAR(read("tf32"), 4 * elements, 0.1 * 4 * elements);
  EXPECT_NEAR(read("int8"), elements, 0.1 * elements);
}

TEST_F(AttentionRun, PoolsWithoutAPeak) {
  const Json json = run("max_pool:n=1,hw=16,c=64,rs=2");
  EXPECT_EQ(json["instructions"]["mma"], 0);
  EXPECT_TRUE(json["flop"].is_null());
  EXPECT_EQ(json["memory"]["l2_write_bytes"], 2 * 8 * 8 * 64);
}

TEST_F(AttentionRun, MovesScoresThroughMemoryOnlyUnfused) {
  const auto moved = [](const Json& json) {
    return json["memory"]["l2_read_bytes"].get<double>() +
           json["memory"]["l2_write_bytes"].get<double>();
  };
  const double scores = 2.0 * 4 * 512 * 512;  // bytes of S
  const double fused = moved(run("attn:heads=4,n=512,d=64"));
  const double unfused = moved(run("attn:heads=4,n=512,d=64,algo=unfused"));
  // Q and O once, K and V once for each of four tiles of rows; S and P written and read.
  const double operand = 2.0 * 4 * 512 * 64;
  EXPECT_NEAR(fused, operand * (2 + 2 * 4), 0.1 * fused);
  EXPECT_GT(unfused, fused + 3.5 * scores);
}

TEST_F(AttentionRun, WritesNoScoresOnVolta) {
  const auto written = [](const std::string& words) {
    return run("attn:b=64,heads=2,d=64,causal=1," + words, "v100")["memory"]["l2_write_bytes"]
        .get<double>();
  };
  for (const int n : {64, 128}) {
    const std::string length = "n=" + std::to_string(n);
    // O and LSE grow with n, S and P with its square; a store of LSE fills halves of sectors.
    const double output = 64 * 2.0 * n * 2 * 64;
    EXPECT_EQ(written(length), output + 64 * 2 * 2.0 * n * 4);
    EXPECT_EQ(written(length + ",algo=unfused"), output + 64 * 2.0 * 2 * 2 * n * n);
  }
}

TEST_F(AttentionRun, QuantisesScoresOfTuring) {
  const Json json = run("attn:heads=2,n=128,d=64,dtype=int8,algo=unfused", "t4");
  EXPECT_EQ(json["kernels"].size(), 5U);
  EXPECT_EQ(json["instructions"]["mma"], 2 * 2 * (128 * 128 * 64) / (8 * 8 * 16));
}

TEST_F(AttentionRun, RunsTwoKernelsWhereKeysAreSplit) {
  const Json json = run("attn:heads=1,n=1,kv=1024,d=64", "a100");
  ASSERT_EQ(json["kernels"].size(), 2U);
  EXPECT_THAT(json["kernels"][0]["tile"].get<std::string>(), HasSubstr("_splitkv"));
}

TEST_F(AttentionRun, TakesTheBlockThatIsAskedFor) {
  EXPECT_EQ(run("attn:heads=1,n=256,d=64,block=64x32")["kernels"][0]["tile"], "64x32_w4");
  const ChildResult wide =
      tcsim({"run", "attn:heads=1,n=256,d=128,block=128x128", "-m", "a100", "--no-files"});
  EXPECT_EQ(wide.status, 3);
  EXPECT_THAT(wide.errors, HasSubstr("more than 255 registers"));
}

TEST_F(AttentionRun, RunsAVectorOperationWithoutAPeak) {
  const Json json = run("softmax:rows=64,cols=512");
  EXPECT_EQ(json["instructions"]["mma"], 0);
  EXPECT_TRUE(json["flop"].is_null());
}

TEST_F(AttentionRun, SaysWhatItDoesNotCover) {
  const ChildResult paged = tcsim({"run", "attn:heads=1,n=64,d=64,algo=paged", "-m", "v100"});
  EXPECT_EQ(paged.status, 3);
  EXPECT_THAT(paged.errors,
              HasSubstr("the paged kernel needs LDGSTS and HMMA.16816, which volta lacks"));
  const ChildResult tile =
      tcsim({"run", "attn:heads=1,n=64,d=64", "-m", "a100", "--tile", "64x64"});
  EXPECT_EQ(tile.status, 2);
  EXPECT_THAT(tile.errors, HasSubstr("--tile"));
  EXPECT_THAT(tile.errors,
              HasSubstr("has no tile to choose; only products and convolutions have one"));
}

}  // namespace
}  // namespace tcsim::cli
