#include "sim/serve/lane.hpp"

#include <gtest/gtest.h>

#include <new>
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

}  // namespace
}  // namespace tcsim::serve
