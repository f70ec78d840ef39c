#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "sim/config/error.hpp"
#include "sim/run/request_fields.hpp"
#include "sim/run/request_io.hpp"
#include "tests/support/refusal.hpp"

namespace tcsim::run {
namespace {

using ::testing::HasSubstr;
using Words = std::vector<std::string>;

RunRequest small_request() {
  return make_request({{"workload", {"gemm:64"}}, {"machine", {"v100"}}});
}

/// A value of every field that is not its default.
std::string other_value(const Field& field) {
  const std::map<std::string, std::string> words{
      {"workload", "gemm:64"}, {"machine", "v100"},
      {"unit", "cuda-core"},   {"tensor_core", "rtl"},
      {"clock", "power"},      {"data", "constant"},
      {"timeout", "2.5"},      {"timeline", "sm=1,sub-core=2,cycles=3:4"},
      {"precision", "bf16"},   {"pass", "training"},
      {"inputs", "wide"},      {"fidelity", "sampled:3%"},
      {"kv_cache", "paged"},   {"weights", "int4"},
      {"tile", "64x64"}};
  if (const auto word = words.find(field.name); word != words.end()) return word->second;
  if (field.kind == FieldKind::kFlag) return "true";
  return field.kind == FieldKind::kWhole ? "7" : "text";
}

TEST(Request, TheErrorOfASampledRunHasBounds) {
  const auto error_of = [](const std::string& fidelity) {
    return make_request(
               {{"workload", {"gemm:64"}}, {"machine", {"v100"}}, {"fidelity", {fidelity}}})
        .sampling_error;
  };
  EXPECT_EQ(error_of("cycle"), 0);
  EXPECT_EQ(error_of("sampled"), 0.02);
  EXPECT_DOUBLE_EQ(error_of("sampled:0.5%"), 0.005);
  for (const char* wrong : {"sampled:11%", "sampled:0%", "sampled:-1%", "sampled:nan%"})
    EXPECT_THROW(error_of(wrong), RequestError) << wrong;
  EXPECT_EQ(error_of("auto"), 0.02);
  EXPECT_DOUBLE_EQ(error_of("auto:0.5%"), 0.005);
  for (const char* wrong : {"auto:", "auto:20%", "automatic", "aut", "sampled:1", "sampled:%",
                            "sampled:1e%", "exact", "Sampled"})
    EXPECT_THROW(error_of(wrong), RequestError) << wrong;
}

TEST(Request, EveryFieldIsReadBackFromWhatItIsWrittenAs) {
  for (const Field& field : request_fields()) {
    RunRequest request;
    EXPECT_TRUE(field.texts(request).empty()) << field.name;
    field.take(request, other_value(field));
    EXPECT_EQ(field.texts(request), Words{other_value(field)}) << field.name;
    RunRequest again;
    for (const std::string& text : field.texts(request)) field.take(again, text);
    EXPECT_EQ(request_json(again), request_json(request)) << field.name;
    EXPECT_FALSE(field.help.empty()) << field.name;
  }
}

TEST(Request, NamesAndLettersAreUnique) {
  std::set<std::string> names;
  std::set<std::string> letters;
  for (const Field& field : request_fields()) {
    EXPECT_TRUE(names.insert(field.name).second) << field.name;
    EXPECT_TRUE(field.letter.empty() || letters.insert(field.letter).second) << field.letter;
  }
  EXPECT_EQ(word_of("max_cycles"), "--max-cycles");
  EXPECT_THROW(word_of("max-cycles"), InternalError);
}

TEST(Request, JsonIsReadBack) {
  RunRequest request = small_request();
  request.overrides = {"gpu.sms=4", "l2.ways=8"};
  request.max_cycles = 12;
  request.warm_l2 = true;
  request.timeout_s = 0.25;
  request.jobs = 1;
  const auto json = request_json(request);
  EXPECT_EQ(json["set"], nlohmann::ordered_json({"gpu.sms=4", "l2.ways=8"}));
  EXPECT_EQ(json["warm_l2"], true);
  EXPECT_EQ(json["max_cycles"], 12);
  EXPECT_FALSE(json.contains("tile"));
  EXPECT_EQ(request_json(read_request("r", json.dump(1))), json);
  EXPECT_EQ(request_json(read_request("r", json.dump())), json);
}

TEST(Request, YamlIsReadToo) {
  const RunRequest request =
      read_request("r.yaml", "workload: net:lenet\nmachine: [v100]\nbatch: 3\npass: training\n");
  EXPECT_EQ(request.machines, Words{"v100"});
  EXPECT_EQ(request.batch, 3);
  EXPECT_EQ(request.pass, networks::Pass::kTraining);
}

TEST(Request, WordsAreThoseOfTheCommandLine) {
  RunRequest request = small_request();
  request.overrides = {"gpu.sms=4"};
  request.cold_code = true;
  request.tile = "64x64";
  EXPECT_EQ(command_words(request), (Words{"gemm:64", "-m", "v100", "--set", "gpu.sms=4", "--tile",
                                           "64x64", "--cold-code"}));
}

TEST(Request, AFileTellsEveryMistakeWithItsPlace) {
  EXPECT_EQ(test::refusal([&] {
              read_request("r.yaml",
                           "workload: gemm:64\nmachin: v100\njobs: x\ntile: [a]\nwarm_l2: maybe\n"
                           "limit: 1\nlimit: 2\n");
            }),
            "r.yaml:2:1: machin: a request has no such field; did you mean \"machine\"?\n"
            "r.yaml:3:7: jobs: 'x' is not a whole number from 1 to 1000000\n"
            "r.yaml:4:7: tile: [a] is not one value\n"
            "r.yaml:5:10: warm_l2: 'maybe' is not one of false, true\n"
            "r.yaml:7:1: limit: given twice");
  EXPECT_THROW(read_request("r.yaml", "- gemm:64\n"), config::ConfigError);
  EXPECT_THROW(read_request("r.yaml", ""), config::ConfigError);
}

struct Contradiction {
  const char* name;
  GivenFields given;
  const char* message;
};

class Contradictory : public ::testing::TestWithParam<Contradiction> {};

TEST_P(Contradictory, FieldsAreRefused) {
  GivenFields given = GetParam().given;
  given.try_emplace("workload", Words{"gemm:64"});
  given.try_emplace("machine", Words{"v100"});
  EXPECT_EQ(test::refusal<RequestError>([&] { make_request(given); }), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Request, Contradictory,
    ::testing::Values(
        Contradiction{"Workload",
                      {{"workload", {""}}},
                      "which workload? For example, tcsim run gemm:4096 -m a100"},
        Contradiction{"L2",
                      {{"cold_l2", {"true"}}, {"warm_l2", {"true"}}},
                      "--cold-l2 and --warm-l2 contradict each other"},
        Contradiction{"OverwrittenL2",
                      {{"overwrite_l2", {"true"}}, {"warm_l2", {"true"}}},
                      "--warm-l2 and --overwrite-l2 contradict each other"},
        Contradiction{"Rtl",
                      {{"tensor_core", {"rtl"}}, {"clock", {"power"}}},
                      "--tensor-core rtl and --clock power contradict each other"},
        Contradiction{"Seed", {{"seed", {"3"}}}, "--seed: has no effect without --values"},
        Contradiction{"Drawn",
                      {{"values", {"true"}}, {"a", {"a.npy"}}, {"b", {"b.npy"}}, {"seed", {"3"}}},
                      "--inputs and --seed have no effect with both --a and --b"},
        Contradiction{"Batch", {{"batch", {"3"}}}, "--batch: belongs to networks (net:NAME)"},
        Contradiction{"Limit", {{"limit", {"3"}}}, "--limit: belongs to lists (csv:FILE)"},
        Contradiction{"Tile",
                      {{"workload", {"net:lenet"}}, {"tile", {"64x64"}}},
                      "--tile: has no meaning for a network"},
        Contradiction{"Source",
                      {{"workload", {"net:lenet"}}, {"source", {"true"}}},
                      "--source: has no meaning for a network"},
        Contradiction{"Path",
                      {{"workload", {"net:lenet"}}, {"critical_path", {"true"}}},
                      "--critical-path: has no meaning for a network"},
        Contradiction{"Unit",
                      {{"workload", {"net:lenet"}}, {"unit", {"cuda-core"}}},
                      "--unit: cuda-core has no meaning for a network"},
        Contradiction{"Samples",
                      {{"workload", {"net:lenet"}}, {"batch", {"70000"}}},
                      "--batch: '70000' is not a whole number from 1 to 65535"},
        Contradiction{"Name",
                      {{"max_cycle", {"5"}}},
                      "max_cycle: a request has no such field; did you mean \"max_cycles\"?"},
        Contradiction{"Twice", {{"tile", {"64x64", "32x32"}}}, "--tile: given twice"},
        Contradiction{"Window",
                      {{"timeline", {"sm=x,cycles=1:2"}}},
                      "--timeline: sm: 'x' is not a number from 0 to 100000"}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace tcsim::run
