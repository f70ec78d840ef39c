#include "sim/serve/runs.hpp"

#include <gmock/gmock.h>

#include "sim/json/parse.hpp"

namespace tcsim::serve {
namespace {

using ::testing::HasSubstr;

/// What the first run of a client is answered in a lane with `limits`.
http::Reply first_answer(const Lane::Limits& limits) {
  boost::asio::io_context context;
  Lane lane(context, limits);
  Store store(std::nullopt, /*most_mib=*/1, /*read_only=*/false);
  Runs runs(lane, store, {.queue = 0}, "program");
  return runs.submit("a", read_experiment(json::parse(
                              R"({"machine": "lab-tiny", "workload": "gemm:64"})", "experiment")));
}

TEST(Runs, SayWhoseRunsAreTooMany) {
  const http::Reply own = first_answer({.per_client = 0});
  EXPECT_EQ(own.status, 429);
  EXPECT_THAT(own.body, HasSubstr("you have 0 runs waiting or running"));
  const http::Reply others = first_answer({.waiting = 0});
  EXPECT_EQ(others.status, 429);
  EXPECT_THAT(others.body, HasSubstr("0 runs of all clients are waiting"));
}

}  // namespace
}  // namespace tcsim::serve
