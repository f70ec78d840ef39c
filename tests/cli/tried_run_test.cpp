// `tcsim run --try`, `--tile best` and `--source`.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/cli/tiny_run.hpp"

namespace tcsim::cli {
namespace {

using testing::HasSubstr;

using TriedRun = TinyRun;

TEST_F(TriedRun, TellsTheGainThatTheAdviceHas) {
  const ChildResult result = run({"gemm:256", "--try", "-o", "out"});
  ASSERT_EQ(result.status, 0) << result.errors;
  const Json stats = Json::parse(text_of("out/stats.json"));
  std::vector<std::string> words{"gemm:256"};
  for (const Json& word : stats["verdict"]["try_options"]) words.push_back(word);
  ASSERT_GT(words.size(), 1U);
  EXPECT_EQ(json_of(words)["time_us"], stats["tried"]["time_us"]);
  EXPECT_DOUBLE_EQ(
      stats["tried"]["times_as_fast"].get<double>(),
      stats["metrics"]["time_us"]["value"].get<double>() / stats["tried"]["time_us"].get<double>());
  EXPECT_THAT(result.output, HasSubstr("times as fast)"));
  EXPECT_THAT(result.output, HasSubstr("top-ranked"));
  EXPECT_THAT(tcsim({"show", "out", "--section", "verdict"}).output, HasSubstr("times as fast)"));
}

TEST_F(TriedRun, TakesTheFastestTileOfThoseThatRankFirst) {
  const Json best = json_of({"gemm:m=320,n=256,k=256", "--tile", "best:4"});
  const Json& tried = best["tiles"]["tried"];
  ASSERT_EQ(tried.size(), 4U);
  EXPECT_EQ(tried[0]["tile"], json_of({"gemm:m=320,n=256,k=256"})["kernels"][0]["tile"]);
  const auto least = std::ranges::min_element(tried, [](const Json& a, const Json& b) {
    return a["time_us"].get<double>() < b["time_us"].get<double>();
  });
  EXPECT_EQ(best["tiles"]["best"], (*least)["tile"]);
  EXPECT_EQ(best["kernels"][0]["tile"], (*least)["tile"]);
  EXPECT_EQ(best["time_us"], (*least)["time_us"]);
}

TEST_F(TriedRun, TakesTheFastestTileOfTheAlgorithmThatAConvolutionHas) {
  const std::string words = "conv:n=1,hw=8,c=32,k=32,rs=3,pad=1";
  for (const std::string algorithm : {"implicit_gemm", "im2col_gemm"}) {
    const Json best = json_of({words + ",algo=" + algorithm, "--tile", "best:3"});
    const Json& tried = best["tiles"]["tried"];
    ASSERT_EQ(tried.size(), 3U);
    EXPECT_EQ(tried[0]["tile"], json_of({words + ",algo=" + algorithm})["kernels"].back()["tile"]);
    for (const Json& one : tried)
      EXPECT_THAT(one["tile"].get<std::string>(), testing::StartsWith(algorithm + " "));
    const auto least = std::ranges::min_element(tried, [](const Json& a, const Json& b) {
      return a["time_us"].get<double>() < b["time_us"].get<double>();
    });
    EXPECT_EQ(best["tiles"]["best"], (*least)["tile"]);
    EXPECT_EQ(best["kernels"].back()["tile"], (*least)["tile"]);
    EXPECT_EQ(best["time_us"], (*least)["time_us"]);
  }
}

TEST_F(TriedRun, TriesWithoutTheFilesOfTheRunItself) {
  for (const char* option : {"--source", "--critical-path"}) {
    const ChildResult result =
        run({"gemm:128", "--tile", "best:2", option, "-o", std::string("out") + option});
    EXPECT_EQ(result.status, 0) << result.errors;
  }
  EXPECT_TRUE(Json::parse(text_of("out--source/stats.json")).contains("source"));
}

/// So that `tcsim timeline` and whoever repeats it simulate the run and not the search.
TEST_F(TriedRun, StoresTheTileThatItFoundInItsCommand) {
  ASSERT_EQ(run({"gemm:128", "--tile", "best:2", "-o", "out"}).status, 0);
  const Json manifest = Json::parse(text_of("out/manifest.json"));
  EXPECT_EQ(manifest["command"].get<std::string>().find("best"), std::string::npos);
  const ChildResult timeline = tcsim({"timeline", "out", "--cycles", "3000:3010"});
  EXPECT_EQ(timeline.status, 0) << timeline.errors;
}

TEST_F(TriedRun, RefusesWhatCannotBeTried) {
  expect_refused({"gemm:128", "--tile", "best:1"}, 2, "'best:1' is not best or best:N");
  expect_refused({"gemm:128", "--tile", "best:x"}, 2, "'best:x' is not best or best:N");
  expect_refused({"softmax:rows=8,cols=64", "--tile", "best"}, 3,
                 "--tile best applies to products and convolutions");
  expect_refused({"conv:n=1,hw=8,c=32,k=32,rs=3,pad=1,algo=direct", "--tile", "best"}, 3,
                 "direct has no tiles to choose");
  expect_refused({"gemm:128", "--try", "--dry-run"}, 2, "--dry-run simulates nothing");
  expect_refused({"net:lenet", "--try"}, 2, "--try is for a single kernel");
}

/// Every cycle of every warp is at one of its instructions.
TEST_F(TriedRun, CountsEveryInstructionAndWhatWarpsWaitedForInFrontOfIt) {
  ASSERT_EQ(run({"gemm:256", "--source", "-o", "out"}).status, 0);
  const Json stats = Json::parse(text_of("out/stats.json"));
  std::uint64_t issued = 0;
  std::uint64_t mmas = 0;
  std::uint64_t throttled = 0;
  for (const Json& kernel : stats["source"]) {
    for (const Json& line : kernel["lines"]) {
      std::uint64_t stalled = 0;
      for (const auto& [reason, cycles] : line["stalls"].items()) {
        stalled += cycles.get<std::uint64_t>();
        if (reason == "math_pipe_throttle" && line["text"].get<std::string>().starts_with("HMMA"))
          throttled += cycles.get<std::uint64_t>();
      }
      EXPECT_EQ(stalled, line["stalled_cycles"]) << line["text"];
      issued += line["issued"].get<std::uint64_t>();
      if (line["text"].get<std::string>().starts_with("HMMA"))
        mmas += line["issued"].get<std::uint64_t>();
    }
  }
  EXPECT_EQ(issued, stats["metrics"]["warp_instructions"]["value"].get<double>());
  EXPECT_EQ(mmas, stats["metrics"]["mma_instructions"]["value"].get<double>());
  EXPECT_GT(throttled, 0U);
  EXPECT_THAT(text_of("out/report.html"), HasSubstr("bank conflicts"));
  const ChildResult shown = tcsim({"show", "out", "--section", "source"});
  EXPECT_EQ(shown.status, 0) << shown.errors;
  EXPECT_THAT(shown.output, HasSubstr("HMMA.16816.F32"));
  EXPECT_THAT(shown.output, HasSubstr("math_pipe_throttle"));
}

/// So that two loads of a kernel can be told apart.
TEST_F(TriedRun, WritesInstructionsAsTheirListingDoes) {
  ASSERT_EQ(run({"gemm:128", "--source", "-o", "out"}).status, 0);
  ASSERT_EQ(tcsim({"trace", "emit", "gemm:128", "-m", "lab-tiny", "-o", "k.tct"}).status, 0);
  const ChildResult info = tcsim({"trace", "info", "k.tct", "--listing", "-f", "json"});
  ASSERT_EQ(info.status, 0) << info.errors;
  const Json kernel = Json::parse(info.output);
  std::vector<std::string> listed;
  for (const Json& program : kernel["programs"])
    for (const Json& line : program["listing"])
      if (!line["address"].is_null()) listed.push_back(line["text"]);
  const Json stats = Json::parse(text_of("out/stats.json"));
  ASSERT_EQ(stats["source"].size(), 1U);
  std::vector<std::string> counted;
  for (const Json& line : stats["source"][0]["lines"]) {
    std::string text = line["text"];
    if (text.starts_with("BRA")) text.replace(0, 3, "end");
    counted.push_back(std::move(text));
  }
  EXPECT_EQ(counted, listed);
}

/// Without its swizzle, shared memory has bank conflicts.
TEST_F(TriedRun, CountsTheSectorsAndBankConflictsOfEveryInstruction) {
  ASSERT_EQ(
      run({"gemm:256", "--tile", "64x64x32_s3_w2x2_noswizzle", "--source", "-o", "out"}).status, 0);
  const Json stats = Json::parse(text_of("out/stats.json"));
  double sectors = 0;
  double conflicts = 0;
  for (const Json& kernel : stats["source"])
    for (const Json& line : kernel["lines"]) {
      sectors += line["sectors"].get<double>();
      conflicts += line["bank_conflicts"].get<double>();
    }
  const auto counted = [&stats](const char* name) {
    const Json& sm = stats["counters"]["gpu"]["children"]["sm"];
    return sm["children"]["memory_pipeline"]["counters"][name]["value"].get<double>();
  };
  EXPECT_GT(conflicts, 0);
  EXPECT_EQ(conflicts, counted("shared_conflict_wavefronts"));
  EXPECT_EQ(sectors, counted("l1_hits") + counted("l1_misses") + counted("l1_bypassed") +
                         counted("global_write_bytes") / 32);
}

/// A run that looks for its clock is simulated several times.
TEST_F(TriedRun, CountsTheInstructionsOfTheRunAtTheClockThatItFound) {
  ASSERT_EQ(
      run({"gemm:256", "--source", "--clock", "power", "--set", "energy.limit_w=2.5", "-o", "out"})
          .status,
      0);
  const Json stats = Json::parse(text_of("out/stats.json"));
  std::uint64_t issued = 0;
  for (const Json& kernel : stats["source"])
    for (const Json& line : kernel["lines"]) issued += line["issued"].get<std::uint64_t>();
  EXPECT_EQ(issued, stats["metrics"]["warp_instructions"]["value"].get<double>());
}

/// Both conversions of this run have the same name, and programs of different lengths.
TEST_F(TriedRun, CountsKernelsOfOneNameAndDifferentCodeOnTheirOwn) {
  ASSERT_EQ(
      run({"conv:n=2,hw=14,c=64,k=64,rs=3,pad=1,pass=dgrad,layout=nchw", "--source", "-o", "out"})
          .status,
      0);
  const Json stats = Json::parse(text_of("out/stats.json"));
  std::vector<std::size_t> lines;
  std::uint64_t issued = 0;
  for (const Json& kernel : stats["source"]) {
    if (kernel["kernel"] == "nchw_to_nhwc") lines.push_back(kernel["lines"].size());
    for (const Json& line : kernel["lines"]) issued += line["issued"].get<std::uint64_t>();
  }
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_NE(lines[0], lines[1]);
  EXPECT_EQ(issued, stats["metrics"]["warp_instructions"]["value"].get<double>());
}

TEST_F(TriedRun, CountsOfInstructionsChangeNoFigure) {
  const ChildResult counted = run({"gemm:128", "--source", "-o", "counted", "-f", "json"});
  ASSERT_EQ(counted.status, 0) << counted.errors;
  Json with = Json::parse(counted.output);
  Json without = json_of({"gemm:128"});
  for (Json* result : {&with, &without}) result->erase("simulation");
  EXPECT_EQ(with, without);
}

TEST_F(TriedRun, RefusesCountsThatWouldNotBeWhole) {
  expect_refused({"gemm:128", "--source", "--fidelity", "sampled"}, 2,
                 "--source: needs every cycle");
  expect_refused({"gemm:128", "--source", "--no-files"}, 2, "--source writes into a run directory");
}

}  // namespace
}  // namespace tcsim::cli
