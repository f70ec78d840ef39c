#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <random>

#include "sim/cli/exit_status.hpp"
#include "tests/cli/tcsim_process.hpp"

namespace tcsim::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using Clock = std::chrono::steady_clock;

constexpr const char* kSpec =
    "name: two-dozen\n"
    "machines: [lab-tiny, {name: half, base: lab-tiny, set: {l2.bytes: 256 KiB}}]\n"
    "workloads: [\"gemm:m={n},n=64,k={k}\"]\n"
    "axes: {n: [32, 64, 96, 128], k: [32, 64, 128]}\n"
    "plots: [{kind: curves, name: c, x: n, y: tflops, series: k, where: {machine: half}}]\n";

class SweepCommand : public testing::Test {
 protected:
  static void write(const char* file, const std::string& text) { std::ofstream(file) << text; }
  static fs::path only_file(const fs::path& folder) {
    return fs::directory_iterator(folder)->path();
  }

  TemporaryHome home_;
};

TEST_F(SweepCommand, KillsAtTenMomentsDoNotChangeTheTable) {
  write("spec.yaml", kSpec);
  const auto start = Clock::now();
  ASSERT_EQ(tcsim({"sweep", "run", "spec.yaml", "-o", "whole", "-j", "2", "-q"}).status, kDone);
  const auto whole = Clock::now() - start;
  std::mt19937 random(9);
  int killed = 0;
  for (int i = 0; i < 10; ++i) {
    const auto end = Clock::now() + whole * (random() % 90 + 5) / 1000;
    const ChildResult result = tcsim({"sweep", "run", "spec.yaml", "-o", "killed", "-j", "2", "-q"},
                                     [end] { return Clock::now() >= end ? SIGKILL : 0; });
    killed += result.signal == SIGKILL ? 1 : 0;
  }
  EXPECT_GE(killed, 5);
  EXPECT_EQ(tcsim({"sweep", "run", "spec.yaml", "-o", "killed", "-j", "2", "-q"}).status, kDone);
  EXPECT_FALSE(text_of("whole/sweep.csv").empty());
  EXPECT_EQ(text_of("whole/sweep.csv"), text_of("killed/sweep.csv"));
  EXPECT_TRUE(fs::is_empty("killed/scratch"));
}

TEST_F(SweepCommand, ShardsGiveTheBytesOfTheLocalEngine) {
  write("spec.yaml", kSpec);
  tcsim({"sweep", "run", "spec.yaml", "-o", "whole", "-q"});
  const ChildResult lines =
      tcsim({"sweep", "submit", "spec.yaml", "-o", "parts", "--engine", "print", "--tasks", "3"});
  EXPECT_THAT(lines.output, HasSubstr(" sweep work "));
  for (const char* shard : {"2/3", "0/3", "1/3"})
    EXPECT_EQ(tcsim({"sweep", "work", "parts", "--shard", shard, "-q"}).status, kDone);
  EXPECT_EQ(tcsim({"sweep", "collect", "parts"}).status, kDone);
  EXPECT_EQ(text_of("whole/sweep.csv"), text_of("parts/sweep.csv"));
  EXPECT_EQ(text_of("whole/totals.csv"), text_of("parts/totals.csv"));
  EXPECT_EQ(text_of("whole/plots/c.svg"), text_of("parts/plots/c.svg"));
}

TEST_F(SweepCommand, ADamagedResultIsRunAgain) {
  write("spec.yaml", kSpec);
  tcsim({"sweep", "run", "spec.yaml", "-o", "s", "-q"});
  const std::string before = text_of("s/sweep.csv");
  fs::resize_file(only_file("s/points"), 100);
  EXPECT_THAT(tcsim({"sweep", "status", "s"}).output, HasSubstr("1 damaged result files"));
  const ChildResult again = tcsim({"sweep", "run", "spec.yaml", "-o", "s"});
  EXPECT_THAT(again.errors, HasSubstr("[1/1]"));
  EXPECT_THAT(again.errors, HasSubstr("1 damaged result files; their points were run again"));
  EXPECT_EQ(text_of("s/sweep.csv"), before);
}

TEST_F(SweepCommand, AFailedPointIsARowWithTheCommandThatRepeatsIt) {
  write("spec.yaml",
        "name: f\nmachines: [lab-tiny]\nworkloads: [\"gemm:64\"]\n"
        "axes: {tile: [64x64x32, 7x7x7]}\noptions: {tile: \"{tile}\"}\n");
  const ChildResult result = tcsim({"sweep", "run", "spec.yaml", "-o", "s", "-q"});
  EXPECT_EQ(result.status, kCheckFailed);
  EXPECT_THAT(result.errors, HasSubstr("tile=7x7x7: failed: status 2: "));
  EXPECT_THAT(result.errors, HasSubstr("  repeat: cd s && bin/tcsim-"));
  EXPECT_THAT(text_of("s/sweep.csv"), HasSubstr(",failed,"));
  EXPECT_THAT(tcsim({"sweep", "status", "s"}).output, HasSubstr("1 of 2 points done, 1 failed"));
}

TEST_F(SweepCommand, MistakesHaveTheStatusesOfTheHouse) {
  write("bad.yaml", "name: b\nmachines: [v10]\nworkloads: [\"gemm:64\"]\n");
  const ChildResult bad = tcsim({"sweep", "plan", "bad.yaml"});
  EXPECT_EQ(bad.status, kUserMistake);
  EXPECT_THAT(bad.errors, HasSubstr("bad.yaml:2:12: machines: "));
  EXPECT_THAT(bad.errors, HasSubstr("did you mean \"v100\"?"));
  EXPECT_EQ(tcsim({"sweep", "plan", "none.yaml"}).status, kFileTrouble);
  EXPECT_EQ(tcsim({"sweep", "work", "nowhere"}).status, kUserMistake);
  EXPECT_FALSE(fs::exists("nowhere"));
  write("spec.yaml", kSpec);
  EXPECT_EQ(tcsim({"sweep", "submit", "spec.yaml", "-o", "s", "--engine", "pbs"}).status,
            kUserMistake);
  EXPECT_EQ(tcsim({"sweep", "submit", "spec.yaml", "-o", "s", "--engine", "print"}).status, kDone);
  EXPECT_EQ(tcsim({"sweep", "work", "s", "--shard", "3/3"}).status, kUserMistake);
}

TEST_F(SweepCommand, EveryShippedStudyHasAPlan) {
  int studies = 0;
  for (const auto& entry : fs::directory_iterator(TC_STUDIES)) {
    if (entry.path().extension() != ".yaml") continue;
    ++studies;
    const ChildResult result = tcsim({"sweep", "plan", entry.path().string()});
    EXPECT_EQ(result.status, kDone) << entry.path() << result.errors;
  }
  EXPECT_GE(studies, 6);
}

}  // namespace
}  // namespace tcsim::cli
