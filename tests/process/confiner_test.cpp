#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/landlock.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "sim/process/child_pool.hpp"
#include "tests/support/temporary_directory.hpp"

namespace tcsim::process {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

/// How the script ends in a confined shell that works in `folder`.
ChildResult confined(const std::string& script, const fs::path& folder,
                     const Confinement& confinement = {}, Limits limits = {20, 0}) {
  PoolEvents events;
  events.finished = [](std::size_t, const ChildResult&) {};
  events.pending_signal = [] { return 0; };
  PoolOptions options;
  options.directory = folder;
  options.limits = limits;
  options.confinement = confinement;
  return ChildPool(options).run({{{"/bin/sh", "-c", script}}}, events).front();
}

bool has_landlock() {
  return ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION) > 0;
}

class Confined : public ::testing::Test {
 protected:
  test::TemporaryDirectory home_;
};

TEST_F(Confined, HasOfTheEnvironmentOnlyWhatItIsGiven) {
  ::setenv("TCSIM_TEST_SECRET", "hidden", 1);
  ::setenv("TCSIM_TEST_KEPT", "given", 1);
  const ChildResult result =
      confined("cat /proc/self/environ", home_.path(), {.environment = {"TCSIM_TEST_KEPT"}});
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("TCSIM_TEST_KEPT=given"));
  EXPECT_THAT(result.output, Not(HasSubstr("hidden")));
}

TEST_F(Confined, HasNoDescriptorsOfItsParent) {
  const fs::path file = home_.path() / "key";
  std::ofstream(file) << "hidden\n";
  const int descriptor = ::open(file.c_str(), O_RDONLY);  // kept by exec
  const ChildResult result =
      confined("cat /proc/self/fd/" + std::to_string(descriptor) + " <&-", home_.path());
  ::close(descriptor);
  EXPECT_NE(result.status, 0);
  EXPECT_EQ(result.output, "");
}

TEST_F(Confined, EndsAtItsLimitsWithAllThatItStarted) {
  const ChildResult slow = confined("sleep 60 & sleep 60", home_.path(), {}, {0.3, 0});
  EXPECT_TRUE(slow.timed_out);
  const ChildResult loud = confined("yes", home_.path(), {.output_mib = 1});
  EXPECT_LE(loud.output.size(), std::size_t{1} << 20);
  EXPECT_FALSE(loud.timed_out);
}

TEST_F(Confined, LeavesNothingBehind) {
  const ChildResult result = confined("sleep 61 >&- 2>&- & echo $!", home_.path());
  const pid_t left = std::stoi(result.output);
  bool gone = false;
  for (int i = 0; i < 200 && !gone; ++i) {
    gone = ::kill(left, 0) != 0;
    std::ifstream status("/proc/" + std::to_string(left) + "/stat");
    std::string text((std::istreambuf_iterator<char>(status)), {});
    gone = gone || text.find(") Z ") != std::string::npos;
    ::usleep(10000);
  }
  EXPECT_TRUE(gone);
}

TEST_F(Confined, ReadsItsFolderAndWhatItIsGivenAndWritesNothing) {
  if (!has_landlock())
    GTEST_SKIP() << "this kernel has no Landlock (Linux 5.13 and CONFIG_SECURITY_LANDLOCK)";
  const test::TemporaryDirectory other;
  const test::TemporaryDirectory given;
  std::ofstream(home_.path() / "own") << "own\n";
  std::ofstream(other.path() / "key") << "hidden\n";
  std::ofstream(given.path() / "machine") << "machine\n";
  EXPECT_EQ(confined("cat own", home_.path()).output, "own\n");
  EXPECT_EQ(confined("cat " + (given.path() / "machine").string(), home_.path(),
                     {.readable = {given.path()}})
                .output,
            "machine\n");
  const ChildResult reading = confined("cat " + (other.path() / "key").string(), home_.path());
  EXPECT_NE(reading.status, 0);
  EXPECT_EQ(reading.output, "");
  EXPECT_NE(confined("echo x > own", home_.path()).status, 0);
  EXPECT_NE(confined("echo x > " + (other.path() / "new").string(), home_.path()).status, 0);
  EXPECT_FALSE(fs::exists(other.path() / "new"));
  EXPECT_EQ(confined("echo x > /dev/null", home_.path()).status, 0);
}

TEST_F(Confined, WritesWhereItMayAndNowhereElse) {
  if (!has_landlock())
    GTEST_SKIP() << "this kernel has no Landlock (Linux 5.13 and CONFIG_SECURITY_LANDLOCK)";
  const test::TemporaryDirectory other;
  const Confinement confinement{.writable = {home_.path()}};
  EXPECT_EQ(confined("mkdir a && echo x > a/b && mv a/b a/c && cat a/c && rm -r a", home_.path(),
                     confinement)
                .output,
            "x\n");
  EXPECT_NE(
      confined("echo x > " + (other.path() / "new").string(), home_.path(), confinement).status, 0);
  EXPECT_FALSE(fs::exists(other.path() / "new"));
}

}  // namespace
}  // namespace tcsim::process
