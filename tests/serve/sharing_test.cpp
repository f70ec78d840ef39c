// What clients take from each other: places, turns, and nothing once they have gone.

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/serve/serve_process.hpp"

namespace tcsim::serve {
namespace {

/// Takes minutes to simulate; each `n` is another run.
Json long_run_of(int n) {
  return {{"machine", "a100"}, {"workload", "gemm:" + std::to_string(8192 + n)}};
}

TEST(ServeSharing, RunsCountForThoseWhoStillWantThem) {
  ServeProcess server({"--jobs", "1", "--queue", "3"});
  const auto submit = [&](const std::string& client, int n) {
    return server.json(client, "POST", "/api/runs", long_run_of(n));
  };
  std::vector<std::string> ids;
  for (int n = 0; n < 3; ++n) ids.push_back(submit("a", n)["id"]);
  EXPECT_EQ(submit("a", 3)["http"], 429);
  for (int n = 0; n < 3; ++n) EXPECT_EQ(submit("b", n)["id"], ids[static_cast<std::size_t>(n)]);
  EXPECT_EQ(submit("b", 3)["http"], 429);
  EXPECT_EQ(submit("b", 0)["http"], 200) << "what one wants already counts once";
  for (const std::string& id : ids)
    EXPECT_EQ(server.json("a", "DELETE", "/api/runs/" + id)["state"], "cancelled");
  EXPECT_EQ(submit("a", 3)["http"], 200);
  EXPECT_EQ(submit("b", 4)["http"], 429);
  for (const std::string& id : ids)
    EXPECT_TRUE(server.json("b", "GET", "/api/runs/" + id).contains("experiment")) << "b wants it";
}

TEST(ServeSharing, RunsHaveTheirTurnsInEachLine) {
  ServeProcess server({"--jobs", "1"});
  server.json("c", "POST", "/api/runs", long_run_of(0));
  for (int n = 1; n <= 4; ++n) server.json("a", "POST", "/api/runs", long_run_of(n));
  const Json last = server.json("a", "POST", "/api/runs", long_run_of(5));
  const Json shared = server.json("b", "POST", "/api/runs", long_run_of(5));
  EXPECT_EQ(shared["id"], last["id"]);
  EXPECT_EQ(last["ahead"].get<int>() - shared["ahead"].get<int>(), 3)
      << "the first of b comes behind the first of a\n"
      << last << shared;
}

TEST(ServeSharing, QuestionsEndWithWhoeverAsked) {
  ServeProcess server;
  const std::string slow =
      Json{{"machine", "a100"}, {"workload", "net:stable_diffusion_unet"}}.dump();
  const std::string forecast = server.request("a", "POST", "/api/forecast", slow);
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < 6; ++i) {
    clients.push_back(std::make_unique<RawClient>(server.port()));
    clients.back()->send(forecast);
  }
  for (int i = 0; i < 500 && server.children().empty(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // for the others
  for (const pid_t child : server.children())
    ::kill(child, SIGSTOP);  // they do not end by themselves
  clients.clear();
  int status = 0;
  for (int i = 0; i < 500 && status != 200; ++i) {  // less than the 20 s of a question
    status = server.ask("a", "GET", "/api/machines").status;
    if (status != 200) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(status, 200);
  for (int i = 0; i < 500 && !server.children().empty(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_TRUE(server.children().empty());
}

}  // namespace
}  // namespace tcsim::serve
