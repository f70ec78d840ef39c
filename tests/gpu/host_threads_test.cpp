#include "sim/gpu/host_threads.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <set>
#include <stdexcept>

namespace tcsim::gpu {
namespace {

TEST(HostThreads, MakeEveryCallOnceInEveryRound) {
  HostThreads threads(4);
  std::vector<std::atomic<int>> calls(1000);
  for (int round = 1; round <= 50; ++round) {
    threads.for_each(calls.size(), [&](std::size_t i) { ++calls[i]; });
    for (const std::atomic<int>& count : calls) ASSERT_EQ(count, round);
  }
}

TEST(HostThreads, ShareTheCalls) {
  HostThreads threads(2);
  std::atomic<int> waiting = 0;
  threads.for_each(2, [&](std::size_t) {  // ends only if both calls are under way at once
    ++waiting;
    waiting.notify_all();
    for (int seen = waiting; seen < 2; seen = waiting) waiting.wait(seen);
  });
  EXPECT_EQ(waiting, 2);
}

/// The caller keeps to its half while the other thread is busy with the first call of its own, and
/// then makes the rest of those.
TEST(HostThreads, MakeTheCallsOfTheirShareFirst) {
  HostThreads threads(2);
  const std::thread::id caller = std::this_thread::get_id();
  std::vector<std::thread::id> made_by(10);
  std::vector<std::size_t> by_caller;
  std::atomic<bool> has_begun = false;
  std::atomic<bool> may_end = false;
  threads.for_each(10, [&](std::size_t i) {
    made_by[i] = std::this_thread::get_id();
    if (made_by[i] != caller) {
      has_begun = true;
      has_begun.notify_all();
      may_end.wait(false);
      return;
    }
    has_begun.wait(false);
    by_caller.push_back(i);
    if (by_caller.size() < 9) return;
    may_end = true;
    may_end.notify_all();
  });
  EXPECT_EQ(by_caller, (std::vector<std::size_t>{0, 1, 2, 3, 4, 9, 8, 7, 6}));
  EXPECT_NE(made_by[5], caller);
}

TEST(HostThreads, OneIsTheCallerAlone) {
  HostThreads threads(1);
  std::set<std::thread::id> callers;
  threads.for_each(20, [&](std::size_t) { callers.insert(std::this_thread::get_id()); });
  EXPECT_EQ(callers, std::set{std::this_thread::get_id()});
}

/// Runs in a process of its own, whose address space has no room for the stacks of so many threads.
TEST(HostThreadsDeathTest, AreFewerWhereThereIsNoRoom) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the sanitizer maps terabytes";
#endif
  const auto count_in_little_memory = [] {
    ::alarm(20);
    const rlimit most{rlim_t{1} << 28, rlim_t{1} << 28};
    ::setrlimit(RLIMIT_AS, &most);
    HostThreads threads(1000);
    std::atomic<int> calls = 0;
    threads.for_each(100, [&](std::size_t) { ++calls; });
    ::_exit(calls == 100 ? 0 : 1);
  };
  EXPECT_EXIT(count_in_little_memory(), ::testing::ExitedWithCode(0), "");
}

TEST(HostThreads, HandOnWhatACallThrows) {
  HostThreads threads(3);
  const auto fail = [](std::size_t i) {
    if (i == 7) throw std::runtime_error("seven");
  };
  EXPECT_THROW(threads.for_each(10, fail), std::runtime_error);
  EXPECT_NO_THROW(threads.for_each(7, fail));
}

}  // namespace
}  // namespace tcsim::gpu
