#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/tcsim_process.hpp"

namespace tcsim::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using Json = nlohmann::ordered_json;

class ConvRun : public ::testing::Test {
 protected:
  static Json run(const std::string& words, const std::string& unit = "tensor",
                  const std::string& machine = "lab-tiny") {
    const ChildResult result =
        tcsim({"run", words, "-m", machine, "--unit", unit, "-f", "json", "--no-files"});
    EXPECT_EQ(result.status, 0) << result.errors;
    return Json::parse(result.output);
  }

  /// stats.json of a run with `words`.
  static Json stats_of(std::vector<std::string> words, const std::string& machine = "lab-tiny") {
    words.insert(words.begin(), "run");
    for (const char* const word : {"-m", machine.c_str(), "-o", "out", "--force", "-q"})
      words.emplace_back(word);
    const ChildResult result = tcsim(words);
    EXPECT_EQ(result.status, 0) << result.errors;
    return Json::parse(text_of("out/stats.json"));
  }

  static void expect_least(const std::string& words, const std::string& machine,
                           std::int64_t bytes) {
    const Json stats = stats_of({words}, machine);
    EXPECT_EQ(stats["facts"]["minimum_read_bytes"]["value"], bytes) << words;
    EXPECT_GE(stats["metrics"]["dram_read_bytes"]["value"], bytes) << words;
  }

  TemporaryHome home_;
};

TEST_F(ConvRun, PrintsOneScreenThatNamesAlgorithmAndTile) {
  const ChildResult result = tcsim({"run", "conv:n=1,hw=8,c=32,k=32,rs=3,pad=1", "-m", "lab-tiny"});
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.output,
              StartsWith("conv fwd 1x8x8x32 * 32x3x3 stride 1 pad 1 fp16->fp32 NHWC"));
  EXPECT_THAT(result.output, HasSubstr("implicit_gemm 64x64"));
}

TEST_F(ConvRun, NamesTheAlgorithmOfKernelsWithoutMmasToo) {
  for (const auto& [words, plan] :
       {std::pair{"conv:n=1,hw=8,c=64,k=64,rs=3,pad=1,groups=64", "tile depthwise\n"},
        std::pair{"conv:n=1,hw=8,c=8,k=8,rs=3,pad=1,algo=direct", "tile direct\n"},
        std::pair{"conv:n=1,hw=4,c=8,k=8,rs=3,pad=1,algo=fft", "tile fft "}}) {
    const ChildResult result = tcsim({"run", words, "-m", "lab-tiny", "--no-files"});
    EXPECT_EQ(result.status, 0) << result.errors;
    EXPECT_THAT(result.output, HasSubstr(plan));
  }
}

TEST_F(ConvRun, TellsWhoAsksForTensorCoresThatCudaCoresMultiply) {
  const auto notes = [](const std::vector<std::string>& unit) {
    std::vector<std::string> words{"run", "conv:n=1,hw=8,c=8,k=8,rs=3,pad=1,algo=direct", "-m",
                                   "lab-tiny", "--no-files"};
    words.insert(words.end(), unit.begin(), unit.end());
    return tcsim(words).errors;
  };
  EXPECT_EQ(notes({"--unit", "tensor"}),
            "note: these kernels multiply on CUDA cores, whatever --unit says\n");
  EXPECT_EQ(notes({}), "");
}

TEST_F(ConvRun, CountsTheOperationsOfTheDefinitionForEveryAlgorithm) {
  const double flop = 2.0 * 8 * 8 * 32 * 9 * 32;
  for (const char* algorithm : {"implicit_gemm", "im2col_gemm", "winograd_2x2"})
    EXPECT_EQ(run(std::string("conv:n=1,hw=8,c=32,k=32,rs=3,pad=1,algo=") + algorithm)["flop"],
              flop);
}

