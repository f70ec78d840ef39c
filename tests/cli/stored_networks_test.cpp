#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "sim/errors/errors.hpp"
#include "tests/cli/network_run.hpp"

namespace tcsim::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class StoredNetworks : public NetworkRun {
 protected:
  /// Two blocks and a layer outside of them, stored as `out`.
  static void store(const std::string& out, std::vector<std::string> more = {}) {
    std::ofstream("blocks.yaml")
        << "name: blocks\ninput: {tokens: 64, c: 64}\nblocks:\n  b: {layers: [{name: l, op: "
           "linear, "
           "out: 64}, {name: n, op: layer_norm}]}\nlayers:\n  - {name: x, block: b, repeat: 2}\n"
           "  - {name: last, op: softmax}\n";
    std::vector<std::string> words{"run", "net:blocks.yaml", "-m", "lab-tiny", "-q", "-o", out};
    words.insert(words.end(), more.begin(), more.end());
    const ChildResult result = tcsim(words);
    ASSERT_EQ(result.status, 0) << result.errors;
  }
  static Json view(std::vector<std::string> words) {
    words.insert(words.end(), {"-f", "json"});
    const ChildResult result = tcsim(words);
    EXPECT_EQ(result.status, 0) << result.errors;
    return Json::parse(result.output);
  }
  /// Table number `table` of the section `id`.
  static Json table(const Json& document, const std::string& id, std::size_t table) {
    for (const Json& section : document["sections"])
      if (section["id"] == id) return section["tables"][table];
    ADD_FAILURE() << "no section " << id;
    return {};
  }
};

TEST_F(StoredNetworks, ShowPutsLikeLayersTogetherAndAddsUpToTheTime) {
  store("out");
  const Json network = Json::parse(text_of("out/network.json"));
  const Json layers = table(view({"show", "out"}), "layers", 0);
  double time_us = 0;
  std::map<std::string, int> steps;
  for (const Json& row : layers["rows"]) {
    steps[row[0]] = row[2].get<int>();
    time_us += row[3].get<double>();
  }
  EXPECT_EQ(steps, (std::map<std::string, int>{{"x.*.l", 2}, {"x.*.n", 2}, {"last", 1}}));
  EXPECT_DOUBLE_EQ(time_us, network["time_us"].get<double>());
  EXPECT_THAT(text_of("out/report.html"), HasSubstr("x.*.l"));
  EXPECT_THAT(text_of("out/report.md"), HasSubstr("Roofline"));
}

TEST_F(StoredNetworks, MetricsAreTheirFormulas) {
  store("out", {"--batch", "2"});
  const Json network = Json::parse(text_of("out/network.json"));
  const double time_us = network["time_us"].get<double>();
  const Json& metrics = network["metrics"];
  EXPECT_DOUBLE_EQ(metrics["samples_per_s"]["value"].get<double>(), 2e6 / time_us);
  EXPECT_DOUBLE_EQ(metrics["tokens_per_s"]["value"].get<double>(), 128e6 / time_us);
  const Json& facts = network["facts"];
  EXPECT_EQ(facts["batch"]["value"], 2);
  EXPECT_EQ(facts["sample_tokens"]["value"], 64);
  EXPECT_EQ(facts["network_time_us"]["value"], network["time_us"]);
  EXPECT_TRUE(facts["decode_time_us"]["value"].is_null());
  const auto whole = std::to_string(std::llround(2e6 / time_us));
  ASSERT_GT(whole.size(), 3U);
  EXPECT_THAT(tcsim({"show", "out"}).output, HasSubstr(whole.substr(0, whole.size() - 3) + "," +
                                                       whole.substr(whole.size() - 3) + " 1/s\n"));
  EXPECT_TRUE(metrics["time_to_first_token_us"]["value"].is_null());  // no language model
  EXPECT_THAT(tcsim({"metrics", "tokens_per_s"}).output, HasSubstr("batch * sample_tokens"));
  EXPECT_THAT(text_of("out/stats.csv"), HasSubstr("out,x.1.l.forward,time_us,us,"));
}

TEST_F(StoredNetworks, AStoppedRunHasNeitherRateNorCollectiveOperations) {
  std::ofstream("norm.yaml")
      << "name: norm\ninput: {tokens: 64, c: 64}\nlayers:\n"
         "  - {name: a, op: linear, out: 64}\n  - {name: n, op: layer_norm}\n";
  const ChildResult stopped =
      tcsim({"run", "net:norm.yaml", "-m", "lab-tiny", "-q", "-o", "out", "--max-cycles", "9000"});
  ASSERT_EQ(stopped.status, kStopped) << stopped.errors;
  const std::string report = tcsim({"show", "out"}).output;
  EXPECT_THAT(report, HasSubstr(" mJ in 1 of 2 steps.\n"));
  EXPECT_THAT(report, Not(HasSubstr("network tflops")));
}

