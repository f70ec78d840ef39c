// What a run leaves with the server.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/serve/serve_process.hpp"
#include "tests/support/temporary_directory.hpp"

namespace tcsim::serve {
namespace {

namespace fs = std::filesystem;
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

TEST(ServeResults, KeepNumbersThatBrowsersWouldChange) {
  ServeProcess server;
  const auto ask = [&](const Json& seed) {
    return server.json("a", "POST", "/api/runs", run_with({{"values", true}, {"seed", seed}}));
  };
  const Json large = ask("9007199254740993");
  EXPECT_EQ(large["experiment"]["options"]["seed"], "9007199254740993") << large;
  Json again = large["experiment"];
  EXPECT_EQ(server.json("a", "POST", "/api/runs", again)["id"], large["id"]);
  again["options"]["seed"] = 9007199254740993;
  EXPECT_EQ(server.json("a", "POST", "/api/runs", again)["id"], large["id"]);
  EXPECT_EQ(ask("9007199254740992")["experiment"]["options"]["seed"], 9007199254740992);
}

/// The folder of the one result in `store`.
fs::path stored_in(const fs::path& store) {
  for (const auto& entry : fs::directory_iterator(store))
    if (entry.is_directory() && entry.path().filename().string().size() == 32) return entry.path();
  return {};
}

TEST(ServeResults, AreMadeAnewWhereTheyAreDamaged) {
  const test::TemporaryDirectory store;
  ServeProcess server({"--store", store.path().string()});
  const Json experiment = run_with(Json::object());
  const std::string id = server.json("a", "POST", "/api/runs", experiment)["id"];
  ASSERT_EQ(server.finished("a", id)["state"], "done");
  const fs::path folder = stored_in(store.path());
  const auto cut = [](const fs::path& file, std::uintmax_t bytes) { fs::resize_file(file, bytes); };
  const std::vector<std::pair<std::string, std::function<void()>>> damages{
      {"empty result", [&] { cut(folder / "result.json", 0); }},
      {"half a result", [&] { cut(folder / "result.json", 200); }},
      {"no result", [&] { fs::remove(folder / "result.json"); }},
      {"empty experiment", [&] { cut(folder / "experiment.json", 0); }},
      {"no run directory", [&] { fs::remove_all(folder / ("run-" + id.substr(0, 8))); }}};
  for (const auto& [name, damage] : damages) {
    damage();
    const bool is_readable = name == "no run directory";
    EXPECT_EQ(server.json("a", "GET", "/api/runs/" + id)["http"], is_readable ? 200 : 404) << name;
    EXPECT_TRUE(server.json("a", "GET", "/api/runs").is_array()) << name;
    const Json asked = server.json("a", "POST", "/api/runs", experiment);
    EXPECT_NE(asked["state"], "done") << name;
    const Json done = server.finished("a", id);
    EXPECT_EQ(done["state"], "done") << name;
    EXPECT_GT(done["result"]["time_us"], 0) << name;
    EXPECT_EQ(server.ask("a", "GET", "/runs/" + id + "/report.html").status, 200) << name;
  }
}

}  // namespace
}  // namespace tcsim::serve