TEST_F(ConvRun, MultipliesWithTheMmasOfItsTiles) {
  // 64 pixels and 64 filters are one tile of 64 x 64; nine taps of 64 channels.
  const Json json = run("conv:n=1,hw=8,c=64,k=64,rs=3,pad=1,algo=implicit_gemm");
  EXPECT_EQ(json["instructions"]["mma"], 64 * 64 * 9 * 64 / (16 * 8 * 16));
}

TEST_F(ConvRun, TakesAPlanAsItPrintsIt) {
  const std::string words = "conv:n=1,hw=8,c=32,k=32,rs=3,pad=1";
  for (const char* plan : {"im2col_gemm 64x64x32_s4_w2x2", "direct"}) {
    const ChildResult result =
        tcsim({"run", words, "-m", "a100", "--tile", plan, "--no-files", "-f", "json"});
    ASSERT_EQ(result.status, 0) << result.errors;
    const std::string name = Json::parse(result.output)["kernels"][0]["name"];
    EXPECT_THAT(name, HasSubstr(std::string(plan).substr(0, 6))) << plan;
  }
  // What the answers of other machines are asked with.
  const ChildResult result = tcsim({"run", words + ",algo=im2col_gemm", "-m", "lab-tiny",
                                    "--sensitivity", "--no-files", "-f", "json"});
  ASSERT_EQ(result.status, 0) << result.errors;
  const Json sensitivity = Json::parse(result.output)["sensitivity"];
  ASSERT_FALSE(sensitivity["answers"].empty());
  for (const Json& answer : sensitivity["answers"])
    EXPECT_EQ(answer["reason"].get<std::string>().find("--tile"), std::string::npos);
}

TEST_F(ConvRun, RunsEveryPassAndLayout) {
  for (const char* more : {"pass=dgrad", "pass=wgrad", "layout=nchw", "stride=2,pass=dgrad"})
    EXPECT_GT(run(std::string("conv:n=1,hw=8,c=32,k=32,rs=3,pad=1,") + more)["cycles"], 0);
}

TEST_F(ConvRun, MovesTransformedTilesThroughMemoryOnlyUnfused) {
  const auto written = [](const char* algorithm) {
    const Json json =
        run(std::string("conv:n=1,hw=8,c=32,k=32,rs=3,pad=1,dtype=fp32,algo=") + algorithm,
            "cuda-core", "a100");
    EXPECT_EQ(json["flop"], 2.0 * 8 * 8 * 32 * 9 * 32) << algorithm;
    return json["memory"]["l2_write_bytes"].get<double>();
  };
  constexpr double kResult = 4.0 * 8 * 8 * 32;
  constexpr double kFilters = 4.0 * 16 * 32 * 32;  // at 16 points
  constexpr double kTiles = 4.0 * 16 * 16 * 32;    // 16 tiles at 16 points
  EXPECT_EQ(written("winograd_2x2_fused"), kResult + kFilters);
  EXPECT_EQ(written("winograd_2x2"), kResult + kFilters + 2 * kTiles);
  // One tile, a row of 2 x 32 numbers and 2 x 32 rows of filters at 144 frequencies, and the sums.
  EXPECT_EQ(written("fft"), kResult + 4.0 * 144 * (64 + 64 * 64 + 64));
}

TEST_F(ConvRun, ReadsPlanesInOneKernel) {
  const Json json =
      run("conv:n=4,hw=28,c=64,k=128,rs=1,layout=nchw,algo=implicit_gemm", "tensor", "v100");
  ASSERT_EQ(json["kernels"].size(), 1U);
  EXPECT_EQ(json["memory"]["l2_write_bytes"], 2 * 4 * 28 * 28 * 128);
}

