#include "sim/process/verdict.hpp"

#include <gtest/gtest.h>

#include <csignal>

namespace tcsim::process {
namespace {

ChildResult ended(int status, int signal, std::string errors = {}) {
  ChildResult ending;
  ending.started = true;
  ending.status = status;
  ending.signal = signal;
  ending.errors = std::move(errors);
  return ending;
}

TEST(Verdict, ACrashIsNoLackOfMemory) {
  const Verdict crash = verdict_of(ended(0, SIGSEGV, "gone\n"));
  EXPECT_EQ(crash.cause, Cause::kCrash);
  EXPECT_EQ(crash.words, "ended by signal 11 (Segmentation fault)");
  const Verdict killed = verdict_of(ended(0, SIGKILL));
  EXPECT_EQ(killed.cause, Cause::kKilled);
  EXPECT_EQ(killed.words, "ended by signal 9 (Killed)");
}

TEST(Verdict, TheWordsOfAFailureTellThatMemoryIsLacking) {
  EXPECT_EQ(verdict_of(ended(4, 0, "tcsim: std::bad_alloc\n")).cause, Cause::kMemory);
  EXPECT_EQ(verdict_of(ended(0, SIGABRT, "terminate called ... 'std::bad_alloc'")).cause,
            Cause::kMemory);
  EXPECT_EQ(verdict_of(ended(0, 0, "note: bad_alloc\n")).cause, Cause::kItself);
}

TEST(Verdict, NamesLimitsAndStatuses) {
  ChildResult late = ended(0, SIGKILL);
  late.timed_out = true;
  EXPECT_EQ(verdict_of(late).cause, Cause::kTimeLimit);
  EXPECT_EQ(verdict_of(ended(0, SIGXCPU)).cause, Cause::kTimeLimit);
  EXPECT_EQ(verdict_of(ended(0, SIGXFSZ)).cause, Cause::kOutput);
  EXPECT_EQ(verdict_of(ended(3, 0)).cause, Cause::kItself);
  EXPECT_EQ(verdict_of(ended(3, 0)).words, "status 3");
}

}  // namespace
}  // namespace tcsim::process
