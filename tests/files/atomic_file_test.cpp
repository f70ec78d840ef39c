#include "sim/files/atomic_file.hpp"

#include <gtest/gtest.h>

#include "tests/support/temporary_directory.hpp"

namespace tcsim::files {
namespace {

namespace fs = std::filesystem;
using test::TemporaryDirectory;

TEST(WriteAtomically, NamesTheFileAndTheReasonWhenItCannot) {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "missing" / "stats.json";
  try {
    write_atomically(path, "text");
    FAIL() << "accepted";
  } catch (const IoError& error) {
    EXPECT_EQ(error.what(), path.string() + ": cannot write: No such file or directory");
  }
}

TEST(WriteAtomically, LeavesTheTargetAloneWhenItFails) {
  const TemporaryDirectory directory;
  const fs::path path = directory.path() / "stats.json";
  fs::create_directories(path);  // rename cannot replace a directory by a file
  EXPECT_THROW(write_atomically(path, "text"), IoError);
  EXPECT_TRUE(fs::is_directory(path));
  EXPECT_EQ(std::distance(fs::directory_iterator(directory.path()), fs::directory_iterator()), 1);
}

}  // namespace
}  // namespace tcsim::files
