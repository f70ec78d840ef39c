#include "sim/sweep/process_pool.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <map>

#include "tests/support/temporary_directory.hpp"

namespace tcsim::sweep {
namespace {

std::map<std::size_t, Ending> endings_of(const std::vector<std::string>& scripts, Limits limits) {
  const test::TemporaryDirectory home;
  std::vector<Command> commands;
  for (std::size_t i = 0; i < scripts.size(); ++i)
    commands.push_back({{"/bin/sh", "-c", scripts[i]}, std::to_string(i)});
  std::map<std::size_t, Ending> endings;
  ProcessPool(2, home.path(), home.path(), limits)
      .run(
          commands, [&](std::size_t i, const Ending& ending) { endings[i] = ending; },
          [] { return 0; });
  return endings;
}

TEST(ProcessPool, KeepsOutputErrorsAndStatusApart) {
  auto endings = endings_of({"echo out; echo err >&2; exit 3", "true"}, {});
  EXPECT_EQ(endings[0].output, "out\n");
  EXPECT_EQ(endings[0].errors, "err\n");
  EXPECT_EQ(endings[0].status, 3);
  EXPECT_EQ(endings[1].status, 0);
}

TEST(ProcessPool, ACrashTakesNothingElseDown) {
  auto endings = endings_of({"kill -SEGV $$", "echo fine", "kill -KILL $$"}, {});
  EXPECT_EQ(endings[0].signal, SIGSEGV);
  EXPECT_EQ(endings[1].output, "fine\n");
  EXPECT_EQ(endings[2].signal, SIGKILL);
}

TEST(ProcessPool, EndsWhatTakesTooLong) {
  auto endings = endings_of({"exec sleep 60", "echo fine"}, {0.2, 0});
  EXPECT_TRUE(endings[0].timed_out);
  EXPECT_FALSE(endings[1].timed_out);
}

TEST(ProcessPool, LimitsTheAddressSpace) {
  auto endings = endings_of({"ulimit -v"}, {0, 500});
  EXPECT_EQ(endings[0].output, "512000\n");
}

TEST(ProcessPool, StopsWhenASignalIsPending) {
  const test::TemporaryDirectory home;
  int asked = 0;
  int finished = 0;
  ProcessPool(1, home.path(), home.path(), {})
      .run(
          {{{"/bin/sh", "-c", "exec sleep 60"}, "a"}, {{"/bin/sh", "-c", "true"}, "b"}},
          [&](std::size_t, const Ending&) { ++finished; },
          [&] { return ++asked > 3 ? SIGINT : 0; });
  EXPECT_EQ(finished, 0);
}

}  // namespace
}  // namespace tcsim::sweep
