#include "sim/serve/lane.hpp"

#include <gtest/gtest.h>

#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace tcsim::serve {
namespace {

TEST(Lane, WorkThatCannotStartHoldsNobodyUp) {
  boost::asio::io_context context;
  Lane lane(context, {});
  std::vector<std::string> troubles;
  std::string output;
  const auto note = [&](const Ending& ending) { troubles.push_back(ending.trouble); };
  lane.submit(
      "a", []() -> Launch { throw std::runtime_error("no such day"); }, note);
  lane.submit(
      "a", []() -> Launch { throw std::bad_alloc(); }, note);
  lane.submit(
      "a",
      [] {
        return Launch{{{"/bin/echo", "done"}}, {}};
      },
      [&](const Ending& ending) { output = ending.result.output; });
  context.run();
  ASSERT_EQ(troubles.size(), 2U);
  EXPECT_EQ(troubles[0], "no such day");
  EXPECT_EQ(troubles[1], std::bad_alloc().what());
  EXPECT_EQ(output, "done\n");
  EXPECT_EQ(lane.running() + lane.waiting(), 0U);
}

std::optional<Lane::Number> submit_sleep(Lane& lane, const std::string& client) {
  const auto start = [] { return Launch{{{"/bin/sleep", "600"}}, {}}; };
  return lane.submit(client, start, [](const Ending&) {});
}

TEST(Lane, CountsWorkForThoseWhoStillWantIt) {
  boost::asio::io_context context;
  Lane lane(context, {.at_once = 1, .per_client = 2});
  const auto first = submit_sleep(lane, "a");
  const auto second = submit_sleep(lane, "a");
  ASSERT_TRUE(first && second);
  EXPECT_EQ(submit_sleep(lane, "a"), std::nullopt);
  EXPECT_TRUE(lane.join("b", *first));
  EXPECT_TRUE(lane.join("b", *first)) << "which counts once";
  EXPECT_TRUE(lane.join("b", *second));
  EXPECT_EQ(submit_sleep(lane, "b"), std::nullopt) << "wanting the same is wanting";
  lane.withdraw("a", *first);
  lane.withdraw("a", *first);
  lane.withdraw("a", *second);
  EXPECT_EQ(lane.waiting(), 2U) << "somebody else wants them";
  EXPECT_EQ(submit_sleep(lane, "b"), std::nullopt);
  EXPECT_TRUE(submit_sleep(lane, "a"));
  EXPECT_TRUE(submit_sleep(lane, "a"));
  lane.withdraw("b", *first);
  EXPECT_EQ(lane.waiting(), 3U);
  EXPECT_FALSE(lane.join("a", *second));
  lane.stop();
  EXPECT_EQ(lane.waiting(), 0U);
}

TEST(Lane, LetsWhatIsSharedWaitInEachLine) {
  boost::asio::io_context context;
  Lane lane(context, {});
  for (int i = 0; i < 3; ++i) submit_sleep(lane, "a");
  const auto shared = submit_sleep(lane, "a");
  ASSERT_TRUE(shared);
  EXPECT_EQ(lane.ahead_of(*shared), 3U);
  ASSERT_TRUE(lane.join("b", *shared));
  EXPECT_EQ(lane.ahead_of(*shared), 1U);
  lane.withdraw("b", *shared);
  EXPECT_EQ(lane.ahead_of(*shared), 3U);
}

}  // namespace
}  // namespace tcsim::serve
