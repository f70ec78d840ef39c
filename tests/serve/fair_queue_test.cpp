#include "sim/serve/fair_queue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace tcsim::serve {
namespace {

using ::testing::ElementsAre;

std::vector<std::uint64_t> all_of(FairQueue& queue) {
  std::vector<std::uint64_t> numbers;
  while (const auto number = queue.pop()) numbers.push_back(*number);
  return numbers;
}

TEST(FairQueue, LetsClientsTakeTurns) {
  FairQueue queue;
  for (const std::uint64_t number : {1, 2, 3, 4}) queue.push("greedy", number);
  queue.push("modest", 10);
  queue.push("late", 20);
  queue.push("late", 21);
  EXPECT_THAT(all_of(queue), ElementsAre(1, 10, 20, 2, 21, 3, 4));
  EXPECT_EQ(queue.pop(), std::nullopt);
}

TEST(FairQueue, KnowsHowManyComeBefore) {
  FairQueue queue;
  for (const std::uint64_t number : {1, 2, 3}) queue.push("a", number);
  for (const std::uint64_t number : {10, 11}) queue.push("b", number);
  queue.push("c", 20);
  std::vector<std::size_t> ahead;
  for (const std::uint64_t number : {1, 10, 20, 2, 11, 3}) ahead.push_back(*queue.ahead_of(number));
  EXPECT_THAT(ahead, ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_EQ(queue.ahead_of(99), std::nullopt);
  EXPECT_THAT(all_of(queue), ElementsAre(1, 10, 20, 2, 11, 3));
}

TEST(FairQueue, LetsOneGo) {
  FairQueue queue;
  queue.push("a", 1);
  queue.push("b", 2);
  queue.push("a", 3);
  queue.remove(1);
  queue.remove(2);
  EXPECT_THAT(all_of(queue), ElementsAre(3));
  EXPECT_TRUE(queue.is_empty());
}

TEST(FairQueue, LetsWhatSeveralWantOutAtTheFirstOfTheirTurns) {
  FairQueue queue;
  for (const std::uint64_t number : {1, 2, 3}) queue.push("a", number);
  for (const std::uint64_t number : {3, 10}) queue.push("b", number);
  queue.push("c", 2);
  std::vector<std::size_t> ahead;
  for (const std::uint64_t number : {1, 3, 2, 10}) ahead.push_back(*queue.ahead_of(number));
  EXPECT_THAT(ahead, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(all_of(queue), ElementsAre(1, 3, 2, 10)) << "each once";
}

TEST(FairQueue, LetsOneGoForOneClientAlone) {
  FairQueue queue;
  for (const std::uint64_t number : {1, 2}) queue.push("a", number);
  queue.push("b", 2);
  queue.remove("b", 2);
  queue.remove("b", 1);
  queue.remove("c", 1);
  queue.push("b", 10);
  EXPECT_EQ(queue.ahead_of(2), 2U);
  EXPECT_THAT(all_of(queue), ElementsAre(1, 10, 2));
}

}  // namespace
}  // namespace tcsim::serve
