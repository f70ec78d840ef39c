#include "sim/cli/child_pool.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <set>

namespace tcsim::cli {
namespace {

std::vector<std::string> shell(const std::string& script) { return {"/bin/sh", "-c", script}; }

int no_signal() { return 0; }

void ignore(std::size_t /*index*/, const ChildResult& /*result*/) {}

TEST(ChildPool, ReturnsStatusAndBothStreams) {
  const auto results =
      ChildPool(1).run({shell("echo out; echo err >&2; exit 3")}, ignore, no_signal);
  ASSERT_EQ(results.size(), 1u);
  EXPECT_TRUE(results[0].started);
  EXPECT_EQ(results[0].status, 3);
  EXPECT_EQ(results[0].signal, 0);
  EXPECT_EQ(results[0].output, "out\n");
  EXPECT_EQ(results[0].errors, "err\n");
}

TEST(ChildPool, KeepsTheOrderOfTheCommandsWhateverEndsFirst) {
  std::vector<std::size_t> ended;
  const auto results = ChildPool(2).run(
      {shell("sleep 0.4; echo slow"), shell("echo fast")},
      [&](std::size_t index, const ChildResult&) { ended.push_back(index); }, no_signal);
  EXPECT_EQ(results[0].output, "slow\n");
  EXPECT_EQ(results[1].output, "fast\n");
  EXPECT_EQ(ended, (std::vector<std::size_t>{1, 0}));
}

TEST(ChildPool, ReportsACrashAndRunsTheOthers) {
  const auto results =
      ChildPool(1).run({shell("kill -SEGV $$"), shell("echo fine")}, ignore, no_signal);
  EXPECT_EQ(results[0].signal, SIGSEGV);
  EXPECT_EQ(results[1].output, "fine\n");
}

TEST(ChildPool, ReadsMoreThanAPipeHolds) {
  const auto results = ChildPool(1).run({shell("head -c 1000000 /dev/zero")}, ignore, no_signal);
  EXPECT_EQ(results[0].output.size(), 1000000u);
}

TEST(ChildPool, PassesASignalOnAndStartsNothingMore) {
  bool asked = false;
  const auto start = std::chrono::steady_clock::now();
  const auto results = ChildPool(1).run(
      {shell("trap 'echo stopped; exit 130' INT; while :; do sleep 0.05; done"),
       shell("echo never")},
      ignore, [&] {
        const bool due = std::chrono::steady_clock::now() - start > std::chrono::milliseconds(500);
        asked = asked || due;
        return due ? SIGINT : 0;
      });
  EXPECT_TRUE(asked);
  EXPECT_EQ(results[0].status, 130);
  EXPECT_FALSE(results[1].started);
  EXPECT_EQ(results[1].output, "");
}

TEST(ChildPool, ReportsAProgramThatDoesNotExistAsShellsDo) {
  EXPECT_EQ(ChildPool(1).run({{"/no/such/program"}}, ignore, no_signal)[0].status, 127);
}

}  // namespace
}  // namespace tcsim::cli