TEST_F(ConvRun, ReadsAtLeastThePixelsThatItsFiltersSee) {
  // Along each axis of 27 pixels, the filters see 14, 18 and 16.
  constexpr std::int64_t kPixel = 2 * 64;
  const std::string images = "conv:n=2,hw=27,c=64,k=64,";
  expect_least(images + "rs=1,stride=2", "lab-tiny", kPixel * (2 * 14 * 14 + 64));
  expect_least(images + "rs=2,stride=3", "lab-tiny", kPixel * (2 * 18 * 18 + 64 * 4));
  expect_least(images + "rs=2,dil=4,stride=3", "lab-tiny", kPixel * (2 * 16 * 16 + 64 * 4));
  expect_least("max_pool:n=2,hw=14,c=32,rs=2,stride=3", "lab-tiny", 2 * 32 * 2 * 10 * 10);
  // The rows that exist, B of two groups, and the number of rows of each group.
  expect_least("gemm:m=512,n=64,k=64,groups=3,rows=64+0+33,group_layout=masked", "h100",
               kPixel * (64 + 33 + 2 * 64) + 3 * 4);
  // A sector of m_indices for each of two tiles.
  expect_least("gemm:m=64,n=64,k=64,groups=2,layout=nn", "h100", kPixel * (128 + 2 * 64) + 2 * 32);
}

/// Of gradients and of taps that only ever meet padding.
TEST_F(ConvRun, ReadsAtLeastWhatMeetsTheImage) {
  constexpr std::int64_t kPixel = 2 * 8;
  const std::string channels = ",c=8,k=8,algo=implicit_gemm";
  expect_least("conv:n=1,hw=32,rs=1,pad=16,pass=dgrad" + channels, "lab-tiny",
               kPixel * (32 * 32 + 8));
  expect_least("conv:n=1,hw=8,rs=3,pad=3,pass=dgrad" + channels, "lab-tiny",
               kPixel * (10 * 10 + 8 * 9));
  expect_least("conv:n=1,hw=8,rs=1,pad=4,pass=wgrad" + channels, "lab-tiny",
               kPixel * (8 * 8 + 8 * 8));
  expect_least("conv:n=1,hw=1,rs=3,pad=1" + channels, "lab-tiny", kPixel * (1 + 8));
}

TEST_F(ConvRun, WritesAtLeastWhatItsUserKeeps) {
  const auto written = [](std::vector<std::string> words) {
    return stats_of(std::move(words))["facts"]["minimum_write_bytes"]["value"].get<std::int64_t>();
  };
  const std::string conv = "conv:n=2,hw=16,c=64,k=64,rs=3,pad=1,algo=";
  const std::string tile = "64x64x32_s3_w2x2";
  constexpr std::int64_t kY = 2 * 2 * 16 * 16 * 64;
  EXPECT_EQ(written({conv + "implicit_gemm", "--tile", tile}), kY);
  EXPECT_EQ(written({conv + "implicit_gemm", "--tile", tile + "_splitk3"}), kY);
  EXPECT_EQ(written({conv + "im2col_gemm"}), kY);
  EXPECT_EQ(written({conv + "winograd_2x2"}), kY);
  EXPECT_EQ(written({conv + "implicit_gemm,post=bias+relu,fused=0"}), kY);
  EXPECT_EQ(written({"gemm:m=128,n=64,k=512", "--tile", "64x64x64_s5_w2x2_streamk"}), 2 * 128 * 64);
  EXPECT_EQ(written({"attn:heads=2,n=64,d=64,pass=bwd"}), 2 * 3 * 2 * 64 * 64);
}

TEST_F(ConvRun, ReadsAtLeastTheCacheAndWritesTheNewToken) {
  const Json facts = stats_of({"attn:heads=2,n=1,kv=1024,d=64,cache_write=1"})["facts"];
  constexpr std::int64_t kToken = 2 * 2 * 64;  // bytes of one of Q, K, V and O
  EXPECT_EQ(facts["minimum_read_bytes"]["value"], 3 * kToken + 4 + 2 * 1023 * kToken);
  EXPECT_EQ(facts["minimum_write_bytes"]["value"], 3 * kToken + 2 * 4);
}

TEST_F(ConvRun, TakesATile) {
  const ChildResult result = tcsim({"run", "conv:n=1,hw=8,c=32,k=32,rs=3,pad=1", "-m", "lab-tiny",
                                    "--tile", "64x64x32_splitk2", "--no-files"});
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("_splitk2"));
}

}  // namespace
}  // namespace tcsim::cli
