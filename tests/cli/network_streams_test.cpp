#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "sim/errors/errors.hpp"
#include "tests/cli/network_run.hpp"

namespace tcsim::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

using NetworkStreams = NetworkRun;

TEST_F(NetworkStreams, StoppedStreamsTellNoTime) {
  std::ofstream("linear.yaml") << kLinear;
  const std::vector<std::string> words{
      "run", "net:linear.yaml", "-m",           "lab-tiny", "--streams", "2",
      "-q",  "--no-files",      "--max-cycles", "2000"};
  const ChildResult text = tcsim(words);
  ASSERT_EQ(text.status, kStopped) << text.errors;
  EXPECT_THAT(text.output, HasSubstr("INCOMPLETE: stopped by"));
  EXPECT_THAT(text.output, Not(HasSubstr("together")));
  std::vector<std::string> as_json = words;
  as_json.insert(as_json.end(), {"-f", "json"});
  const Json json = Json::parse(tcsim(as_json).output);
  EXPECT_TRUE(json["together_us"].is_null());
  EXPECT_TRUE(json["gain"].is_null());
}

TEST_F(NetworkStreams, StreamsShareTheMachine) {
  const Json run = NetworkRun::run({"--streams", "2"});
  ASSERT_EQ(run["instance_end_us"].size(), 2U);
  const double together_us = run["together_us"];
  const double in_turn_us = run["in_turn_us"];
  EXPECT_EQ(std::ranges::max(run["instance_end_us"].get<std::vector<double>>()), together_us);
  EXPECT_LT(together_us, in_turn_us);  // launch overheads overlap at least
  EXPECT_GT(together_us, in_turn_us / 2);
  EXPECT_DOUBLE_EQ(run["gain"].get<double>(), in_turn_us / together_us);
}

TEST_F(NetworkStreams, StreamsDoNotDependOnHostThreads) {
  Json one = run({"--streams", "2", "-j", "1"});
  Json four = run({"--streams", "2", "-j", "4"});
  one.erase("simulation");
  four.erase("simulation");
  EXPECT_EQ(one, four);
}

TEST_F(NetworkStreams, OfStreamsHasNoReport) {
  ASSERT_EQ(tcsim({"run", "net:lenet", "-m", "lab-tiny", "--streams", "2", "-o", "both"}).status,
            0);
  ASSERT_EQ(tcsim({"run", "net:lenet", "-m", "lab-tiny", "-o", "one"}).status, 0);
  const std::vector<std::vector<std::string>> commands{{"show", "both"},
                                                       {"compare", "both", "both"},
                                                       {"compare", "both", "one"},
                                                       {"compare", "one", "both"}};
  for (const std::vector<std::string>& words : commands) {
    const ChildResult refused = tcsim(words);
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.errors, HasSubstr("both: holds a run of instances that share the machine"));
  }
}

TEST_F(NetworkStreams, StreamsSayWhatRan) {
  write_writer();
  std::vector<std::string> words{
      "run", "net:writer.yaml", "-m", "lab-tiny", "--streams", "2",  "--pass", "decode", "--tokens",
      "32",  "--batch",         "3",  "-q",       "-o",        "out"};
  const ChildResult result = tcsim(words);
  ASSERT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.output,
              StartsWith("writer, batch 3, after 31 tokens, fp16, decode, 2 instances on "
                         "lab-tiny\n"));
  EXPECT_THAT(result.output, HasSubstr("  samples/s  tokens/s\n"));
  const Json json = Json::parse(text_of("out/streams.json"));
  EXPECT_EQ(json["tokens"], 1);
  EXPECT_EQ(json["context_tokens"], 32);
  EXPECT_EQ(json["kv_cache"], "whole");
  EXPECT_EQ(json["clock_mhz"], 1410);
  EXPECT_DOUBLE_EQ(json["tokens_per_s"].get<double>(), 6e6 / json["together_us"].get<double>());
}

}  // namespace
}  // namespace tcsim::cli
