// A time limit, SIGINT, SIGTERM and SIGHUP end a command whatever it is at, and keep what it has.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/tcsim_process.hpp"

namespace tcsim::cli {
namespace {

using Json = nlohmann::ordered_json;
using std::chrono::milliseconds;
using ::testing::HasSubstr;
using Clock = std::chrono::steady_clock;

/// A second, and as much again for a host that has other things to do; what is looked for never
/// ends.
constexpr milliseconds kSoon(10'000);

struct Ending {
  ChildResult result;
  Clock::duration since_signal{};
};

/// `tcsim arguments`, sent `signal` so long after it has started.
Ending stopped_after(milliseconds after, int signal, const std::vector<std::string>& arguments) {
  const Clock::duration delay = time_to_start() + after;
  const Clock::time_point start = Clock::now();
  Ending ending;
  ending.result = tcsim(arguments, [&] { return Clock::now() - start < delay ? 0 : signal; });
  ending.since_signal = Clock::now() - start - delay;
  return ending;
}

TEST(Stop, ASignalEndsACommandThatHasNothingToKeepAtOnce) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const Ending ending =
        stopped_after(milliseconds(300), signal, {"verify", "rtl", "--vectors", "1000000000"});
    EXPECT_EQ(ending.result.status, 130);
    EXPECT_EQ(ending.result.signal, 0);
    EXPECT_THAT(ending.result.errors, HasSubstr("tcsim: interrupted"));
    EXPECT_LT(ending.since_signal, kSoon);
  }
}

// As behind nohup.
TEST(Stop, AHangupThatIsIgnoredEndsNothing) {
  const TemporaryHome home;
  ASSERT_EQ(::mkfifo("kernel.tct", 0600), 0);
  const auto before = std::signal(SIGHUP, SIG_IGN);
  const Ending ending = stopped_after(
      milliseconds(200), SIGHUP, {"run", "trace:kernel.tct", "-m", "lab-tiny", "--timeout", "0.5"});
  std::signal(SIGHUP, before);
  EXPECT_EQ(ending.result.status, 4);
}

// The recording takes seconds to write.
TEST(Stop, ASignalLeavesNoHalfFile) {
  const TemporaryHome home;
  const auto is_begun = [] { return !std::filesystem::is_empty("."); };
  const ChildResult result =
      tcsim({"trace", "emit", "gemm:4096", "-m", "a100", "--form", "traceg", "-o", "r.traceg"},
            [&] { return is_begun() ? SIGINT : 0; });
  EXPECT_EQ(result.status, 130);
  EXPECT_TRUE(std::filesystem::is_empty("."));
}

// As from `timeout`, which signals its child and then its group.
TEST(Stop, ASecondTerminationKeepsTheResultsToo) {
  const TemporaryHome home;
  const ChildResult result =
      command({"/bin/sh", "-c",
               "\"$0\" run gemm:8192 -m lab-tiny -o out -q & "
               "until [ -e out/manifest.json ]; do sleep 0.1; done; sleep 0.3; "
               "kill -TERM $!; sleep 0.001; kill -TERM $!; wait $!",
               program()});
  EXPECT_EQ(result.status, 130);
  ASSERT_TRUE(std::filesystem::exists("out/stats.json"));
  EXPECT_EQ(Json::parse(text_of("out/stats.json"))["complete"], false);
}

TEST(Stop, ASignalEndsACommandThatWaitsForItsInput) {
  const TemporaryHome home;
  ASSERT_EQ(::mkfifo("list.csv", 0600), 0);
  const Ending ending =
      stopped_after(milliseconds(200), SIGTERM, {"run", "csv:list.csv", "-m", "lab-tiny"});
  EXPECT_EQ(ending.result.status, 130);
  EXPECT_LT(ending.since_signal, kSoon);
}

TEST(Stop, ATimeLimitActsWhileInputIsWaitedFor) {
  const TemporaryHome home;
  ASSERT_EQ(::mkfifo("kernel.tct", 0600), 0);
  const ChildResult result =
      tcsim({"run", "trace:kernel.tct", "-m", "lab-tiny", "--timeout", "0.2"});
  EXPECT_EQ(result.status, 4);
  EXPECT_THAT(result.errors, HasSubstr("tcsim: stopped by time limit"));
}

// With --tensor-core rtl the values of the product come before its first cycle.
TEST(Stop, ATimeLimitActsBeforeTheFirstCycle) {
  const TemporaryHome home;
  const ChildResult result = tcsim({"run", "gemm:2048", "-m", "lab-tiny", "--tensor-core", "rtl",
                                    "--timeout", "0.5", "-o", "out"});
  EXPECT_EQ(result.status, 4);
  const Json manifest = Json::parse(text_of("out/manifest.json"));
  EXPECT_EQ(manifest["stopped_by"], "time limit");
  EXPECT_EQ(manifest["complete"], false);
}

// A dozen trials take as long as the run each.
TEST(Stop, ATimeLimitDuringTrialsKeepsTheRunBeforeThem) {
  const TemporaryHome home;
  const std::vector<std::string> words{"run", "gemm:512", "-m", "lab-tiny", "-j", "1"};
  const auto start = std::chrono::steady_clock::now();
  ASSERT_EQ(tcsim(words).status, 0);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  std::vector<std::string> limited = words;
  for (const char* word : {"--sensitivity", "--timeout"}) limited.emplace_back(word);
  limited.push_back(std::to_string(4 * took.count()));
  for (const char* word : {"-o", "out"}) limited.emplace_back(word);
  const ChildResult result = tcsim(limited);
  EXPECT_EQ(result.status, 4);
  EXPECT_THAT(result.errors, HasSubstr("stopped by time limit; not everything was tried"));
  EXPECT_EQ(Json::parse(text_of("out/manifest.json"))["complete"], true);
  EXPECT_EQ(Json::parse(text_of("out/stats.json"))["complete"], true);
}

TEST(Stop, ASignalActsBeforeTheFirstCycle) {
  const TemporaryHome home;
  const Ending ending =
      stopped_after(milliseconds(500), SIGTERM,
                    {"run", "gemm:2048", "-m", "lab-tiny", "--tensor-core", "rtl", "-o", "out"});
  EXPECT_EQ(ending.result.status, 130);
  EXPECT_LT(ending.since_signal, kSoon);
  EXPECT_EQ(Json::parse(text_of("out/manifest.json"))["stopped_by"], "interrupted");
}

// The values of this product take fifty times as long as its simulation.
TEST(Stop, ValuesThatAreStoppedLeaveTheResultsOfTheSimulation) {
  const TemporaryHome home;
  const std::vector<std::string> words{"run", "gemm:m=256,n=256,k=4096", "-m", "lab-tiny", "-o"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), words.begin(), words.end());
    return more;
  };
  const Clock::time_point start = Clock::now();
  ASSERT_EQ(tcsim(with({"whole"})).status, 0);
  const auto simulated = std::chrono::duration_cast<milliseconds>(Clock::now() - start);
  const Ending ending =
      stopped_after(3 * simulated + milliseconds(300), SIGTERM, with({"stopped", "--values"}));
  EXPECT_EQ(ending.result.status, 130);
  EXPECT_LT(ending.since_signal, kSoon);
  EXPECT_THAT(ending.result.output, HasSubstr("stopped/  report.html"));
  EXPECT_EQ(ending.result.errors.find("results are partial"), std::string::npos);  // said already
  const Json whole = Json::parse(text_of("whole/stats.json"));
  const Json stopped = Json::parse(text_of("stopped/stats.json"));
  EXPECT_EQ(stopped["complete"], false);
  EXPECT_EQ(stopped["counters"], whole["counters"]);
  EXPECT_EQ(Json::parse(text_of("stopped/manifest.json"))["stopped_by"], "interrupted");
}

// A page table of 4 KiB pages and a large TLB: page by page it takes hours.
TEST(Stop, PagesOfLargeBuffersAreInstalledAtOnce) {
  const ChildResult result =
      tcsim({"run", "gemm:131072", "-m", "lab-tiny", "--ignore-capacity", "--set",
             "tlb.page_bytes=4096", "--max-cycles", "2000", "--no-files", "-q", "-f", "json"});
  EXPECT_EQ(result.status, 4);
  EXPECT_EQ(Json::parse(result.output)["cycles"], 2000);
}

}  // namespace
}  // namespace tcsim::cli
