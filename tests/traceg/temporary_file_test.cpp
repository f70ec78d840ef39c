#include "workloads/traceg/temporary_file.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/resource.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "sim/errors/errors.hpp"

namespace tcsim::traceg {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::ThrowsMessage;

TEST(TemporaryFile, IsNotInheritedByOtherPrograms) {
  const TemporaryFile file;
  int found = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const fs::path target = fs::read_symlink(entry.path(), gone);
    if (!target.filename().string().starts_with("tcsim-")) continue;
    ++found;
    const int flags = ::fcntl(std::stoi(entry.path().filename().string()), F_GETFD);
    EXPECT_EQ(flags & FD_CLOEXEC, FD_CLOEXEC) << target;
  }
  EXPECT_EQ(found, 1);
}

TEST(TemporaryFile, NamesTheVariableOfTheFolderIfAnotherFolderMayDo) {
  ::setenv("TMPDIR", "/proc", 1);
  EXPECT_THAT([] { const TemporaryFile file; },
              ThrowsMessage<IoError>(HasSubstr("TMPDIR names the folder")));
  ::unsetenv("TMPDIR");
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  const rlimit none{0, before.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &none);
  std::string message;
  try {
    const TemporaryFile file;
  } catch (const IoError& error) {
    ::setrlimit(RLIMIT_NOFILE, &before);  // sanitizers open files to look at what is called
    message = error.what();
  }
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_THAT(message, AllOf(HasSubstr("cannot create"), Not(HasSubstr("TMPDIR"))));
}

}  // namespace
}  // namespace tcsim::traceg
