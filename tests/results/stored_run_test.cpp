#include "sim/results/stored_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/files/atomic_file.hpp"
#include "tests/results/stored_runs.hpp"
#include "tests/support/temporary_directory.hpp"

namespace tcsim::results {
namespace {

using testing::HasSubstr;

std::string refusal(const std::filesystem::path& directory) {
  try {
    load_run(directory);
  } catch (const files::IoError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(StoredRun, ReadsBackWhatARunWrites) {
  const test::TemporaryDirectory directory;
  const StoredRun run = fake_run();
  files::write_atomically(directory.path() / "stats.json", run.stats.dump());
  files::write_atomically(directory.path() / "manifest.json", run.manifest.dump());
  const StoredRun read = load_run(directory.path());
  EXPECT_EQ(read.number("tflops"), 2.5);
  EXPECT_EQ(read.number("clock_mhz"), 1000);
  EXPECT_EQ(read.number("energy_j"), std::nullopt);
  EXPECT_EQ(read.scope("sub_core")["instances"], 4);
  EXPECT_FALSE(is_list(directory.path()));
}

TEST(StoredRun, SaysWhatIsWrongWithAFile) {
  const test::TemporaryDirectory directory;
  EXPECT_THAT(refusal(directory.path() / "none"), HasSubstr("is not the directory of a run"));
  EXPECT_THAT(refusal(directory.path()), HasSubstr("stats.json"));
  files::write_atomically(directory.path() / "manifest.json", "{}");
  files::write_atomically(directory.path() / "stats.json", "{");
  EXPECT_THAT(refusal(directory.path()), HasSubstr("is damaged"));
  files::write_atomically(directory.path() / "stats.json", "[1]");
  EXPECT_THAT(refusal(directory.path()), HasSubstr("is not the statistics of a run"));
  files::write_atomically(directory.path() / "stats.json", R"({"schema_version": 99})");
  EXPECT_THAT(refusal(directory.path()), HasSubstr("has schema version 99; this tcsim reads 1"));
  files::write_atomically(directory.path() / "stats.json", R"({"schema_version": 1})");
  EXPECT_THAT(refusal(directory.path()), HasSubstr("has no 'title', as an older tcsim wrote it"));
}

}  // namespace
}  // namespace tcsim::results