TEST_F(StoredNetworks, CompareTellsWhichLayersMakeTheDifference) {
  store("fp16");
  store("fp32", {"--precision", "fp32"});
  const Json document = view({"compare", "fp16", "fp32"});
  EXPECT_EQ(table(document, "configuration", 0)["rows"][0],
            Json({"precision", "fp16", "fp32", ""}));
  for (const char* section : {"attribution", "cycles"}) {
    const Json rows = table(document, section, 0)["rows"];
    double sum = 0;
    for (std::size_t i = 0; i + 1 < rows.size(); ++i) sum += rows[i][3].get<double>();
    EXPECT_EQ(rows.back()[0], "time");
    EXPECT_NEAR(sum, rows.back()[3].get<double>(), 1e-9);
  }
  EXPECT_EQ(table(document, "attribution", 0)["rows"][0][0], "x.*.l");
  const ChildResult missing = tcsim({"compare", "fp16", "none"});
  EXPECT_EQ(missing.status, 5);
  EXPECT_THAT(missing.errors, HasSubstr("none: there is no such directory or file"));
}

TEST_F(StoredNetworks, CompareSaysWhichDataCachesAndClocksDiffer) {
  store("usual");
  struct Other {
    std::vector<std::string> options;
    Json row;
  };
  for (const Other& other :
       {Other{{"--cold-code"}, {"l2_state", "carried over", "carried over, code in DRAM", ""}},
        Other{{"--data", "constant"}, {"data", "random", "constant", ""}},
        Other{{"--clock", "power"}, {"clock_policy", "boost", "power", ""}}}) {
    const std::string folder = other.options.front().substr(2);
    store(folder, other.options);
    const Json rows = table(view({"compare", "usual", folder}), "configuration", 0)["rows"];
    EXPECT_EQ(std::count(rows.begin(), rows.end(), other.row), 1) << rows;
  }
}

TEST_F(StoredNetworks, OfSeveralMachinesAreAListWithARowEach) {
  store("out", {"-m", "v100"});
  const Json rows = Json::parse(text_of("out/rows.json"));
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[1]["machine"], "v100");
  EXPECT_EQ(rows[1]["title"], "blocks, batch 1, fp16, forward");
  const Json network = Json::parse(text_of("out/rows/0002-v100/network.json"));
  EXPECT_EQ(rows[1]["result"]["time_us"], network["time_us"]);
  EXPECT_EQ(rows[1]["result"]["tokens_per_s"], network["metrics"]["tokens_per_s"]["value"]);
  EXPECT_FALSE(rows[1]["result"].contains("steps"));
  EXPECT_THAT(text_of("out/report.html"), HasSubstr("rows/0002-v100/report.html"));
  EXPECT_THAT(tcsim({"show", "out"}).output, HasSubstr("v100 is"));
  EXPECT_EQ(tcsim({"compare", "out/rows/0001-lab-tiny", "out/rows/0002-v100"}).status, 0);
  EXPECT_EQ(tcsim({"plot", "out", "--kind", "roofline", "-m", "v100"}).status, 0);
}

TEST_F(StoredNetworks, OfSeveralMachinesAndGpusSayWhatRan) {
  write_writer();
  const ChildResult result =
      tcsim({"run", "net:writer.yaml", "-m", "a100", "-m", "h100", "--gpus", "2", "--pass",
             "decode", "--tokens", "32", "--batch", "4", "-q", "-o", "out"});
  ASSERT_EQ(result.status, 0) << result.errors;
  const std::string shown = tcsim({"show", "out"}).output;
  for (const std::string& screen : {result.output, shown}) {
    EXPECT_THAT(screen, HasSubstr("  writer, batch 4, after 31 tokens, fp16, decode, 2 GPUs  "));
    EXPECT_THAT(screen, HasSubstr("samples/s"));
    EXPECT_THAT(screen, HasSubstr("tokens/s  TFLOPS per GPU  % of peak"));
  }
  EXPECT_THAT(result.output, HasSubstr("by a model of NVLink (docs/networks.md)\n"));
  EXPECT_THAT(shown, HasSubstr("NVLink"));
  const Json network = Json::parse(text_of("out/rows/0001-a100/network.json"));
  const std::string record = fmt::format(",2,4,1,32,fp16,decode,whole,{0},{0},{1}\n",
                                         network["metrics"]["samples_per_s"]["value"].dump(),
                                         network["collectives"]["time_us"].dump());
  EXPECT_THAT(text_of("out/rows.csv"), HasSubstr(record));
}

