#include "workloads/traceg/temporary_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace tcsim::traceg {
namespace {

namespace fs = std::filesystem;

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

}  // namespace
}  // namespace tcsim::traceg
