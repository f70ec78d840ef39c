#include "sim/core_rtl/core_build.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "sim/config/load.hpp"
#include "sim/errors/errors.hpp"
#include "tests/support/temporary_directory.hpp"

namespace tcsim::core_rtl {
namespace {

std::ptrdiff_t files_below(const std::filesystem::path& folder) {
  return std::ranges::count_if(std::filesystem::recursive_directory_iterator(folder),
                               [](const auto& entry) { return entry.is_regular_file(); });
}

// The files for Verilator can take a slow disk longer than a stop waits, so work asks between them.
TEST(BuildCore, AsksForSignalsBetweenFilesAndLeavesNothing) {
  const test::TemporaryDirectory cache;
  ::setenv("TCSIM_CACHE", cache.path().c_str(), 1);
  const CorePlan plan = plan_core(config::load_machine("a100"));
  for (const int unheard : {0, 1, 5, 20}) {
    int asked = 0;
    BuildEvents events;
    events.pending_signal = [&] {
      EXPECT_LE(files_below(cache.path()), asked);
      return asked++ < unheard ? 0 : SIGINT;
    };
    EXPECT_THROW(build_core(plan, events), IoError);
    EXPECT_TRUE(std::filesystem::is_empty(cache.path() / "rtl")) << "behind " << unheard;
  }
  ::unsetenv("TCSIM_CACHE");
}

/// Begins to build and stops behind a few files.
void begin_to_build(const CorePlan& plan) {
  int asked = 0;
  BuildEvents events;
  events.pending_signal = [&] { return asked++ < 5 ? 0 : SIGINT; };
  EXPECT_THROW(build_core(plan, events), IoError);
}

TEST(BuildCore, RemovesWhatNobodyBuildsWhateverItsNumber) {
  const test::TemporaryDirectory cache;
  ::setenv("TCSIM_CACHE", cache.path().c_str(), 1);
  const CorePlan plan = plan_core(config::load_machine("a100"));
  // The number of a process that lives, as one has that came behind a killed builder.
  const std::string dead = "building-" + std::to_string(::getpid()) + "-dead";
  const std::filesystem::path alive = cache.path() / "rtl" / "building-1-alive";
  std::filesystem::create_directories(cache.path() / "rtl" / dead);
  std::filesystem::create_directories(alive);
  const int builder = ::open(alive.c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(::flock(builder, LOCK_EX), 0);
  begin_to_build(plan);
  EXPECT_FALSE(std::filesystem::exists(cache.path() / "rtl" / dead));
  EXPECT_TRUE(std::filesystem::exists(alive));
  ::close(builder);
  begin_to_build(plan);
  EXPECT_FALSE(std::filesystem::exists(alive));
  ::unsetenv("TCSIM_CACHE");
}

/// Programs that leave the files of Verilator and of a compiler behind, empty, as the first in
/// PATH.
class FakeTools {
 public:
  FakeTools() {
    write("verilator",
          "case \"$1\" in\n"
          "  --version) echo Verilator ;;\n"
          "  --getenv) echo / ;;\n"
          "  *) while [ $# -gt 0 ]; do [ \"$1\" = --Mdir ] && mkdir \"$2\"; shift; done; true ;;\n"
          "esac\n");
    write("c++", "while [ $# -gt 0 ]; do [ \"$1\" = -o ] && : > \"$2\"; shift; done; true\n");
    ::setenv("CXX", (folder_.path() / "c++").c_str(), 1);
    ::setenv("PATH", (folder_.path().string() + ":" + path_).c_str(), 1);
  }
  ~FakeTools() {
    ::setenv("PATH", path_.c_str(), 1);
    ::unsetenv("CXX");
  }
  FakeTools(const FakeTools&) = delete;
  FakeTools& operator=(const FakeTools&) = delete;

 private:
  void write(const char* name, const std::string& script) {
    const std::filesystem::path file = folder_.path() / name;
    std::ofstream(file) << "#!/bin/sh\n" << script;
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  }

  const test::TemporaryDirectory folder_;
  const std::string path_ = std::getenv("PATH");
};

TEST(BuildCore, ReplacesAFolderThatLacksALibraryInAFolderOfThisUserAlone) {
  const test::TemporaryDirectory cache;
  ::setenv("TCSIM_CACHE", cache.path().c_str(), 1);
  const FakeTools tools;
  const CorePlan plan = plan_core(config::load_machine("a100"));
  const BuiltCore first = build_core(plan, {});
  EXPECT_FALSE(first.was_there);
  EXPECT_EQ(std::filesystem::status(cache.path() / "rtl").permissions(),
            std::filesystem::perms::owner_all);
  EXPECT_TRUE(build_core(plan, {}).was_there);
  std::filesystem::remove(first.folder / "warp.so");
  EXPECT_FALSE(build_core(plan, {}).was_there);
  EXPECT_TRUE(std::filesystem::exists(first.folder / "warp.so"));
  EXPECT_TRUE(build_core(plan, {}).was_there);
  ::unsetenv("TCSIM_CACHE");
}

}  // namespace
}  // namespace tcsim::core_rtl