TEST_F(StoredNetworks, WriteTokenByToken) {
  write_writer();
  const auto metrics = [](std::vector<std::string> more) {
    std::vector<std::string> words{"run", "net:writer.yaml", "-m", "a100", "--no-files", "-q", "-f",
                                   "json"};
    words.insert(words.end(), more.begin(), more.end());
    return Json::parse(tcsim(words).output);
  };
  const Json prefill = metrics({"--tokens", "32"});
  EXPECT_EQ(prefill["metrics"]["time_to_first_token_us"]["value"], prefill["time_us"]);
  EXPECT_TRUE(prefill["metrics"]["time_per_output_token_us"]["value"].is_null());
  const Json decode = metrics({"--pass", "decode", "--tokens", "4096", "--batch", "2"});
  EXPECT_EQ(decode["metrics"]["time_per_output_token_us"]["value"], decode["time_us"]);
  EXPECT_DOUBLE_EQ(decode["metrics"]["tokens_per_s"]["value"].get<double>(),
                   2e6 / decode["time_us"].get<double>());
  EXPECT_EQ(decode["context_tokens"], 4096);
  // Keys and values of 4096 tokens, two heads of 32 and two samples, each read once.
  const Json attention = decode["steps"][2]["result"];
  EXPECT_GE(attention["memory"]["dram_read_bytes"].get<double>(), 2 * 2 * 4096 * 64 * 2);
  const ChildResult result =
      tcsim({"run", "net:writer.yaml", "-m", "lab-tiny", "--pass", "decode", "--no-files", "-q"});
  EXPECT_THAT(result.output, HasSubstr("after 15 tokens"));
  EXPECT_THAT(result.output, HasSubstr("time per output token"));
}

TEST_F(StoredNetworks, RefusePagesInFp32AsSingleRunsDo) {
  const ChildResult result = tcsim({"run", "net:gpt2", "-m", "a100", "--kv-cache", "paged",
                                    "--precision", "fp32", "--no-files", "-q"});
  EXPECT_EQ(result.status, 3);
  EXPECT_THAT(result.errors, HasSubstr("net:gpt2: only fused attention in 16 bits reads pages"));
}

TEST_F(StoredNetworks, RefuseTokensThatTheyCannotTake) {
  const ChildResult image = tcsim({"run", "net:lenet", "-m", "lab-tiny", "--tokens", "5"});
  EXPECT_EQ(image.status, 2);
  EXPECT_THAT(image.errors, HasSubstr("--tokens: lenet takes no sequence of tokens"));
  const ChildResult reader = tcsim({"run", "net:bert_base", "-m", "a100", "--pass", "decode"});
  EXPECT_EQ(reader.status, 2);
  EXPECT_THAT(reader.errors, HasSubstr("--pass: bert_base has no causal attention"));
}

TEST_F(StoredNetworks, ArePlotted) {
  store("out");
  for (const char* kind : {"roofline", "stalls", "timeline"}) {
    EXPECT_THAT(tcsim({"plot", "out", "--kind", kind}).output, HasSubstr("<svg")) << kind;
    EXPECT_THAT(tcsim({"plot", "out", "--kind", kind, "--ascii"}).output, Not(HasSubstr("<svg")));
  }
}

TEST_F(StoredNetworks, AreRefusedWhenTheyWereChanged) {
  store("out");
  std::string text = text_of("out/network.json");
  text.replace(text.find("\"batch\": 1"), 10, "\"batch\": 2");
  std::ofstream("out/network.json") << text;
  const ChildResult result = tcsim({"show", "out"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.errors, HasSubstr("out/network.json: was changed since"));
}

TEST_F(StoredNetworks, ThatHaveNoTimeOrNoNumberOfGpusAreTold) {
  store("out");
  const Json whole = Json::parse(text_of("out/network.json"));
  const auto show = [](const Json& network) {
    std::ofstream("out/network.json") << network;
    return tcsim({"show", "out"});
  };
  Json manifest = Json::parse(text_of("out/manifest.json"));
  manifest.erase("checksum");  // so that a file may be changed
  std::ofstream("out/manifest.json") << manifest;
  Json stopped = whole;
  stopped["time_us"] = 0;
  stopped["steps"] = Json::array();
  stopped["collectives"] = {{"count", 0}, {"time_us", 0}, {"bytes", 0}};
  const ChildResult shown = show(stopped);
  EXPECT_EQ(shown.status, 0) << shown.errors;
  EXPECT_THAT(shown.output, Not(HasSubstr("nan %")));
  for (const char* key : {"gpus", "tokens", "context_tokens"}) {
    Json older = whole;
    older.erase(key);
    const ChildResult refused = show(older);
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.errors,
                HasSubstr(fmt::format("has no '{}': an older tcsim wrote it", key)));
  }
}

}  // namespace
}  // namespace tcsim::cli
