#include "sim/files/atomic_file.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <future>

#include "tests/support/refusal.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_of.hpp"

namespace tcsim::files {
namespace {

namespace fs = std::filesystem;
using test::TemporaryDirectory;
using test::text_of;
using ::testing::EndsWith;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder))
    names.push_back(entry.path().filename().string());
  return names;
}

/// While one exists, files of this process end at `bytes`, as on a disk that is full then.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileLimit() { ::setrlimit(RLIMIT_FSIZE, &before_); }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;

 private:
  rlimit before_{};
};

TEST(WriteAtomically, NamesTheFileAndTheReasonWhenItCannot) {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "missing" / "stats.json";
  EXPECT_EQ(test::refusal<IoError>([&] { write_atomically(path, "text"); }),
            path.string() + ": cannot write: No such file or directory");
}

TEST(WriteAtomically, LeavesTheTargetAloneWhenItFails) {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "stats.json";
  fs::create_directories(path);  // rename cannot replace a directory by a file
  EXPECT_THROW(write_atomically(path, "text"), IoError);
  EXPECT_TRUE(fs::is_directory(path));
  EXPECT_EQ(std::distance(fs::directory_iterator(directory.path()), fs::directory_iterator()), 1);
}

TEST(WriteAtomically, LeavesTheOldTextAndNothingElseWhenTheDiskFillsUp) {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "stats.json";
  write_atomically(path, "old");
  {
    const FileLimit limit(1000);
    EXPECT_THROW(write_atomically(path, std::string(5000, 'x')), IoError);
  }
  EXPECT_EQ(text_of(path), "old");
  EXPECT_THAT(names_in(directory.path()), SizeIs(1));
}

TEST(WriteAtomically, ReplacesALinkAndNotWhatItPointsTo) {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "stats.json";
  write_atomically(directory.path() / "foreign", "foreign");
  fs::create_symlink(directory.path() / "foreign", path);
  write_atomically(path, "mine");
  EXPECT_EQ(text_of(directory.path() / "foreign"), "foreign");
  EXPECT_EQ(text_of(path), "mine");
  EXPECT_FALSE(fs::is_symlink(path));
}

TEST(WriteAtomically, FollowsNoLinkThatBearsTheNumberOfTheProcess) {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "results.json";
  const fs::path foreign = directory.path() / "foreign";
  write_atomically(foreign, "foreign");
  fs::create_symlink(foreign, path.string() + ".writing-" + std::to_string(::getpid()));
  write_atomically(path, "mine");
  EXPECT_EQ(text_of(foreign), "foreign");
}

TEST(WriteAtomically, GivesTheModeThatIsAskedFor) {
  const TemporaryDirectory directory;
  write_atomically(directory.path() / "program", "text", 0755);
  EXPECT_EQ(fs::status(directory.path() / "program").permissions() & fs::perms::owner_exec,
            fs::perms::owner_exec);
}

TEST(AReplacementFile, HasAnotherNameEachTime) {
  const TemporaryDirectory directory;
  const ReplacementFile first(directory.path() / "a");
  const ReplacementFile second(directory.path() / "a");
  EXPECT_NE(first.path(), second.path());
}

TEST(AReplacementFile, IsGoneIfItIsNotFinished) {
  const TemporaryDirectory directory;
  {
    ReplacementFile file(directory.path() / "a");
    file.write("half");
    EXPECT_THAT(names_in(directory.path()), SizeIs(1));
  }
  EXPECT_THAT(names_in(directory.path()), SizeIs(0));
}

TEST(AbandonFiles, RemovesWhatIsBeingWrittenByAProcessThatEnds) {
  const TemporaryDirectory directory;
  const auto end_amid = [&] {
    const ReplacementFile first(directory.path() / "a");
    ReplacementFile second(directory.path() / "b");
    const ReplacementFile third(directory.path() / "c");
    second.finish();
    ::_exit(abandon_files() ? 3 : 4);
  };
  EXPECT_EXIT(end_amid(), testing::ExitedWithCode(3), "");
  EXPECT_THAT(names_in(directory.path()), testing::ElementsAre("b"));
}

TEST(RemoveUnfinished, TakesWhatKilledWritersLeftAndNothingElse) {
  const TemporaryDirectory directory;
  std::ofstream(directory.path() / "stats.json.writing-0123456789abcdef") << "half";
  for (const char* name : {"a", "a.writing-", "notes.writing-tomorrow", "writing-0123456789abcdef"})
    write_atomically(directory.path() / name, "mine");
  remove_unfinished(directory.path());
  EXPECT_THAT(names_in(directory.path()), SizeIs(4));
}

TEST(WriteOutput, HandsTheBytesToAPipeThatTheUserNames) {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  auto reader = std::async(std::launch::async, [&] { return text_of(path); });
  write_output(path, "text");
  EXPECT_EQ(reader.get(), "text");
  EXPECT_TRUE(fs::is_fifo(path));
}

TEST(WriteOutput, KeepsALinkAndThePermissionsOfTheFileBehindIt) {
  const TemporaryDirectory directory;
  const fs::path file = directory.path() / "real.svg";
  const fs::path link = directory.path() / "link.svg";
  write_atomically(file, "old", 0600);
  fs::create_symlink("real.svg", link);
  write_output(link, "new");
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(text_of(file), "new");
  EXPECT_EQ(fs::status(file).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST(WriteOutput, ReportsADeviceThatTakesNoMore) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const TemporaryDirectory directory;
  const fs::path link = directory.path() / "full";
  fs::create_symlink("/dev/full", link);
  EXPECT_THAT([&] { write_output(link, "text"); },
              ThrowsMessage<IoError>(EndsWith("full: cannot write: No space left on device")));
  EXPECT_TRUE(fs::is_symlink(link));
}

}  // namespace
}  // namespace tcsim::files
