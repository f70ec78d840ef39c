// What a run leaves with the server.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/serve/serve_process.hpp"

namespace tcsim::serve {
namespace {

using ::testing::HasSubstr;

Json run_with(const Json& options) {
  return {{"machine", "lab-tiny"}, {"workload", "gemm:64"}, {"options", options}};
}

TEST(ServeResults, HoldTheChainOfWaitsBehindTheEnd) {
  ServeProcess server;
  const std::string id =
      server.json("a", "POST", "/api/runs", run_with({{"critical_path", true}}))["id"];
  ASSERT_EQ(server.finished("a", id)["state"], "done");
  const RawReply path = server.ask("a", "GET", "/runs/" + id + "/critical_path.json");
  EXPECT_EQ(path.status, 200);
  EXPECT_THAT(path.body, HasSubstr("\"cause\""));
  EXPECT_EQ(server.ask("a", "GET", "/runs/" + id + "/network.json").status, 404) << "of a network";
}

TEST(ServeResults, ArePartialBehindMaxCycles) {
  ServeProcess server;
  const Json asked = server.json("a", "POST", "/api/runs", run_with({{"max_cycles", 500}}));
  ASSERT_TRUE(asked.contains("id")) << asked;
  const std::string id = asked["id"];
  const Json done = server.finished("a", id);
  ASSERT_EQ(done["state"], "done") << done;
  EXPECT_EQ(done["result"]["cycles"], 500);
  EXPECT_EQ(done["result"]["simulation"]["stopped_by"], "cycle limit");
  EXPECT_EQ(done["experiment"]["options"]["max_cycles"], 500);
  EXPECT_THAT(server.ask("a", "GET", "/runs/" + id + "/report.html").body,
              HasSubstr("Incomplete: "));
}

}  // namespace
}  // namespace tcsim::serve
