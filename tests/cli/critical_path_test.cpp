// `tcsim run --critical-path`.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/tiny_run.hpp"

namespace tcsim::cli {
namespace {

using testing::HasSubstr;

using CriticalPathRun = TinyRun;

/// Its steps lead from the launch of each kernel to its end, and the kernels take the run's time.
TEST_F(CriticalPathRun, AddsUpToTheTimeOfEachKernelToTheCycle) {
  const std::vector<std::vector<std::string>> runs{
      {"run", "gemm:256", "-m", "v100"},
      {"run", "gemm:256", "-m", "a100"},
      {"run", "gemm:256", "-m", "t4"},
      {"run", "gemm:512", "-m", "h100"},
      {"run", "gemm:m=1024,n=1024,k=256", "-m", "h100"},
      {"run", "gemm:m=64,n=64,k=4096", "-m", "a100"},
      {"run", "gemm:128,dtype=fp32", "-m", "a100"},
      {"run", "conv:n=2,hw=28,c=64,k=64,rs=3,pad=1", "-m", "a100"},
      {"run", "attn:heads=4,n=256,d=64", "-m", "a100"},
      {"run", "attn:heads=4,n=256,d=64", "-m", "h100"},
      {"run", "attn:b=4,heads=8,kvheads=2,n=1,kv=512,d=64", "-m", "a100"},
      {"run", "relu:rows=1024,cols=1024", "-m", "a100"},
      {"run", "softmax:rows=512,cols=1024", "-m", "v100"},
  };
  for (std::vector<std::string> words : runs) {
    SCOPED_TRACE(words[1] + " on " + words[3]);
    words.insert(words.end(), {"--critical-path", "-o", "out", "--force", "-q"});
    const ChildResult result = tcsim(words);
    ASSERT_EQ(result.status, 0) << result.errors;
    const Json path = Json::parse(text_of("out/critical_path.json"));
    const Json stats = Json::parse(text_of("out/stats.json"));
    std::int64_t at = 0;
    for (const Json& kernel : path["kernels"]) {
      EXPECT_EQ(kernel["start"], at);
      for (const Json& step : kernel["steps"]) {
        ASSERT_EQ(step[0], at);
        ASSERT_GT(step[1], 0);
        at += step[1].get<std::int64_t>();
      }
      EXPECT_EQ(kernel["start"].get<std::int64_t>() + kernel["cycles"].get<std::int64_t>(), at);
    }
    EXPECT_EQ(stats["cycles"], at);
    for (const Json& kernel : stats["critical_path"]) {
      EXPECT_TRUE(kernel["complete"].get<bool>());
      for (const char* key : {"by_cause", "by_unit"}) {
        std::int64_t sum = 0;
        for (const Json& share : kernel[key]) sum += share["cycles"].get<std::int64_t>();
        EXPECT_EQ(kernel["cycles"], sum) << key;
      }
    }
  }
}

TEST_F(CriticalPathRun, ShowsCausesAndATripOfTheLoop) {
  ASSERT_EQ(run({"gemm:256", "--critical-path", "-o", "out"}).status, 0);
  const ChildResult shown = tcsim({"show", "out", "--section", "critical-path"});
  EXPECT_EQ(shown.status, 0) << shown.errors;
  EXPECT_THAT(shown.output, HasSubstr("one iteration of the loop in steady state"));
  EXPECT_THAT(shown.output, HasSubstr("HMMA.16816.F32"));
  EXPECT_THAT(text_of("out/report.html"), HasSubstr("one iteration of the loop in steady state"));
  EXPECT_THAT(text_of("out/report.md"), HasSubstr("](<critical_path.json>)"));
  EXPECT_TRUE(Json::parse(text_of("out/manifest.json"))["files"].contains("critical_path.json"));
}

TEST_F(CriticalPathRun, OfAStoppedRunIsNotRecorded) {
  const ChildResult stopped =
      run({"gemm:256", "--critical-path", "-o", "out", "--max-cycles", "1000"});
  ASSERT_EQ(stopped.status, 4) << stopped.errors;
  EXPECT_THAT(tcsim({"show", "out", "--section", "critical-path"}).output,
              HasSubstr("Not recorded: the run was stopped."));
}

TEST_F(CriticalPathRun, IsTheSameForAnyNumberOfThreadsAndChangesNoFigure) {
  std::string first;
  for (const char* threads : {"1", "4"}) {
    ASSERT_EQ(tcsim({"run", "gemm:256", "-m", "a100", "-j", threads, "--critical-path", "-o", "out",
                     "--force", "-q"})
                  .status,
              0);
    const std::string path = text_of("out/critical_path.json");
    if (first.empty()) first = path;
    EXPECT_EQ(path, first);
  }
  Json with = json_of({"gemm:128", "--critical-path"});
  Json without = json_of({"gemm:128"});
  for (Json* result : {&with, &without}) result->erase("simulation");
  EXPECT_EQ(with, without);
}

TEST_F(CriticalPathRun, RefusesWhatCannotBeFollowed) {
  expect_refused({"gemm:128", "--critical-path", "--fidelity", "sampled"}, 2,
                 "--critical-path: needs every cycle");
  expect_refused({"net:lenet", "--critical-path"}, 2,
                 "--critical-path: has no meaning for a network");
}

}  // namespace
}  // namespace tcsim::cli
