#include "sim/gpu/host_threads.hpp"

#include <gtest/gtest.h>

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

TEST(HostThreads, OneIsTheCallerAlone) {
  HostThreads threads(1);
  std::set<std::thread::id> callers;
  threads.for_each(20, [&](std::size_t) { callers.insert(std::this_thread::get_id()); });
  EXPECT_EQ(callers, std::set{std::this_thread::get_id()});
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
