#include "sim/process/child_pool.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <stdexcept>

#include "sim/errors/errors.hpp"
#include "tests/support/refusal.hpp"

namespace tcsim::process {
namespace {

using Clock = std::chrono::steady_clock;

Command shell(const std::string& script) { return {{"/bin/sh", "-c", script}}; }

PoolEvents no_events() {
  PoolEvents events;
  events.finished = [](std::size_t, const ChildResult&) {};
  events.pending_signal = [] { return 0; };
  return events;
}

std::vector<ChildResult> results_of(const std::vector<Command>& commands, int jobs = 1,
                                    Limits limits = {}) {
  return ChildPool({jobs, {}, limits}).run(commands, no_events());
}

TEST(ChildPool, KeepsOutputErrorsAndStatusApart) {
  const auto results = results_of({shell("echo out; echo err >&2; exit 3")});
  ASSERT_EQ(results.size(), 1u);
  EXPECT_TRUE(results[0].started);
  EXPECT_EQ(results[0].status, 3);
  EXPECT_EQ(results[0].signal, 0);
  EXPECT_EQ(results[0].output, "out\n");
  EXPECT_EQ(results[0].errors, "err\n");
}

TEST(ChildPool, AChildReadsItsInput) {
  const auto results = results_of({{{"/bin/cat"}, "two\nlines\n"}, {{"/bin/cat"}}}, 2);
  EXPECT_EQ(results[0].output, "two\nlines\n");
  EXPECT_EQ(results[1].output, "");
}

TEST(ChildPool, KeepsTheOrderOfTheCommandsWhateverEndsFirst) {
  std::vector<std::size_t> ended;
  std::vector<std::size_t> started;
  PoolEvents events = no_events();
  events.may_start = [&](std::size_t index) {
    started.push_back(index);
    return true;
  };
  events.finished = [&](std::size_t index, const ChildResult&) { ended.push_back(index); };
  const auto results =
      ChildPool({2, {}, {}}).run({shell("sleep 0.4; echo slow"), shell("echo fast")}, events);
  EXPECT_EQ(results[0].output, "slow\n");
  EXPECT_EQ(results[1].output, "fast\n");
  EXPECT_EQ(started, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(ended, (std::vector<std::size_t>{1, 0}));
}

TEST(ChildPool, ACrashTakesNothingElseDown) {
  const auto results =
      results_of({shell("kill -SEGV $$"), shell("echo fine"), shell("kill -9 $$")});
  EXPECT_EQ(results[0].signal, SIGSEGV);
  EXPECT_EQ(results[1].output, "fine\n");
  EXPECT_EQ(results[2].signal, SIGKILL);
}

TEST(ChildPool, ReadsMoreThanAPipeHolds) {
  EXPECT_EQ(results_of({shell("head -c 1000000 /dev/zero")})[0].output.size(), 1000000u);
}

TEST(ChildPool, EndsWhatTakesTooLongWithItsOwnChildren) {
  const auto start = Clock::now();
  const auto results = results_of({shell("sleep 60; true"), shell("echo fine")}, 2, {0.2, 0});
  EXPECT_TRUE(results[0].timed_out);
  EXPECT_FALSE(results[1].timed_out);
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(10));
}

TEST(ChildPool, LimitsTheAddressSpace) {
  EXPECT_EQ(results_of({shell("ulimit -v")}, 1, {0, 500})[0].output, "512000\n");
}

TEST(ChildPool, RunsThemInADirectory) {
  const auto results = ChildPool({1, "/usr", {}}).run({shell("pwd")}, no_events());
  EXPECT_EQ(results[0].output, "/usr\n");
}

TEST(ChildPool, PassesASignalOnAndStartsNothingMore) {
  const auto start = Clock::now();
  PoolEvents events = no_events();
  events.pending_signal = [&] {
    return Clock::now() - start > std::chrono::milliseconds(300) ? SIGINT : 0;
  };
  const auto results =
      ChildPool({}).run({shell("trap 'echo stopped; exit 130' INT; while :; do sleep 0.05; done"),
                         shell("echo never")},
                        events);
  EXPECT_EQ(results[0].status, 130);
  EXPECT_TRUE(results[0].stopped);
  EXPECT_FALSE(results[1].started);
  EXPECT_EQ(results[1].output, "");
}

TEST(ChildPool, AnExceptionOfItsOwnerKillsTheRest) {
  PoolEvents events = no_events();
  events.finished = [](std::size_t, const ChildResult&) { throw std::runtime_error("full"); };
  const auto start = Clock::now();
  EXPECT_THROW(ChildPool({2, {}, {}}).run({shell("sleep 60"), shell("true")}, events),
               std::runtime_error);
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(10));
}

TEST(ChildPool, NamesAProgramThatDoesNotExist) {
  EXPECT_EQ(test::refusal<IoError>([&] { results_of({Command{{"/no/such/program"}}}); }),
            "/no/such/program: cannot start: No such file or directory");
}

}  // namespace
}  // namespace tcsim::process
