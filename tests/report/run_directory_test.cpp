#include "sim/report/run_directory.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "sim/errors/errors.hpp"
#include "sim/files/atomic_file.hpp"
#include "sim/report/array_files.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_of.hpp"

namespace tcsim::report {
namespace {

namespace fs = std::filesystem;
using test::text_of;

constexpr const char* kManifestOfARun =
    R"({"schema_version": 1, "arguments": ["tcsim", "run", "gemm:64"]})";
constexpr const char* kUnfinished = "manifest.json.writing-0190b005ad78213f";

/// Runs each test in an empty current directory.
class RunDirectoryTest : public ::testing::Test {
 protected:
  static std::string refusal(const std::string& wanted) {
    return test::refusal<DirectoryRefused>([&] { RunDirectory::create(wanted, false); });
  }

  const test::TemporaryHome home_;
};

TEST_F(RunDirectoryTest, TakesTheNextFreeNumber) {
  EXPECT_EQ(RunDirectory::create(std::nullopt, false).name(), "run-0001");
  EXPECT_EQ(RunDirectory::create(std::nullopt, false).name(), "run-0002");
}

TEST_F(RunDirectoryTest, MakesTheWantedDirectoryWithItsParents) {
  EXPECT_EQ(RunDirectory::create("a/b/", false).name(), "b");
  EXPECT_TRUE(fs::is_directory("a/b"));
}

TEST_F(RunDirectoryTest, AcceptsAnEmptyDirectory) {
  fs::create_directory("out");
  EXPECT_EQ(refusal("out"), "accepted");
}

TEST_F(RunDirectoryTest, RefusesADirectoryThatHoldsFiles) {
  fs::create_directory("out");
  files::write_atomically("out/notes.txt", "mine");
  EXPECT_EQ(
      refusal("out"),
      "out: the directory is not empty; choose another with -o, or replace the run with --force");
}

TEST_F(RunDirectoryTest, RefusesAFile) {
  files::write_atomically("out", "mine");
  EXPECT_EQ(refusal("out"), "out: exists and is not a directory");
}

TEST_F(RunDirectoryTest, ForceRemovesTheEarlierRunAndNothingElse) {
  fs::create_directories("out/rows/0001-v100");
  files::write_atomically("out/notes.txt", "mine");
  files::write_atomically("out/manifest.json", kManifestOfARun);
  files::write_atomically("out/stats.json", "old");
  files::write_atomically("out/critical_path.json", "old");
  for (const std::string_view array : kArrays) {
    files::write_atomically("out/" + array_file(array), "old");
    files::write_atomically("out/" + array_note_file(array), "old");
  }
  files::write_atomically("out/my.npy", "mine");
  const RunDirectory directory = RunDirectory::create("out", true);
  EXPECT_TRUE(directory.holds_earlier_run());
  EXPECT_EQ(text_of("out/stats.json"), "old") << "it stays until there is another";
  directory.remove_earlier_run({"critical_path.json"});
  EXPECT_FALSE(directory.holds_earlier_run());
  EXPECT_FALSE(fs::exists("out/stats.json"));
  EXPECT_TRUE(fs::exists("out/manifest.json")) << "replaced, never missing";
  EXPECT_TRUE(fs::exists("out/critical_path.json"));
  EXPECT_FALSE(fs::exists("out/rows"));
  for (const char* file : {"y.npy", "y.npy.json", "lse.npy", "dq.npy", "d.npy", "d.npy.json"})
    EXPECT_FALSE(fs::exists(fs::path("out") / file)) << file;
  EXPECT_EQ(text_of("out/my.npy"), "mine");
  EXPECT_EQ(text_of("out/notes.txt"), "mine");
}

TEST(ArrayFiles, AreOfNoArrayThatAForcedRunWouldLeaveBehind) {
  EXPECT_THROW((void)array_file("S"), InternalError);
}

TEST_F(RunDirectoryTest, ForceReplacesNothingThatIsNoRun) {
  fs::create_directory("out");
  files::write_atomically("out/plan.json", "of a sweep");
  files::write_atomically("out/report.html", "of a sweep");
  EXPECT_THROW(RunDirectory::create("out", true), DirectoryRefused);
  EXPECT_EQ(text_of("out/report.html"), "of a sweep");
}

TEST_F(RunDirectoryTest, ForceReplacesNothingWhoseManifestIsNotOfTcsim) {
  fs::create_directories("web/rows");
  files::write_atomically("web/rows/data.txt", "x");
  for (const char* manifest : {R"({"name": "My web app"})", "[1]", "name: app",
                               R"({"schema_version": 1, "arguments": "none"})"}) {
    files::write_atomically("web/manifest.json", manifest);
    EXPECT_EQ(test::refusal<DirectoryRefused>([] { RunDirectory::create("web", true); }),
              "web: the directory holds other files and no run; choose another with -o");
    EXPECT_THROW(RunDirectory::resume("web", "validate"), DirectoryRefused);
  }
}

TEST_F(RunDirectoryTest, WhatAKilledRunLeftUnfinishedIsNoReasonToRefuse) {
  for (const char* file : {"new/", "forced/", "resumed/"}) {
    fs::create_directory(file);
    std::ofstream(std::string(file) + kUnfinished) << "{";
  }
  EXPECT_EQ(refusal("new"), "accepted");
  EXPECT_FALSE(RunDirectory::create("forced", true).holds_earlier_run());
  EXPECT_NO_THROW(RunDirectory::resume("resumed", "validate"));
  for (const char* folder : {"new", "forced", "resumed"}) EXPECT_TRUE(fs::is_empty(folder));
}

TEST_F(RunDirectoryTest, ARefusedDirectoryKeepsEveryFile) {
  fs::create_directory("out");
  files::write_atomically("out/notes.txt", "mine");
  std::ofstream(std::string("out/") + kUnfinished) << "of another";
  EXPECT_THROW(RunDirectory::create("out", false), DirectoryRefused);
  EXPECT_THROW(RunDirectory::create("out", true), DirectoryRefused);
  EXPECT_THROW(RunDirectory::resume("out", "run"), DirectoryRefused);
  files::write_atomically("out/manifest.json", kManifestOfARun);
  EXPECT_THROW(RunDirectory::resume("out", "validate"), DirectoryRefused);
  EXPECT_EQ(text_of(std::string("out/") + kUnfinished), "of another");
}

TEST_F(RunDirectoryTest, GoesOnWithoutUnfinishedRows) {
  fs::create_directories("out/rows");
  files::write_atomically("out/manifest.json", kManifestOfARun);
  std::ofstream("out/rows/1.json.writing-0190b005ad78213f") << "{";
  EXPECT_NO_THROW(RunDirectory::resume("out", "run"));
  EXPECT_TRUE(fs::is_empty("out/rows"));
}

TEST_F(RunDirectoryTest, RefusesADirectoryInWhichAnotherRunWorks) {
  {
    const RunDirectory working = RunDirectory::create("out", false);
    const RunDirectory copy = working;
    EXPECT_EQ(refusal("out"),
              "out: another tcsim works in this directory; wait for it, stop it, or choose another "
              "with -o");
    files::write_atomically("out/manifest.json", kManifestOfARun);
    EXPECT_THROW(RunDirectory::create("out", true), DirectoryRefused);
    EXPECT_THROW(RunDirectory::resume("out", "validate"), DirectoryRefused);
    EXPECT_EQ(text_of("out/manifest.json"), kManifestOfARun);
  }
  EXPECT_NO_THROW(RunDirectory::create("out", true));
}

TEST_F(RunDirectoryTest, GoesOnWithResultsOfTheSameCommandOnly) {
  fs::create_directory("out");
  files::write_atomically("out/manifest.json", kManifestOfARun);
  EXPECT_NO_THROW(RunDirectory::resume("out", "run"));
  EXPECT_EQ(
      test::refusal<DirectoryRefused>([] { RunDirectory::resume("out", "validate"); }),
      "out: the directory holds results that are not of tcsim validate; choose another with -o");
}

TEST_F(RunDirectoryTest, ARunThatReplacesNothingRemovesNothing) {
  const RunDirectory directory = RunDirectory::create("out", false);
  directory.write("manifest.json", "of this run");
  EXPECT_FALSE(directory.holds_earlier_run());
  directory.remove_earlier_run({});
  EXPECT_EQ(text_of("out/manifest.json"), "of this run");
}

TEST_F(RunDirectoryTest, ReplacesAFileInOneStepAndLeavesNoNeighbour) {
  const RunDirectory directory = RunDirectory::create("out", false);
  directory.write("stats.json", "old");
  const std::ifstream reader("out/stats.json");
  directory.write("stats.json", "new and longer");
  std::ostringstream seen;
  seen << reader.rdbuf();
  EXPECT_EQ(seen.str(), "old") << "a reader keeps the file that it opened";
  EXPECT_EQ(text_of("out/stats.json"), "new and longer");
  EXPECT_EQ(std::distance(fs::directory_iterator("out"), fs::directory_iterator()), 1);
}

}  // namespace
}  // namespace tcsim::report
