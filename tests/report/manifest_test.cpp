#include "sim/report/manifest.hpp"

#include <gtest/gtest.h>

#include "sim/report/configuration_hash.hpp"
#include "tests/report/fake_gpu.hpp"

namespace tcsim::report {
namespace {

TEST(Manifest, StartsAsIncomplete) {
  const auto json = manifest_json({{"tcsim", "run"}, "2024-05-01T12:00:00Z"}, fake_inputs());
  EXPECT_EQ(json["complete"], false);
  EXPECT_EQ(json["stopped_by"], "running");
}

TEST(Manifest, HoldsEverythingNeededToRepeatTheRun) {
  const auto json = manifest_json(
      {{"tcsim", "run", "gemm:64"}, "2024-05-01T12:00:00Z", 1.5, true, "finished"}, fake_inputs());
  EXPECT_EQ(json["command"], "tcsim run gemm:64");
  EXPECT_EQ(json["machine"]["effective"], "name: toy\n");
  EXPECT_EQ(json["machine"]["hash"], hash_text("name: toy\n"));
  EXPECT_EQ(json["workload"]["words"], "gemm:m=100,n=100,k=125");
  EXPECT_EQ(json["configuration_hash"], configuration_hash(fake_inputs()));
  EXPECT_EQ(json["fidelity"], "cycle");
  for (const char* key : {"revision", "host", "seed", "wall_s", "started_utc"})
    EXPECT_TRUE(json.contains(key)) << key;
}

TEST(Manifest, TellsAChangedFileByTheHashOfTheWorkload) {
  RunInputs inputs = fake_inputs();
  const auto hash = manifest_json({}, inputs)["workload"]["hash"];
  EXPECT_EQ(hash, hash_text(inputs.workload));
  inputs.workload_content = "1";
  EXPECT_NE(manifest_json({}, inputs)["workload"]["hash"], hash);
}

TEST(Manifest, EscapesArgumentsThatAreNotUtf8SoThatTheyCanBeReadBack) {
  const std::vector<std::string> sound{"tcsim", "run", "trace:a\\xe9.tct"};
  EXPECT_EQ(manifest_json({sound, ""}, fake_inputs())["arguments"], sound);
  EXPECT_FALSE(manifest_json({sound, ""}, fake_inputs()).contains("arguments_escaped"));
  const std::vector<std::string> foreign{"tcsim", "run", "trace:a\\b\xe9.tct"};
  const auto json = manifest_json({foreign, ""}, fake_inputs());
  EXPECT_EQ(json["arguments"][2], "trace:a\\\\b\\xe9.tct");
  EXPECT_EQ(json["arguments_escaped"], true);
}

TEST(Manifest, QuotesTheCommandForAShell) {
  EXPECT_EQ(shell_line({"tcsim", "run", "a b", "it's", ""}), R"(tcsim run 'a b' 'it'\''s' '')");
}

TEST(Manifest, WritesTheTimeInUtc) {
  EXPECT_EQ(now_utc().size(), std::string("2024-05-01T12:00:00Z").size());
}

}  // namespace
}  // namespace tcsim::report
