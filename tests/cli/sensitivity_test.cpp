// `tcsim run --sensitivity`: machines with one resource faster, in child processes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "sim/config/resources.hpp"
#include "tests/cli/tiny_run.hpp"

namespace tcsim::cli {
namespace {

using testing::HasSubstr;

class SensitivityRun : public TinyRun {
 protected:
  static Json answer(const Json& result, const std::string& resource) {
    return *std::ranges::find_if(result["sensitivity"]["answers"],
                                 [&](const Json& one) { return one["resource"] == resource; });
  }
};

TEST_F(SensitivityRun, HasTheTimesThatTheMachinesWithTheSameTileTake) {
  const Json result = json_of({"gemm:256", "--sensitivity=10"});
  EXPECT_EQ(result["sensitivity"]["answers"].size(), config::resources().size() - 1);  // but NVLink
  for (const char* resource : {"l2_latency", "dram_bandwidth", "tensor"}) {
    const Json one = answer(result, resource);
    std::vector<std::string> words{"gemm:256", "--tile", result["kernels"][0]["tile"]};
    for (const Json& setting : one["settings"]) {
      words.emplace_back("--set");
      words.push_back(setting);
    }
    EXPECT_EQ(json_of(words)["time_us"], one["time_us"]) << resource;
    const double elasticity =
        std::log(one["time_us"].get<double>() / result["time_us"].get<double>()) /
        std::log(one["ratio"].get<double>());
    EXPECT_DOUBLE_EQ(one["elasticity"], elasticity) << resource;
  }
}

/// Every time of a machine is in a domain, so all of them faster make every run as much shorter.
TEST_F(SensitivityRun, DomainsTogetherAreAllOfTheTime) {
  for (const std::string workload : {"gemm:128", "softmax:rows=64,cols=512"}) {
    const Json result = json_of({workload, "--sensitivity"});
    std::vector<std::string> words{workload};
    if (workload.starts_with("gemm")) {
      words.emplace_back("--tile");
      words.push_back(result["kernels"][0]["tile"]);
    }
    for (const Json& one : result["sensitivity"]["answers"]) {
      if (one["resource"] != one["domain"]) continue;
      for (const Json& setting : one["settings"]) {
        words.emplace_back("--set");
        words.push_back(setting);
      }
    }
    const double together = json_of(words)["time_us"].get<double>();
    EXPECT_NEAR(result["time_us"].get<double>() / together, 1.25, 0.01) << workload;
  }
}

TEST_F(SensitivityRun, LeavesTheRunAsItIsWithoutIt) {
  Json with = json_of({"gemm:128", "--sensitivity"});
  Json without = json_of({"gemm:128"});
  with.erase("sensitivity");
  for (Json* result : {&with, &without}) result->erase("simulation");
  EXPECT_EQ(with, without);
}

TEST_F(SensitivityRun, TakesThePlaceOfAnOverrideOfTheSameKey) {
  const Json result = json_of({"gemm:128", "--set", "launch.overhead_us=8", "--sensitivity"});
  EXPECT_EQ(answer(result, "launch")["settings"], Json({"launch.overhead_us=6.4"}));
  EXPECT_LT(answer(result, "launch")["elasticity"].get<double>(), -0.5);
}

TEST_F(SensitivityRun, StandsInTheReportAndIsShownAgain) {
  const ChildResult result = run({"gemm:128", "--sensitivity", "-o", "out"});
  ASSERT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("Time depends most on"));
  EXPECT_THAT(result.output, HasSubstr("all of them (-1 if time is linear)"));
  const ChildResult shown = tcsim({"show", "out", "--section", "sensitivity"});
  EXPECT_EQ(shown.status, 0) << shown.errors;
  EXPECT_THAT(shown.output, HasSubstr("clocks.l2_mhz"));
  EXPECT_THAT(text_of("out/report.html"), HasSubstr("What the time depends on"));
}

TEST_F(SensitivityRun, AnswersForANetworkToo) {
  std::ofstream("tiny.yaml") << "name: tiny\nsource: \"a test\"\ninput: {tokens: 64, c: 128}\n"
                                "layers:\n  - {name: fc, op: linear, out: 128}\n"
                                "  - {name: norm, op: layer_norm}\n";
  const Json result = json_of({"net:tiny.yaml", "--sensitivity"});
  EXPECT_LT(result["sensitivity"]["sum_of_domains"].get<double>(), -0.1);
  EXPECT_LT(answer(result, "launch")["elasticity"].get<double>(), -0.1);
}

TEST_F(SensitivityRun, RefusesWhatItCannotMean) {
  for (const auto& [words, reason] : std::vector<std::pair<std::vector<std::string>, std::string>>{
           {{"gemm:128", "--sensitivity=x"}, "'x' is not a percentage from 1 to 300"},
           {{"gemm:128", "--sensitivity=0.5"}, "'0.5' is not a percentage from 1 to 300"},
           {{"gemm:128", "--sensitivity=301"}, "'301' is not a percentage"},
           {{"gemm:128", "--sensitivity", "--dry-run"}, "--dry-run simulates nothing"},
           {{"gemm:128", "--sensitivity", "--clock", "power"},
            "tcsim run: --sensitivity cannot be combined with --clock"},
           {{"gemm:128", "--sensitivity", "--max-cycles", "9"},
            "tcsim run: --sensitivity cannot be combined with --max-cycles"},
           {{"gemm:128", "--sensitivity", "--timeline", "cycles=0:9"},
            "tcsim run: --sensitivity cannot be combined with --timeline"},
           {{"gemm:128", "--sensitivity", "-m", "v100"}, "several are given"}}) {
    const ChildResult result = run(words);
    EXPECT_EQ(result.status, 2) << words[1];
    EXPECT_THAT(result.errors, HasSubstr(reason));
    EXPECT_EQ(result.output, "");
  }
}

}  // namespace
}  // namespace tcsim::cli
