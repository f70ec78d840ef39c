#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <thread>

#include "tests/serve/serve_process.hpp"
#include "tests/support/temporary_directory.hpp"

namespace tcsim::serve {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const Json small_run{{"machine", "lab-tiny"}, {"workload", "gemm:64"}};
/// Takes minutes to simulate.
const Json long_run{{"machine", "a100"}, {"workload", "gemm:8192"}};

Json with(Json experiment, const std::string& name, const Json& value) {
  experiment[name] = value;
  return experiment;
}

TEST(Serve, PrintsALinkOfALoopbackAddressWithAToken) {
  const ServeProcess server;
  EXPECT_THAT(server.link(), StartsWith("http://127.0.0.1:"));
  EXPECT_GT(server.port(), 0);
  EXPECT_EQ(server.token().size(), 32U);
  const ServeProcess other;
  EXPECT_NE(server.token(), other.token());
}

TEST(Serve, PrintsALinkThatItAnswersWhereItListensEverywhere) {
  ServeProcess server({"--listen", "0.0.0.0"});
  EXPECT_THAT(server.link(), StartsWith("http://127.0.0.1:"));
  EXPECT_EQ(server.ask("a", "GET", "/api/about").status, 200);
}

TEST(Serve, AnswersNothingButItsPageWithoutTheToken) {
  const ServeProcess server;
  const auto status_of = [&](const std::string& target) {
    RawClient client(server.port());
    client.send("GET " + target + " HTTP/1.1\r\nHost: " + server.host() + "\r\n\r\n");
    return client.read().status;
  };
  for (const char* const target : {"/api/about", "/api/runs", "/api/machines/a100", "/nothing",
                                   "/?token=0123456789abcdef0123456789abcdef"})
    EXPECT_EQ(status_of(target), 401) << target;
  for (const char* const target : {"/", "/app.js", "/style.css"})
    EXPECT_EQ(status_of(target), 200) << target;
}

TEST(Serve, GivesThePageAndItsParts) {
  ServeProcess server;
  EXPECT_THAT(server.ask("a", "GET", "/").body, HasSubstr("<title>tcsim playground</title>"));
  for (const char* const path :
       {"/style.css", "/app.js", "/client.js", "/editor.js", "/experiment.js", "/machine.js",
        "/roofline.js", "/runs.js", "/sweeps.js", "/timeline.js", "/workload.js"}) {
    const RawReply reply = server.ask("a", "GET", path);
    EXPECT_EQ(reply.status, 200) << path;
    EXPECT_GT(reply.body.size(), 500U) << path;
  }
  EXPECT_EQ(server.json("a", "GET", "/api/about")["limits"]["queue"], 8);
  EXPECT_EQ(server.json("a", "GET", "/api/machines")[0]["machine"].is_string(), true);
  EXPECT_TRUE(server.json("a", "GET", "/api/schema").contains("properties"));
  EXPECT_THAT(server.json("a", "GET", "/api/words").dump(),
              AllOf(HasSubstr("softmax"), HasSubstr("resnet50"), HasSubstr("warm_l2"),
                    HasSubstr("\"e4m3\",\"e5m2\"")));
}

TEST(Serve, RunsAndComparesAndAnswersEqualRequestsFromTheStore) {
  ServeProcess server;
  const Json asked = server.json("a", "POST", "/api/runs", small_run);
  ASSERT_TRUE(asked.contains("id")) << asked;
  const std::string id = asked["id"];
  const Json done = server.finished("a", id);
  ASSERT_EQ(done["state"], "done") << done;
  EXPECT_GT(done["result"]["time_us"], 0);
  EXPECT_EQ(done["experiment"]["workload"], "gemm:64");

  // The same by somebody else, whose text differs in what means nothing.
  const Json again = server.json("b", "POST", "/api/runs",
                                 {{"options", Json::object()},
                                  {"workload", "gemm:64"},
                                  {"set", Json::array()},
                                  {"machine", "lab-tiny"}});
  EXPECT_EQ(again["id"], id);
  EXPECT_EQ(again["state"], "done") << "without a run";

  const RawReply report = server.ask("a", "GET", "/runs/" + id + "/report.html");
  EXPECT_EQ(report.status, 200);
  EXPECT_THAT(report.field("Content-Security-Policy"),
              AllOf(HasSubstr("sandbox allow-scripts"), HasSubstr("default-src 'none'"),
                    Not(HasSubstr("allow-same-origin"))));
  EXPECT_THAT(report.body, HasSubstr("<section id=\"verdict\""));
  EXPECT_EQ(server.ask("a", "GET", "/runs/" + id + "/experiment.json").status, 404);

  const std::string other = server.json(
      "a", "POST", "/api/runs", with(small_run, "set", {"l2.hit_latency_cycles=100"}))["id"];
  EXPECT_NE(other, id);
  ASSERT_EQ(server.finished("a", other)["state"], "done");
  const std::string pair = "?a=" + id + "&b=" + other;
  EXPECT_THAT(server.json("a", "GET", "/api/compare" + pair).dump(),
              HasSubstr("l2.hit_latency_cycles"));
  const std::string page = server.ask("a", "GET", "/compare" + pair).body;
  EXPECT_THAT(page, HasSubstr("l2.hit_latency_cycles"));
  EXPECT_THAT(page, Not(HasSubstr("/tmp/"))) << "no folders of the server";
  EXPECT_EQ(server.ask("a", "GET", "/compare?a=" + id + "&b=../../etc").status, 404);
  EXPECT_EQ(server.json("a", "GET", "/api/runs").size(), 2U);
  const std::string network =
      server.json("c", "POST", "/api/runs", with(small_run, "workload", "net:lenet"))["id"];
  ASSERT_EQ(server.finished("c", network)["state"], "done");
  const RawReply refused = server.ask("c", "GET", "/compare?a=" + id + "&b=" + network);
  EXPECT_THAT(refused.body, HasSubstr("networks and single runs cannot be compared"));
  EXPECT_THAT(refused.field("Content-Security-Policy"), HasSubstr("frame-ancestors 'self'"))
      << "the page shows it in a frame";
  EXPECT_EQ(server.json("b", "GET", "/api/runs").size(), 1U) << "each sees what it asked for";
}

TEST(Serve, TellsWhatIsUnderWayAndKillsWhatIsCancelled) {
  ServeProcess server({"--jobs", "1"});
  const std::string first = server.json("a", "POST", "/api/runs", long_run)["id"];
  EXPECT_EQ(server.json("b", "POST", "/api/runs", long_run)["id"], first) << "one run for both";
  const std::string next = server.json("b", "POST", "/api/runs", small_run)["id"];
  Json state;
  for (int i = 0; i < 1000 && !state.contains("share"); ++i) {
    state = server.json("a", "GET", "/api/runs/" + first);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(state["state"], "running") << state;
  EXPECT_THAT(state["progress"].dump(), HasSubstr("CTAs"));
  EXPECT_EQ(server.json("b", "GET", "/api/runs/" + next)["state"], "waiting");
  EXPECT_EQ(server.json("b", "GET", "/api/runs/" + next)["ahead"], 1);
  ASSERT_EQ(server.children().size(), 1U);
  const pid_t child = server.children().front();

  EXPECT_EQ(server.json("c", "DELETE", "/api/runs/" + first)["state"], "running");
  EXPECT_EQ(server.json("a", "DELETE", "/api/runs/" + first)["state"], "cancelled");
  EXPECT_EQ(server.json("b", "GET", "/api/runs/" + first)["state"], "running")
      << "somebody else wants it";
  server.json("b", "DELETE", "/api/runs/" + first);
  EXPECT_EQ(server.json("b", "GET", "/api/runs/" + first)["http"], 404);
  EXPECT_NE(::kill(child, 0), 0) << "its process is gone";
  EXPECT_EQ(server.finished("b", next)["state"], "done");
  EXPECT_EQ(server.json("b", "DELETE", "/api/runs/" + next)["state"], "done");
  EXPECT_EQ(server.json("b", "GET", "/api/runs/" + next)["state"], "done") << "it stays stored";
}

TEST(Serve, EndsRunsThatTakeTooLong) {
  ServeProcess server({"--seconds", "0.5"});
  const Json state = server.finished(
      "a", server.json("a", "POST", "/api/runs", long_run)["id"].get<std::string>());
  EXPECT_EQ(state["state"], "failed");
  EXPECT_THAT(state["failure"]["message"].dump(), HasSubstr("longer than the 0.5 s"));
  EXPECT_TRUE(state["failure"]["mistakes"].empty());
  EXPECT_TRUE(server.children().empty());
}

#if !defined(__SANITIZE_ADDRESS__)
TEST(Serve, EndsRunsThatTakeTooMuchMemory) {
  ServeProcess server({"--memory-mib", "64"});
  const Json state = server.finished(
      "a", server.json("a", "POST", "/api/runs", long_run)["id"].get<std::string>());
  EXPECT_EQ(state["state"], "failed") << state;
  EXPECT_EQ(server.json("a", "GET", "/api/about")["http"], 200);
}
#endif

TEST(Serve, LimitsWhatAClientHasUnderWay) {
  ServeProcess server({"--jobs", "1", "--queue", "2"});
  const auto submit = [&](const std::string& client, int n) {
    return server.json(client, "POST", "/api/runs",
                       with(long_run, "workload", "gemm:" + std::to_string(n)))["http"];
  };
  EXPECT_EQ(submit("a", 8000), 200);
  EXPECT_EQ(submit("a", 8001), 200);
  EXPECT_EQ(submit("a", 8002), 429);
  EXPECT_EQ(submit("b", 8002), 200) << "others have places of their own";
}

TEST(Serve, TellsMistakesWithTheirPlaces) {
  ServeProcess server;
  std::string text = server.ask("a", "GET", "/api/machines/lab-tiny").body;
  ASSERT_THAT(text, HasSubstr("\n  sub_cores: "));
  EXPECT_EQ(server.json("a", "POST", "/api/machine", {{"machine_text", text}}).contains("settings"),
            true);
  text.replace(text.find("\n  sub_cores: ") + 3, 9, "sub_coars");
  const Json wrong = server.json("a", "POST", "/api/machine", {{"machine_text", text}});
  ASSERT_TRUE(wrong.contains("mistakes")) << wrong;
  const Json& mistakes = wrong["mistakes"];
  const auto found = std::ranges::find_if(mistakes, [](const Json& one) {
    return one["key"].get<std::string>().ends_with("sub_coars");
  });
  ASSERT_NE(found, mistakes.end()) << wrong;
  const Json& mistake = *found;
  EXPECT_EQ(mistake["place"], "machine.yaml");
  EXPECT_GT(mistake["line"], 1);
  EXPECT_EQ(mistake["column"], 3);
  EXPECT_THAT(mistake["reason"].dump(), HasSubstr("sub_cores"));

  const Json syntax = server.json("a", "POST", "/api/machine", {{"machine_text", "a: [1,\n\tb"}});
  ASSERT_TRUE(syntax.contains("mistakes")) << syntax;
  EXPECT_EQ(syntax["mistakes"][0]["line"], 2);

  const Json words = server.json("a", "POST", "/api/forecast",
                                 {{"machine", "lab-tiny"}, {"workload", "gemm:m=1,n=2,q=3"}});
  ASSERT_TRUE(words.contains("mistakes")) << words;
  EXPECT_GT(words["mistakes"][0]["column"], 0) << words;
  EXPECT_EQ(server.json("a", "POST", "/api/forecast", small_run)["runs"][0]["kernels"], 1);
  EXPECT_GT(server.json("a", "POST", "/api/peak", {{"machine", "a100"}})["rates"].size(), 3U);
}

TEST(Serve, NamesOptionsAsExperimentsDo) {
  ServeProcess server;
  const Json large = server.json("a", "POST", "/api/forecast",
                                 {{"machine", "a100"}, {"workload", "net:llama2_70b"}});
  EXPECT_THAT(large["message"].dump(), HasSubstr("more GPUs (gpus), or ignore_capacity."));
  const Json options{{"source", true}, {"fidelity", "sampled"}};
  const std::string id =
      server.json("a", "POST", "/api/runs", with(small_run, "options", options))["id"];
  const Json failure = server.finished("a", id)["failure"];
  EXPECT_EQ(failure["message"], "source: needs every cycle; it cannot be combined with fidelity");
  EXPECT_EQ(failure["mistakes"][0]["key"], "source") << failure;
  for (const auto& [name, value] : std::map<std::string, Json>{{"timeline", "x=1"}, {"gpus", 2}})
    EXPECT_EQ(server.json("a", "POST", "/api/runs",
                          with(small_run, "options", {{name, value}}))["mistakes"][0]["key"],
              name);
  const Json set = server.json("a", "POST", "/api/peak", {{"machine", "a100"}, {"set", {"x=1"}}});
  EXPECT_EQ(set["mistakes"][0]["place"], "--set #1") << set;
  const Json sets = server.json("a", "POST", "/api/peak", {{"machine", "a100"}, {"sets", 1}});
  EXPECT_EQ(sets["mistakes"][0]["key"], "sets") << sets;
}

TEST(Serve, ReadsNoFileThatAClientNames) {
  ServeProcess server;
  const auto refused = [&](const Json& experiment) {
    const Json reply = server.json("a", "POST", "/api/runs", experiment);
    return reply.contains("mistakes") && !reply.contains("id") ? std::string() : reply.dump();
  };
  for (const char* const workload :
       {"csv:/etc/passwd", "csv:-", "trace:/etc/passwd", "net:/etc/passwd", "net:../../x.yaml",
        "net:", "net:resnet50.yaml"})
    EXPECT_EQ(refused(with(small_run, "workload", workload)), "") << workload;
  for (const char* const machine : {"/etc/passwd", "../configs/a100.yaml", "a100.yaml", ""})
    EXPECT_EQ(refused(with(small_run, "machine", machine)), "") << machine;
  EXPECT_EQ(refused(with(small_run, "set", {"libraries=[/etc/passwd.yaml]"})), "");
  EXPECT_EQ(refused(with(small_run, "set", {"libraries=/tmp/x.yml"})), "");
  for (const auto& [name, value] : std::map<std::string, Json>{{"library", {"/tmp/x.yaml"}},
                                                               {"a", "/etc/passwd"},
                                                               {"b", "x.npy"},
                                                               {"quantize", "scale-a=/etc/passwd"},
                                                               {"tensor_core", "rtl"},
                                                               {"jobs", 8},
                                                               {"timeout", 1}})
    EXPECT_EQ(refused(with(small_run, "options", {{name, value}})), "") << name;
  std::string text = server.ask("a", "GET", "/api/machines/lab-tiny").body;
  const std::size_t list = text.find("libraries: [");
  ASSERT_NE(list, std::string::npos);
  text.insert(list + 12, "/etc/hosts.yaml, ");
  const Json reply = server.json("a", "POST", "/api/machine", {{"machine_text", text}});
  EXPECT_THAT(reply.dump(), HasSubstr("not a library that tcsim ships"));
  EXPECT_GT(reply["mistakes"][0]["line"], 0) << reply;
}

TEST(Serve, TakesOnlyShippedMachinesAsABase) {
  ServeProcess server;
  const auto answer_to = [&](const std::string& base) {
    return server.json("a", "POST", "/api/peak",
                       {{"machine_text", "base: " + base + "\nname: mine\n"}});
  };
  for (const char* const base :
       {"/etc/passwd", "/nowhere/x.yaml", "/proc/self/environ", "/dev/stdin", "../x.yaml",
        "machine.yaml", "networks/lenet.yaml", "[a100, /etc/passwd]"}) {
    const Json reply = answer_to(base);
    ASSERT_TRUE(reply.contains("mistakes")) << base << reply;
    EXPECT_EQ(reply["mistakes"].size(), 1U) << reply;
    EXPECT_THAT(reply.dump(), HasSubstr("is not a machine that tcsim ships")) << base;
    EXPECT_EQ(reply["mistakes"][0]["place"], "machine.yaml");
    EXPECT_EQ(reply["mistakes"][0]["line"], 1);
    EXPECT_EQ(reply["mistakes"][0]["key"], "base");
  }
  EXPECT_GT(answer_to("a100-80gb")["rates"].size(), 3U);
  const Json change = with(small_run, "set", {"base=/etc/passwd"});
  EXPECT_TRUE(server.json("a", "POST", "/api/runs", change).contains("mistakes"));
}

TEST(Serve, HasNoPathsButItsOwn) {
  ServeProcess server;
  const std::string id = server.json("a", "POST", "/api/runs", small_run)["id"];
  ASSERT_EQ(server.finished("a", id)["state"], "done");
  for (const std::string& target :
       {std::string("/../etc/passwd"), std::string("/..%2f..%2fetc/passwd"),
        std::string("//etc/passwd"), std::string("/api/machines/../a100"),
        std::string("/api/machines/..%2f..%2fREADME"), std::string("/runs/../../etc/passwd"),
        "/runs/" + id + "/../experiment.json", "/runs/" + id + "/%2e%2e/experiment.json",
        "/runs/" + id + "/", "/runs/" + id, "/runs/" + id + "/report.html/..",
        std::string("/api/runs/../about"), std::string("/api/sweep?number=0"),
        std::string("/api/sweep?number=-1"), std::string("/index.html"), std::string("/page")})
    EXPECT_EQ(server.ask("a", "GET", target).status, 404) << target;
  EXPECT_EQ(server.json("a", "GET", "/api/machines/a10")["message"],
            "no machine 'a10'; did you mean \"a100\"?");
}

TEST(Serve, ShowsMarkupInNamesAsText) {
  ServeProcess server;
  std::string text = server.ask("a", "GET", "/api/machines/lab-tiny").body;
  const std::size_t at = text.find("description: \"") + 14;
  text.insert(at, "<script>alert(1)</script><img src=x onerror=alert(2)>");
  const Json asked =
      server.json("a", "POST", "/api/runs", {{"machine_text", text}, {"workload", "gemm:64"}});
  ASSERT_TRUE(asked.contains("id")) << asked;
  const std::string id = asked["id"];
  ASSERT_EQ(server.finished("a", id)["state"], "done") << server.finished("a", id);
  const std::string page = server.ask("a", "GET", "/runs/" + id + "/report.html").body;
  EXPECT_THAT(page, Not(HasSubstr("<script>alert(1)")));
  EXPECT_THAT(page, Not(HasSubstr("<img src=x")));
  const RawReply mistake = server.ask("a", "POST", "/api/forecast",
                                      R"({"machine": "a100", "workload": "<img src=x>:1"})");
  EXPECT_EQ(mistake.field("Content-Type"), "application/json");
  EXPECT_EQ(mistake.field("X-Content-Type-Options"), "nosniff");
}

TEST(Serve, RefusesBodiesThatAreNoExperiments) {
  ServeProcess server;
  for (const char* const body :
       {"", "{", "null", "[]", "1", "\"a\"", "{\"machine\": 1, \"workload\": \"gemm:64\"}",
        "{\"machine\": \"a100\", \"machine\": \"v100\", \"workload\": \"gemm:64\"}",
        "{\"machine\": \"a100\", \"machine_text\": \"\", \"workload\": \"gemm:64\"}",
        "{\"machine\": \"a100\"}", "{\"workload\": \"gemm:64\"}",
        "[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]",
        "{\"machine\": \"a100\", \"workload\": \"gemm:64\", \"set\": \"a=b\"}",
        "{\"machine\": \"a100\", \"workload\": \"gemm:64\", \"set\": [\"a\"]}",
        "{\"machine\": \"a100\", \"workload\": \"gemm:64\", \"set\": [\"a=\\u0000\"]}",
        "{\"machine\": \"a100\", \"workload\": \"gemm:64\\n\"}",
        "{\"machine\": \"a100\", \"workload\": \"gemm:64\", \"more\": 1}",
        "{\"machine_text\": \"a\\u0000b\", \"workload\": \"gemm:64\"}"})
    EXPECT_THAT(server.ask("a", "POST", "/api/runs", body).body, HasSubstr("\"mistakes\"")) << body;
  EXPECT_EQ(server.ask("a", "POST", "/api/runs", "{").status, 400);
  EXPECT_EQ(server.json("a", "GET", "/api/runs").size(), 0U);
  EXPECT_TRUE(server.children().empty());
}

TEST(Serve, KeepsResultsAndShowsThemReadOnly) {
  const test::TemporaryDirectory folder;
  const std::string store = (folder.path() / "store").string();
  std::string id;
  {
    ServeProcess server({"--store", store});
    id = server.json("a", "POST", "/api/runs", small_run)["id"];
    ASSERT_EQ(server.finished("a", id)["state"], "done");
    EXPECT_EQ(ServeProcess({"--store", store}).end(0), 2) << "one server at a time";
    EXPECT_EQ(server.end(SIGTERM), 0);
  }
  fs::create_directory(fs::path(store) / "unfinished-abc");
  ServeProcess reader({"--store", store, "--read-only"});
  EXPECT_EQ(reader.json("a", "POST", "/api/runs", small_run)["state"], "done");
  EXPECT_EQ(reader.ask("a", "GET", "/runs/" + id + "/report.html").status, 200);
  EXPECT_EQ(reader.json("a", "POST", "/api/runs", with(small_run, "workload", "gemm:96"))["http"],
            403);
  EXPECT_EQ(reader.json("a", "DELETE", "/api/runs/" + id)["state"], "done");
  EXPECT_EQ(reader.json("a", "DELETE", "/api/runs/" + std::string(id.size(), '0'))["http"], 403);
  EXPECT_EQ(reader.end(SIGINT), 0);
  EXPECT_TRUE(fs::exists(fs::path(store) / "unfinished-abc")) << "a reader changes nothing";
  ServeProcess writer({"--store", store});
  EXPECT_EQ(writer.json("a", "POST", "/api/runs", small_run)["state"], "done");
  EXPECT_FALSE(fs::exists(fs::path(store) / "unfinished-abc"));
}

TEST(Serve, LivesOnWhereNoTemporaryFolderIs) {
  const test::TemporaryDirectory folder;
  ::setenv("TMPDIR", "/nowhere", 1);
  ServeProcess server({"--store", (folder.path() / "store").string()});
  ::unsetenv("TMPDIR");
  const Json machines = server.json("a", "GET", "/api/machines");
  EXPECT_EQ(machines["http"], 503);
  EXPECT_THAT(machines.dump(), HasSubstr("TMPDIR"));
  EXPECT_EQ(server.json("a", "POST", "/api/runs", small_run)["http"], 200);
}

TEST(Serve, EndsWithAllThatItStarted) {
  const test::TemporaryDirectory folder;
  ServeProcess server({"--store", folder.path().string()});
  const std::string id = server.json("a", "POST", "/api/runs", long_run)["id"];
  for (int i = 0; i < 500 && server.json("a", "GET", "/api/runs/" + id)["state"] != "running"; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  const std::vector<pid_t> children = server.children();
  ASSERT_EQ(children.size(), 1U);
  EXPECT_EQ(server.end(SIGTERM), 0);
  EXPECT_NE(::kill(children.front(), 0), 0);
  int left = 0;
  for (const auto& entry : fs::directory_iterator(folder.path()))
    left += entry.path().filename() == "lock" ? 0 : 1;
  EXPECT_EQ(left, 0) << "nothing unfinished stays";
}

TEST(Serve, ForgetsTheLeastUsedResultsWhenThereIsNoRoom) {
  ServeProcess server({"--store-mib", "1"});
  std::vector<std::string> ids;
  for (int n = 64; n <= 64 * 12; n += 64) {
    ids.push_back(server.json("a", "POST", "/api/runs",
                              with(small_run, "workload", "gemm:" + std::to_string(n)))["id"]);
    ASSERT_EQ(server.finished("a", ids.back())["state"], "done");
  }
  EXPECT_EQ(server.json("a", "GET", "/api/runs/" + ids.front())["http"], 404);
  EXPECT_EQ(server.json("a", "GET", "/api/runs/" + ids.back())["state"], "done");
}

TEST(Serve, ShowsHowFarSweepsAre) {
  const test::TemporaryDirectory home;
  const std::string folder = (home.path() / "sweep").string();
  std::ofstream(home.path() / "spec.yaml")
      << "name: small\ndescription: one point\nmachines: [lab-tiny]\nworkloads: [\"gemm:64\"]\n";
  const std::string command = std::string(TCSIM_BINARY) + " sweep run " +
                              (home.path() / "spec.yaml").string() + " -j 1 -o " + folder +
                              " > /dev/null 2>&1";
  ASSERT_EQ(std::system(command.c_str()), 0);
  ServeProcess server({"--sweep", folder});
  EXPECT_EQ(server.json("a", "GET", "/api/about")["sweeps"], Json{"sweep"});
  const Json counts = server.json("a", "GET", "/api/sweep?number=0");
  EXPECT_EQ(counts["points"], 1) << counts;
  EXPECT_EQ(counts["done"], 1);
  EXPECT_EQ(server.ask("a", "GET", "/api/sweep?number=1").status, 404);
}

TEST(Serve, RefusesOptionsThatCannotBe) {
  for (const std::vector<std::string>& options :
       std::vector<std::vector<std::string>>{{"--port", "65536"},
                                             {"--port", "x"},
                                             {"--listen", "localhost"},
                                             {"--host", "a/b"},
                                             {"--queue", "0"},
                                             {"--memory-mib", "1e3"},
                                             {"--seconds", "-1"},
                                             {"--read-only"},
                                             {"--sweep", "/nowhere"}})
    EXPECT_EQ(ServeProcess(options).end(0), 2) << options.front();
}

TEST(Serve, DamagedBodiesAreAnswered) {
  ServeProcess server({"--seconds", "2", "--queue", "1000"});
  const std::vector<std::string> seeds{
      small_run.dump(), with(small_run, "set", {"l2.hit_latency_cycles=100"}).dump(),
      R"({"machine_text": "name: x\nsm: {sub_cores: 4}\n", "set": ["l2.hit_latency_cycles=100"]})",
      R"({"machine": "a100", "workload": "net:lenet", "options": {"batch": 2, "warm_l2": true}})"};
  std::mt19937 random(29);
  const auto below = [&](std::size_t count) { return random() % count; };
  const char* const targets[] = {"/api/machine", "/api/peak", "/api/forecast", "/api/machine"};
  std::map<int, int> statuses;
  int is_mistaken = 0;
  for (int i = 0; i < 300; ++i) {
    std::string body = seeds[below(seeds.size())];
    for (std::size_t times = 1 + below(3); times > 0; --times) {
      const std::size_t at = below(body.size());
      const char signs[] = "{}[]:,\"\\0eE-+.\x01\xff\n";
      if (below(3) == 0)
        body.erase(at, 1 + below(4));
      else
        body.insert(at, 1, signs[below(sizeof signs - 1)]);
    }
    const RawReply reply = server.ask("a", "POST", targets[below(4)], body);
    ++statuses[reply.status];
    ASSERT_TRUE(reply.status == 200 || reply.status == 400) << reply.status << "\n" << body;
    const Json json = Json::parse(reply.body, nullptr, false);
    ASSERT_TRUE(json.is_object()) << reply.body;
    is_mistaken += json.contains("mistakes") ? 1 : 0;
  }
  EXPECT_GT(statuses[400], 50);
  EXPECT_GT(is_mistaken, statuses[400]) << "not all is refused as JSON";
  EXPECT_EQ(server.json("a", "GET", "/api/about")["http"], 200);
}

}  // namespace
}  // namespace tcsim::serve
