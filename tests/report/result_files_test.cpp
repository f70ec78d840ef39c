#include "sim/report/result_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_of.hpp"

namespace tcsim::report {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using test::text_of;
using testing::ElementsAre;

Json manifest_of(const std::string& workload, const std::string& stopped_by) {
  return {
      {"schema_version", 1}, {"stopped_by", stopped_by}, {"arguments", {"tcsim", "run", workload}}};
}

/// Names and contents of all files in "out".
std::map<std::string, std::string> content() {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::directory_iterator("out"))
    files[entry.path().filename().string()] = text_of(entry.path());
  return files;
}

std::vector<std::string> names() {
  std::vector<std::string> found;
  for (const auto& [name, text] : content()) found.push_back(name);
  return found;
}

/// An earlier run with results that the next one does not have.
class ResultFilesTest : public ::testing::Test {
 protected:
  ResultFilesTest() {
    const RunDirectory directory = RunDirectory::create("out", false);
    ResultFiles files(directory, {});
    files.write("stats.json", "old");
    files.write("critical_path.json", "old");
    files.publish(manifest_of("gemm:64", "finished"));
  }

  const test::TemporaryHome home_;
};

TEST_F(ResultFilesTest, ReplaceAnEarlierRunWhenAllAreThere) {
  ResultFiles files(RunDirectory::create("out", true), manifest_of("gemm:128", "running"));
  files.write("stats.json", "new");
  files.write("stats.csv", "new");
  EXPECT_EQ(text_of("out/stats.json"), "old");
  files.publish(manifest_of("gemm:128", "finished"));
  EXPECT_THAT(names(), ElementsAre("manifest.json", "stats.csv", "stats.json"));
  EXPECT_EQ(text_of("out/stats.json"), "new");
  const Json manifest = Json::parse(text_of("out/manifest.json"));
  EXPECT_EQ(manifest["stopped_by"], "finished");
  EXPECT_EQ(manifest["files"].size(), 2U);
}

TEST_F(ResultFilesTest, ThatAreNotPublishedLeaveTheEarlierRunAsItWas) {
  const auto before = content();
  {
    ResultFiles files(RunDirectory::create("out", true), manifest_of("gemm:128", "running"));
    files.write("stats.json", "new");
  }
  EXPECT_EQ(content(), before);
}

// One of the new files cannot be renamed, which stands for a kill between the renames.
TEST_F(ResultFilesTest, ThatStopHalfWayLeaveTheManifestOfAnUnfinishedRun) {
  fs::create_directory("out/stats.csv");
  {
    ResultFiles files(RunDirectory::create("out", true), manifest_of("gemm:128", "running"));
    files.write("stats.csv", "new");
    files.write("stats.json", "new");
    EXPECT_THROW(files.publish(manifest_of("gemm:128", "finished")), IoError);
  }
  const Json manifest = Json::parse(text_of("out/manifest.json"));
  EXPECT_EQ(manifest["stopped_by"], "running");
  EXPECT_TRUE(manifest["files"].empty());
}

}  // namespace
}  // namespace tcsim::report
