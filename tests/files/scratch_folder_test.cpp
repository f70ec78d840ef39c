#include "sim/files/scratch_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "sim/errors/errors.hpp"

namespace tcsim::files {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

TEST(ScratchFolder, IsGoneWithTheObjectAndWhatItLinksToStays) {
  const ScratchFolder other(temporary_directory(), "tcsim-test-");
  fs::path path;
  {
    const ScratchFolder folder(temporary_directory(), "tcsim-test-");
    path = folder.path();
    EXPECT_THAT(path.filename().string(), StartsWith("tcsim-test-"));
    folder.write("name", "text");
    EXPECT_EQ(fs::file_size(path / "name"), 4U);
    folder.link("other", other.path());
    EXPECT_TRUE(fs::is_directory(path / "other"));
  }
  EXPECT_FALSE(fs::exists(path));
  EXPECT_TRUE(fs::exists(other.path()));
}

TEST(ScratchFolder, NamesWhatCannotBeMade) {
  EXPECT_THAT([] { const ScratchFolder folder("/nowhere", "a-"); },
              ThrowsMessage<IoError>(
                  AllOf(StartsWith("/nowhere/a-"), HasSubstr(": cannot make: No such file"))));
  const ScratchFolder folder(temporary_directory(), "tcsim-test-");
  EXPECT_THAT([&] { folder.write("no/name", "text"); },
              ThrowsMessage<IoError>(HasSubstr("no/name: cannot write: No such file")));
  EXPECT_THAT([&] { folder.link("no/name", "/"); },
              ThrowsMessage<IoError>(HasSubstr("no/name: cannot make: No such file")));
}

TEST(TemporaryDirectory, ThatIsNotThereIsTroubleWithFiles) {
  ::setenv("TMPDIR", "/nowhere", 1);
  EXPECT_THAT([] { (void)temporary_directory(); }, ThrowsMessage<IoError>(HasSubstr("TMPDIR")));
  ::unsetenv("TMPDIR");
}

}  // namespace
}  // namespace tcsim::files
