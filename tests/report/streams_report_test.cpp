#include "sim/report/streams_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "sim/files/atomic_file.hpp"
#include "sim/files/json_text.hpp"
#include "sim/report/checksum.hpp"
#include "tests/support/temporary_directory.hpp"

namespace tcsim::report {
namespace {

using ::testing::ContainsRegex;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// Two instances of three samples each, together in 100 us.
StreamsRun two_instances() {
  StreamsRun run;
  run.machine = run.machine_name = "a100";
  run.network = "t1";
  run.batch = 3;
  run.tokens = 1;
  run.context_tokens = 64;
  run.precision = "fp16 by int4 weights";
  run.pass = "decode";
  run.paged_cache = true;
  run.clock_mhz = 1410;
  run.ends_us = {80, 100};
  run.together_us = 100;
  run.in_turn_us = 150;
  return run;
}

TEST(StreamsReport, SaysHowTheNetworkWasAskedToRun) {
  EXPECT_THAT(streams_text(two_instances()),
              StartsWith("t1, batch 3, after 63 tokens, fp16 by int4 weights, decode, paged cache, "
                         "2 instances on a100\n"));
  EXPECT_THAT(streams_csv(two_instances()),
              EndsWith("overrides,tokens,context_tokens,kv_cache,clock_mhz,samples_per_s,tokens_per"
                       "_s\nt1,a100,3,fp16 by int4 weights,decode,2,100,150,1.5,,1,64,paged,1410,"
                       "60000,60000\n"));
  const auto json = streams_json(two_instances());
  EXPECT_EQ(json.at("tokens"), 1);
  EXPECT_EQ(json.at("context_tokens"), 64);
  EXPECT_EQ(json.at("kv_cache"), "paged");
  EXPECT_EQ(json.at("clock_mhz"), 1410);
}

TEST(StreamsReport, CountsTheTokensOfAllInstances) {
  StreamsRun run = two_instances();
  run.pass = "forward";
  run.tokens = 128;
  run.context_tokens = 0;
  run.tokens_were_asked = true;
  EXPECT_THAT(streams_text(run), HasSubstr("t1, batch 3, 128 tokens, "));
  EXPECT_THAT(streams_text(run), ContainsRegex("together +100.00 +60000.0 +7680000.0\n"));
  EXPECT_DOUBLE_EQ(streams_json(run).at("tokens_per_s").get<double>(), 7.68e6);
}

TEST(StreamsReport, HasNoTokensWhereTheNetworkTakesNone) {
  StreamsRun run = two_instances();
  run.pass = "forward";
  run.tokens = run.context_tokens = 0;
  run.paged_cache = false;
  EXPECT_THAT(streams_text(run), Not(HasSubstr("token")));
  EXPECT_TRUE(streams_json(run).at("tokens_per_s").is_null());
  EXPECT_THAT(streams_csv(run), EndsWith(",,,,whole,1410,60000,\n"));
}

TEST(StreamsReport, OfAStoppedRunHasNoRates) {
  StreamsRun run = two_instances();
  run.is_complete = false;
  run.stopped_by = "cycle limit";
  EXPECT_TRUE(streams_json(run).at("samples_per_s").is_null());
  EXPECT_TRUE(streams_json(run).at("tokens_per_s").is_null());
  EXPECT_THAT(streams_csv(run), EndsWith(",1410,,\n"));
}

TEST(StreamsReport, IsAResultThatTheManifestHashes) {
  const test::TemporaryDirectory folder;
  const std::filesystem::path file = folder.path() / "streams.json";
  files::write_atomically(file, files::json_text(streams_json(two_instances())));
  EXPECT_TRUE(
      sealed_manifest(FilePlaces{{"streams.json", file}}, {}).at("files").contains("streams.json"));
}

}  // namespace
}  // namespace tcsim::report
