#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "sim/errors/errors.hpp"
#include "tests/cli/tcsim_process.hpp"

namespace tcsim::cli {
namespace {

using ::testing::ContainsRegex;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Json = nlohmann::ordered_json;

/// Equal steps on tensors that stay in the L2, so that each finds what the one before left.
constexpr const char* kRepeated =
    "name: repeated\n"
    "input: {tokens: 64, c: 512}\n"
    "blocks:\n"
    "  b: {layers: [{name: r, op: relu}]}\n"
    "layers:\n"
    "  - {name: x, block: b, repeat: 8}\n";

class NetworkRun : public ::testing::Test {
 protected:
  NetworkRun() { std::ofstream("repeated.yaml") << kRepeated; }

  static Json run(std::vector<std::string> more) {
    std::vector<std::string> words{"run",  "net:repeated.yaml", "-m", "lab-tiny", "-f",
                                   "json", "--no-files",        "-q"};
    words.insert(words.end(), more.begin(), more.end());
    const ChildResult result = tcsim(words);
    EXPECT_EQ(result.status, 0) << result.errors;
    return Json::parse(result.output);
  }

  TemporaryHome home_;
};

TEST_F(NetworkRun, AnEarlierResultStaysUntilThereIsAnother) {
  const std::vector<std::string> rest{"-o", "out", "--force", "-q"};
  const auto words = [&](std::vector<std::string> front) {
    front.insert(front.end(), rest.begin(), rest.end());
    return front;
  };
  ASSERT_EQ(tcsim(words({"run", "net:repeated.yaml", "-m", "lab-tiny"})).status, 0);
  const std::string earlier = text_of("out/network.json");
  ASSERT_NE(earlier, "");
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  const ChildResult killed = tcsim(words({"run", "net:resnet50", "-m", "a100"}), [&] {
    return std::chrono::steady_clock::now() < end ? 0 : SIGKILL;
  });
  EXPECT_EQ(killed.signal, SIGKILL);
  EXPECT_EQ(text_of("out/network.json"), earlier);
  EXPECT_EQ(tcsim({"show", "out"}).status, 0);
  EXPECT_EQ(tcsim(words({"run", "net:repeated.yaml", "-m", "lab-tiny", "--batch", "2"})).status, 0);
  EXPECT_NE(text_of("out/network.json"), earlier);
}

TEST_F(NetworkRun, TensorsStayInAnL2OfOtherLines) {
  std::ofstream("kept.yaml") << "name: kept\ninput: {tokens: 64, c: 512}\n"
                                "layers:\n  - {name: a, op: relu}\n  - {name: b, op: relu}\n";
  for (const std::string line : {"64", "128"}) {
    const ChildResult result =
        tcsim({"run", "net:kept.yaml", "-m", "lab-tiny", "--set", "l2.line_bytes=" + line, "--set",
               "sm.l1.line_bytes=" + line, "--set", "sm.instruction_fetch.line_bytes=" + line, "-f",
               "json", "--no-files", "-q"});
    ASSERT_EQ(result.status, 0) << result.errors;
    const Json second = Json::parse(result.output)["steps"][1]["result"];
    EXPECT_EQ(second["memory"]["dram_read_bytes"], 0) << line;
  }
}

TEST_F(NetworkRun, ReuseChangesNoFigure) {
  Json reused = run({});
  Json simulated = run({"--no-reuse"});
  EXPECT_GE(reused["reused_steps"].get<int>(), 3);
  EXPECT_EQ(simulated["reused_steps"].get<int>(), 0);
  for (Json* json : {&reused, &simulated}) {
    json->erase("simulation");
    json->erase("reused_steps");
    for (Json& step : (*json)["steps"]) step.erase("reused");
  }
  EXPECT_EQ(reused, simulated);
}

/// Layers with weights of their own in an L2 that holds many: none finds the L2 of another.
TEST_F(NetworkRun, SampledTellsLikeStepsFromEachOther) {
  std::ofstream("repeated.yaml") << "name: repeated\ninput: {tokens: 64, c: 256}\n"
                                    "blocks:\n  b: {layers: [{name: l, op: linear, out: 256}]}\n"
                                    "layers:\n  - {name: x, block: b, repeat: 12}\n";
  const Json exact = run({"--set", "l2.bytes=2097152"});
  const Json sampled = run({"--set", "l2.bytes=2097152", "--fidelity", "sampled"});
  EXPECT_EQ(exact["reused_steps"], 0);
  EXPECT_FALSE(exact.contains("sampling"));
  ASSERT_GE(sampled["sampling"]["told_steps"].get<int>(), 4);
  EXPECT_EQ(sampled["fidelity"], "sampled");
  const double half_width = sampled["sampling"]["half_width"].get<double>();
  EXPECT_LE(half_width, 0.02);
  const double time_us = exact["time_us"].get<double>();
  EXPECT_NEAR(sampled["time_us"].get<double>(), time_us, (half_width + 1e-9) * time_us);
  const double dram = exact["dram_bytes"].get<double>();
  EXPECT_NEAR(sampled["dram_bytes"].get<double>(), dram, 0.05 * dram);
}

TEST_F(NetworkRun, RecordsSayWhichStepsAreToldAndHowSurely) {
  std::ofstream("repeated.yaml") << "name: repeated\ninput: {tokens: 64, c: 256}\n"
                                    "blocks:\n  b: {layers: [{name: l, op: linear, out: 256}]}\n"
                                    "layers:\n  - {name: x, block: b, repeat: 12}\n";
  const std::vector<std::string> words{"--set", "l2.bytes=2097152", "--fidelity", "sampled"};
  const Json steps = run(words)["steps"];
  std::vector<std::string> csv{"run", "net:repeated.yaml", "-m", "lab-tiny", "-f", "csv", "-q"};
  csv.insert(csv.end(), words.begin(), words.end());
  std::istringstream records(tcsim(csv).output);
  std::string record;
  std::getline(records, record);
  EXPECT_THAT(record, EndsWith(",fidelity,told,half_width"));
  bool has_told = false;  // later steps find an L2 that was not simulated
  for (const Json& step : steps) {
    std::getline(records, record);
    const Json& result = step["result"];
    if (step["told"].get<bool>())
      EXPECT_THAT(record, EndsWith(",sampled,1," + result["sampling"]["half_width"].dump()));
    else
      EXPECT_THAT(record, EndsWith(has_told ? ",cycle,0,0.01" : ",cycle,0,"));
    has_told |= step["told"].get<bool>();
    if (has_told) {
      EXPECT_GE(result["sampling"]["half_width"].get<double>(), 0.01);
    }
  }
  EXPECT_TRUE(has_told);
}

/// The products of a block are alike, but those of later blocks find lines that others wrote.
TEST_F(NetworkRun, SampledKnowsWhatDirtyLinesCost) {
  std::ofstream("repeated.yaml")
      << "name: repeated\ninput: {tokens: 128, c: 512}\n"
         "blocks:\n  b:\n    layers:\n"
         "      - {name: n, op: rms_norm}\n"
         "      - {name: q, op: linear, out: 512, bias: false, from: n}\n"
         "      - {name: k, op: linear, out: 512, bias: false, from: n}\n"
         "      - {name: v, op: linear, out: 512, bias: false, from: n}\n"
         "      - {name: a, op: attention, heads: 8, causal: true,\n"
         "         from: [q, k, v]}\n"
         "      - {name: p, op: linear, out: 512, bias: false}\n"
         "      - {name: u, op: linear, out: 2048, bias: false}\n"
         "      - {name: d, op: linear, out: 512, bias: false}\n"
         "layers:\n  - {name: x, block: b, repeat: 3}\n";
  const double exact = run({"--set", "l2.bytes=2097152"})["time_us"].get<double>();
  const Json sampled = run({"--set", "l2.bytes=2097152", "--fidelity", "sampled"});
  ASSERT_GE(sampled["sampling"]["told_steps"].get<int>(), 1);
  EXPECT_NEAR(sampled["time_us"].get<double>(), exact,
              sampled["sampling"]["half_width"].get<double>() * exact);
}

/// A network that repeats products of which most are told from others.
void write_block_of_products() {
  std::ofstream("repeated.yaml") << "name: repeated\ninput: {tokens: 512, c: 512}\n"
                                    "blocks:\n  b:\n    layers:\n"
                                    "      - {name: l, op: linear, out: 512}\n"
                                    "      - {name: m, op: linear, out: 512}\n"
                                    "      - {name: r, op: linear, out: 512}\n"
                                    "      - {name: a, op: add, from: [l, r]}\n"
                                    "layers:\n  - {name: x, block: b, repeat: 8}\n";
}

/// Layers whose neighbours' dirty lines are cleaned in the meantime.
TEST_F(NetworkRun, SampledWritesBackWhatEveryStepDoes) {
  write_block_of_products();
  const Json exact = run({"--set", "l2.bytes=2097152"});
  const Json sampled = run({"--set", "l2.bytes=2097152", "--fidelity", "sampled"});
  ASSERT_GE(sampled["sampling"]["told_steps"].get<int>(), 4);
  double written = 0;
  double apart = 0;
  for (std::size_t i = 0; i < exact["steps"].size(); ++i) {
    const auto written_in = [i](const Json& run) {
      return run["steps"][i]["result"]["memory"]["dram_write_bytes"].get<double>();
    };
    written += written_in(exact);
    apart += std::abs(written_in(sampled) - written_in(exact));
  }
  EXPECT_LE(apart, 0.03 * written);
}

/// Blocks whose values lie elsewhere in the L2 each time, so that some find no place.
TEST_F(NetworkRun, ToldStepsWriteNoLessThanNothing) {
  std::ofstream("repeated.yaml") << "name: repeated\ninput: {tokens: 32, c: 512}\n"
                                    "blocks:\n  b:\n    layers:\n"
                                    "      - {name: n, op: layer_norm}\n"
                                    "      - {name: qkv, op: linear, out: 1536}\n"
                                    "      - {name: at, op: attention, heads: 8, causal: true}\n"
                                    "      - {name: p, op: linear, out: 512}\n"
                                    "      - {name: r, op: add, from: [p, input]}\n"
                                    "      - {name: e, op: linear, out: 2048}\n"
                                    "      - {name: g, op: gelu}\n"
                                    "      - {name: c, op: linear, out: 512}\n"
                                    "layers:\n  - {name: s, block: b, repeat: 12}\n";
  const Json sampled = run({"--set", "l2.bytes=2097152", "--fidelity", "sampled"});
  ASSERT_GE(sampled["sampling"]["told_steps"].get<int>(), 40);
  for (const Json& step : sampled["steps"])
    EXPECT_GE(step["result"]["memory"]["dram_write_bytes"].get<double>(), 0) << step["layer"];
}

TEST_F(NetworkRun, ToldStepsTakeTheEnergyOfTheirOwnBytes) {
  write_block_of_products();
  const Json sampled = run({"--set", "l2.bytes=2097152", "--fidelity", "sampled"});
  ASSERT_GE(sampled["sampling"]["told_steps"].get<int>(), 4);
  const auto bytes_of = [](const Json& result) {
    const Json& memory = result["memory"];
    return memory["dram_read_bytes"].get<double>() + memory["dram_write_bytes"].get<double>();
  };
  const auto number_in = [](const Json& result, const std::string& name) {
    return result["energy"][name].get<double>();
  };
  const Json& first = sampled["steps"][0]["result"];
  const double joules_per_byte = number_in(first, "dram_energy_j") / bytes_of(first);
  const double peak_gb_per_s = first["memory"]["dram_gb_per_s"].get<double>() /
                               first["memory"]["dram_fraction"].get<double>();
  for (const Json& step : sampled["steps"]) {
    const Json& result = step["result"];
    SCOPED_TRACE(step["layer"].get<std::string>());
    EXPECT_NEAR(number_in(result, "dram_energy_j"), joules_per_byte * bytes_of(result), 1e-15);
    double sum = 0;
    for (const char* part : {"tensor", "vector", "l1", "l2", "dram", "constant"})
      sum += number_in(result, std::string(part) + "_energy_j");
    EXPECT_NEAR(number_in(result, "energy_j"), sum, 1e-15);
    const auto time_us = result["time_us"].get<double>();
    EXPECT_NEAR(number_in(result, "power_w"), 1e6 * sum / time_us, 1e-9);
    const double gb_per_s = bytes_of(result) / (1e3 * time_us);
    const Json& memory = result["memory"];
    EXPECT_NEAR(memory["dram_gb_per_s"].get<double>(), gb_per_s, 1e-9);
    EXPECT_NEAR(memory["dram_fraction"].get<double>(), gb_per_s / peak_gb_per_s, 1e-9);
  }
}

constexpr const char* kLinear =
    "name: linear\ninput: {tokens: 64, c: 64}\nlayers:\n  - {name: a, op: linear, out: 64}\n";

TEST_F(NetworkRun, OfCudaCoresHasTheirPeak) {
  std::ofstream("repeated.yaml") << kLinear;
  const Json json = run({"--precision", "fp32"});
  EXPECT_EQ(json["peak_tflops"], json["steps"][0]["result"]["peak_tflops"]);
  EXPECT_GT(json["peak_fraction"].get<double>(), 0);
}

TEST_F(NetworkRun, AStoppedStepHasNoRate) {
  std::ofstream("linear.yaml") << kLinear;
  const ChildResult result = tcsim({"run", "net:linear.yaml", "-m", "lab-tiny", "--max-cycles",
                                    "2000", "-f", "json", "--no-files", "-q"});
  ASSERT_EQ(result.status, kStopped) << result.errors;
  const Json json = Json::parse(result.output);
  EXPECT_TRUE(json["steps"][0]["result"]["flop"].is_null());
  EXPECT_EQ(json["flop"].get<double>(), 0);
}

TEST_F(NetworkRun, StoppedStreamsTellNoTime) {
  std::ofstream("linear.yaml") << kLinear;
  const std::vector<std::string> words{
      "run", "net:linear.yaml", "-m",           "lab-tiny", "--streams", "2",
      "-q",  "--no-files",      "--max-cycles", "2000"};
  const ChildResult text = tcsim(words);
  ASSERT_EQ(text.status, kStopped) << text.errors;
  EXPECT_THAT(text.output, HasSubstr("INCOMPLETE: stopped by"));
  EXPECT_THAT(text.output, Not(HasSubstr("together")));
  std::vector<std::string> as_json = words;
  as_json.insert(as_json.end(), {"-f", "json"});
  const Json json = Json::parse(tcsim(as_json).output);
  EXPECT_TRUE(json["together_us"].is_null());
  EXPECT_TRUE(json["gain"].is_null());
}

TEST_F(NetworkRun, OfIntegersIsCountedInTops) {
  std::ofstream("linear.yaml") << "name: linear\ninput: {tokens: 64, c: 64}\n"
                                  "layers:\n  - {name: a, op: linear, out: 64}\n";
  const ChildResult result =
      tcsim({"run", "net:linear.yaml", "-m", "lab-tiny", "--precision", "int8", "-o", "out", "-q"});
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr(" TOPS"));
  EXPECT_THAT(result.output, Not(HasSubstr("TFLOPS")));
  EXPECT_THAT(text_of("out/stats.csv"), HasSubstr("out,network,network_tflops,TOPS,"));
  EXPECT_THAT(text_of("out/stats.csv"), HasSubstr("out,a.forward,tflops,TOPS,"));
  const Json network = Json::parse(text_of("out/network.json"));
  EXPECT_EQ(network["facts"]["network_peak_tflops"]["unit"], "TOPS");
  const Json& metrics = network["metrics"];
  EXPECT_EQ(metrics["network_tflops"]["unit"], "TOPS");
}

TEST_F(NetworkRun, OfWhichNothingRunsIsNotCovered) {
  std::ofstream("views.yaml") << "name: views\ninput: {h: 4, w: 4, c: 8}\n"
                                 "skipped:\n  - {name: l, op: LSTM, macs: 64}\n"
                                 "layers:\n  - {name: r, op: reshape, h: 16, w: 1, c: 8}\n";
  const ChildResult result = tcsim({"run", "net:views.yaml", "-m", "lab-tiny", "-o", "out", "-q"});
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.errors,
            "net:views.yaml: no layer of this network runs on a GPU; not simulated: LSTM 'l'\n");
  EXPECT_FALSE(std::filesystem::exists("out"));
}

TEST_F(NetworkRun, CarriesTheL2FromStepToStep) {
  std::ofstream("small.yaml") << "name: small\ninput: {tokens: 64, c: 512}\n"
                                 "layers:\n  - {name: a, op: relu}\n  - {name: b, op: relu}\n";
  const ChildResult result =
      tcsim({"run", "net:small.yaml", "-m", "lab-tiny", "-f", "json", "--no-files", "-q"});
  ASSERT_EQ(result.status, 0) << result.errors;
  const Json steps = Json::parse(result.output)["steps"];
  EXPECT_EQ(steps[0]["result"]["memory"]["dram_read_bytes"], 64 * 512 * 2);
  EXPECT_EQ(steps[1]["result"]["memory"]["dram_read_bytes"], 0);
}

TEST_F(NetworkRun, SaysThatTheLimitOfCyclesHasStoppedIt) {
  for (const char* streams : {"1", "2"}) {
    const ChildResult result = tcsim({"run", "net:repeated.yaml", "-m", "lab-tiny", "--max-cycles",
                                      "99", "--streams", streams, "--no-files", "-q"});
    EXPECT_EQ(result.status, 4);
    EXPECT_EQ(result.errors, "tcsim run: stopped by cycle limit; results are partial\n") << streams;
  }
}

/// The limit is that of the run, not of each of its steps.
TEST_F(NetworkRun, CountsTheCyclesOfAllSteps) {
  const int cycles = NetworkRun::run({})["cycles"];
  EXPECT_EQ(NetworkRun::run({"--max-cycles", std::to_string(cycles)})["complete"], true);
  for (const char* reuse : {"--no-reuse", "--quiet"}) {
    const ChildResult result = tcsim({"run", "net:repeated.yaml", "-m", "lab-tiny", "--no-files",
                                      "--max-cycles", std::to_string(cycles - 1), reuse});
    EXPECT_EQ(result.status, kStopped) << result.errors;
  }
}

TEST_F(NetworkRun, IsForetoldAsItRuns) {
  const auto foretold = [](const std::vector<std::string>& more) {
    std::vector<std::string> words{"run", "net:gpt2", "-m", "a100", "--dry-run", "-f", "json"};
    words.insert(words.end(), more.begin(), more.end());
    return Json::parse(tcsim(words).output);
  };
  const Json one = foretold({});
  EXPECT_EQ(foretold({"--streams", "4"})["warp_instructions"],
            8 * one["warp_instructions"].get<std::int64_t>());  // together, then in turn
  // It is long as a whole, though none of its steps is.
  const Json sampled = foretold({"--fidelity", "sampled"});
  ASSERT_LT(sampled["expected_wall_s"], one["expected_wall_s"]);
  EXPECT_EQ(foretold({"--fidelity", "auto"})["expected_wall_s"], sampled["expected_wall_s"]);
  EXPECT_GT(foretold({"--fidelity", "sampled", "--no-reuse"})["expected_sampled_s"],
            sampled["expected_sampled_s"]);
}

TEST_F(NetworkRun, StreamsShareTheMachine) {
  const Json run = NetworkRun::run({"--streams", "2"});
  ASSERT_EQ(run["instance_end_us"].size(), 2U);
  const double together_us = run["together_us"];
  const double in_turn_us = run["in_turn_us"];
  EXPECT_EQ(std::ranges::max(run["instance_end_us"].get<std::vector<double>>()), together_us);
  EXPECT_LT(together_us, in_turn_us);  // launch overheads overlap at least
  EXPECT_GT(together_us, in_turn_us / 2);
  EXPECT_DOUBLE_EQ(run["gain"].get<double>(), in_turn_us / together_us);
}

TEST_F(NetworkRun, StreamsDoNotDependOnHostThreads) {
  Json one = run({"--streams", "2", "-j", "1"});
  Json four = run({"--streams", "2", "-j", "4"});
  one.erase("simulation");
  four.erase("simulation");
  EXPECT_EQ(one, four);
}

TEST_F(NetworkRun, OfStreamsHasNoReport) {
  ASSERT_EQ(tcsim({"run", "net:lenet", "-m", "lab-tiny", "--streams", "2", "-o", "both"}).status,
            0);
  ASSERT_EQ(tcsim({"run", "net:lenet", "-m", "lab-tiny", "-o", "one"}).status, 0);
  const std::vector<std::vector<std::string>> commands{{"show", "both"},
                                                       {"compare", "both", "both"},
                                                       {"compare", "both", "one"},
                                                       {"compare", "one", "both"}};
  for (const std::vector<std::string>& words : commands) {
    const ChildResult refused = tcsim(words);
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.errors, HasSubstr("both: holds a run of instances that share the machine"));
  }
}

/// A language model of one layer.
void write_writer() {
  std::ofstream("writer.yaml") << "name: writer\ninput: {tokens: 16}\nlayers:\n"
                                  "  - {name: words, op: embedding, vocabulary: 128, out: 64}\n"
                                  "  - {name: qkv, op: linear, out: 192}\n"
                                  "  - {name: attention, op: attention, heads: 2, causal: true}\n"
                                  "  - {name: logits, op: linear, out: 128}\n";
}

TEST_F(NetworkRun, StreamsSayWhatRan) {
  write_writer();
  std::vector<std::string> words{
      "run", "net:writer.yaml", "-m", "lab-tiny", "--streams", "2",  "--pass", "decode", "--tokens",
      "32",  "--batch",         "3",  "-q",       "-o",        "out"};
  const ChildResult result = tcsim(words);
  ASSERT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.output,
              StartsWith("writer, batch 3, after 31 tokens, fp16, decode, 2 instances on "
                         "lab-tiny\n"));
  EXPECT_THAT(result.output, HasSubstr("  samples/s  tokens/s\n"));
  const Json json = Json::parse(text_of("out/streams.json"));
  EXPECT_EQ(json["tokens"], 1);
  EXPECT_EQ(json["context_tokens"], 32);
  EXPECT_EQ(json["kv_cache"], "whole");
  EXPECT_EQ(json["clock_mhz"], 1410);
  EXPECT_DOUBLE_EQ(json["tokens_per_s"].get<double>(), 6e6 / json["together_us"].get<double>());
}

// While GPUs exchange data, boards draw what they draw whatever runs.
TEST_F(NetworkRun, TakesEnergyAndPowerOverAllStepsOfAllGpus) {
  std::ofstream("pair.yaml") << "name: pair\ninput: {tokens: 16, c: 128}\nlayers:\n"
                                "  - {name: expand, op: linear, out: 512}\n"
                                "  - {name: gelu, op: gelu}\n"
                                "  - {name: contract, op: linear, out: 128}\n";
  const auto of_pair = [](std::vector<std::string> more) {
    more.insert(more.begin(), {"run", "net:pair.yaml", "-m", "a100", "--gpus", "2", "--batch", "4",
                               "-q", "--no-files"});
    return tcsim(more);
  };
  const ChildResult result = of_pair({"-f", "json"});
  ASSERT_EQ(result.status, 0) << result.errors;
  const Json pair = Json::parse(result.output);
  ASSERT_GT(pair["collectives"]["count"], 0);
  double energy_j = 0;
  for (const Json& step : pair["steps"]) {
    const Json& of_step = step["result"]["energy"];
    energy_j += of_step["energy_j"].get<double>();
    if (step["result"].contains("collective")) {
      EXPECT_EQ(of_step["power_w"], 54);  // energy.constant_w
    }
  }
  EXPECT_DOUBLE_EQ(pair["energy"]["energy_j"], energy_j);
  const double power_w = energy_j / pair["time_us"].get<double>() * 1e6;
  EXPECT_DOUBLE_EQ(pair["energy"]["power_w"], power_w);
  const Json& metrics = pair["metrics"];
  EXPECT_DOUBLE_EQ(metrics["energy_per_sample_j"]["value"], 2 * energy_j / 4);
  EXPECT_DOUBLE_EQ(metrics["dram_bytes_per_sample"]["value"],
                   2 * pair["dram_bytes"].get<double>() / 4);
  // The clock is that of the same mean: a limit that the report sees kept needs no other one.
  const std::string limit = fmt::format("energy.limit_w={}", power_w + 0.5);
  EXPECT_THAT(of_pair({"--set", limit}).output, Not(HasSubstr("add --clock power")));
  const Json held = Json::parse(of_pair({"--set", limit, "--clock", "power", "-f", "json"}).output);
  EXPECT_EQ(held["clock_mhz"], pair["clock_mhz"]);
}

TEST_F(NetworkRun, EveryFigureOfSeveralGpusSaysWhoseItIs) {
  std::ofstream("pair.yaml") << "name: pair\ninput: {tokens: 16, c: 128}\nlayers:\n"
                                "  - {name: expand, op: linear, out: 512}\n"
                                "  - {name: gelu, op: gelu}\n"
                                "  - {name: contract, op: linear, out: 128}\n";
  const auto of_pair = [](const std::string& gpus) {
    const ChildResult result =
        tcsim({"run", "net:pair.yaml", "-m", "a100", "--gpus", gpus, "-q", "-o", gpus});
    EXPECT_EQ(result.status, 0) << result.errors;
    return result.output;
  };
  const std::string screen = of_pair("2");
  for (const char* words :
       {" TFLOPS per GPU (", " MB to and from DRAM per GPU; ", " J per GPU, ", "  TFLOPS per GPU  ",
        "samples and tokens are those of all 2 GPUs together; 1 collective operation of "})
    EXPECT_THAT(screen, HasSubstr(words));
  const std::string report = tcsim({"show", "2"}).output;
  for (const char* label :
       {"time ", "samples per s ", "energy per sample j ", "dram bytes per sample "})
    EXPECT_THAT(report, ContainsRegex("\n" + std::string(label) + " .* all 2 GPUs\n"));
  for (const char* label : {"network tflops ", "network peak fraction ", "network intensity "})
    EXPECT_THAT(report, ContainsRegex("\n" + std::string(label) + " .* one GPU\n"));
  EXPECT_THAT(report, HasSubstr("\n1 collective operation with "));
  EXPECT_THAT(tcsim({"show", "2", "--section", "energy"}).output,
              HasSubstr("Figures of one of the 2 GPUs.\n"));
  EXPECT_THAT(of_pair("1"), Not(HasSubstr("GPU")));
  EXPECT_THAT(tcsim({"show", "1", "--section", "verdict"}).output, Not(HasSubstr("GPU")));
  EXPECT_THAT(tcsim({"compare", "1", "2"}).output, HasSubstr("of all GPUs together"));
}

TEST_F(NetworkRun, RecordsNameTheMachineAndWhatIsChangedOfIt) {
  const std::vector<std::string> words{
      "run", "net:lenet", "-m", "lab-tiny", "--set", "clocks.sm_mhz=1000",
      "-f",  "csv",       "-q", "-o",       "out"};
  const ChildResult result = tcsim(words);
  ASSERT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.output, StartsWith("machine,overrides,gpus,layer,part,"));
  EXPECT_THAT(result.output, HasSubstr("\nlab-tiny,clocks.sm_mhz=1000,1,c1,forward,"));
  EXPECT_THAT(text_of("out/layers.csv"), StartsWith("layer,part,"));
}

TEST_F(NetworkRun, TitlesHaveTheNameOfAMachineFile) {
  std::filesystem::create_directory("inputs");
  std::ofstream("inputs/changed-2982.yaml") << "base: lab-tiny\nname: changed\n";
  EXPECT_THAT(
      tcsim({"run", "net:lenet", "-m", "inputs/changed-2982.yaml", "-q", "--no-files"}).output,
      HasSubstr("forward, on changed\n"));
  EXPECT_THAT(tcsim({"run", "net:lenet", "-m", "inputs/changed-2982.yaml", "-q", "--no-files",
                     "--streams", "2"})
                  .output,
              HasSubstr("2 instances on changed\n"));
}

TEST_F(NetworkRun, DrawsRooflineAndTimelineInTheTerminal) {
  const ChildResult drawn =
      tcsim({"run", "net:lenet", "-m", "lab-tiny", "-q", "--no-files", "--plot", "ascii"});
  ASSERT_EQ(drawn.status, 0) << drawn.errors;
  EXPECT_THAT(drawn.output, HasSubstr("\nRoofline\n========\n"));
  EXPECT_THAT(drawn.output, HasSubstr("\nTimeline\n========\n"));
  const auto mistake_of = [](std::vector<std::string> more) {
    more.insert(more.begin(), {"run", "-m", "lab-tiny", "-q", "--no-files", "--plot", "ascii"});
    const ChildResult result = tcsim(more);
    EXPECT_EQ(result.status, kUserMistake);
    return result.errors;
  };
  EXPECT_THAT(mistake_of({"net:lenet", "--streams", "2"}),
              HasSubstr("--plot draws one instance; it cannot be combined with --streams"));
  EXPECT_THAT(mistake_of({"net:lenet", "-m", "v100"}), HasSubstr("several are given"));
  std::ofstream("list.csv") << "op,dtype_in,dtype_acc,params\ngemm,fp16,fp32,m=8;n=8;k=8\n";
  EXPECT_THAT(mistake_of({"csv:list.csv"}),
              HasSubstr("--plot is for one workload on one machine; this is a list"));
}

TEST_F(NetworkRun, WritesItsFiles) {
  const ChildResult result =
      tcsim({"run", "net:lenet", "-m", "lab-tiny", "--batch", "2", "--precision", "amp"});
  ASSERT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("lenet, batch 2, amp, forward, on lab-tiny"));
  EXPECT_THAT(result.output, HasSubstr("61,706 parameters"));
  EXPECT_THAT(text_of("run-0001/layers.csv"), HasSubstr("\nc1,forward,"));
  EXPECT_THAT(text_of("run-0001/kernels.csv"), HasSubstr("\nf6,forward,"));
  EXPECT_EQ(Json::parse(text_of("run-0001/network.json"))["macs_per_sample"], 416520);
}

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
  EXPECT_THAT(missing.errors, HasSubstr("none: is not the directory of a run"));
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

TEST_F(NetworkRun, NamesMistakes) {
  const ChildResult precision =
      tcsim({"run", "net:lenet", "-m", "lab-tiny", "--precision", "fp17"});
  EXPECT_EQ(precision.status, 2);
  EXPECT_THAT(precision.errors, HasSubstr("--precision: 'fp17' is not one of fp32, tf32"));
  EXPECT_EQ(tcsim({"run", "net:lenet", "-m", "lab-tiny", "--warm-l2"}).status, 2);
  EXPECT_EQ(tcsim({"run", "net:lenet", "-m", "lab-tiny", "--streams", "9"}).status, 2);
  EXPECT_EQ(tcsim({"run", "gemm:64", "-m", "lab-tiny", "--streams", "2"}).status, 2);
  EXPECT_EQ(tcsim({"run", "gemm:64", "-m", "lab-tiny", "--batch", "2"}).status, 2);
  EXPECT_EQ(tcsim({"run", "net:none/such.yaml", "-m", "lab-tiny"}).status, 5);
  const ChildResult training =
      tcsim({"run", "net:lenet", "-m", "lab-tiny", "--precision", "int8", "--pass", "training"});
  EXPECT_EQ(training.status, 3);
}

TEST_F(NetworkRun, RunsWhatWasImported) {
  std::ofstream("layers.csv") << "Layer,M,N,K,\nfirst,64,32,16,\n";
  const ChildResult imported = tcsim({"import", "scalesim", "layers.csv", "-o", "net.yaml"});
  ASSERT_EQ(imported.status, 0) << imported.errors;
  EXPECT_THAT(imported.output, HasSubstr("kept: 2 layers, 512 parameters, "));
  EXPECT_THAT(imported.output, HasSubstr("changed: left out commas at line ends (2 times)"));
  EXPECT_EQ(tcsim({"run", "net:net.yaml", "-m", "lab-tiny", "--no-files"}).status, 0);
}

TEST_F(NetworkRun, SaysThatTheShareOfWhatWasSkippedIsUnknown) {
  std::ofstream("list.csv") << "op,dtype_in,dtype_acc,params\ngemm,fp16,fp32,m=64;n=32;k=16\n"
                               "attention_fwd_bwd,bf16,fp32,b=3;heads=2\n";
  const ChildResult imported = tcsim({"import", "csv", "list.csv", "-o", "net.yaml"});
  ASSERT_EQ(imported.status, 0) << imported.errors;
  EXPECT_THAT(imported.output, HasSubstr("G multiply-adds per sample (share unknown)\n"));
  EXPECT_THAT(imported.output, HasSubstr("skipped: attention_fwd_bwd 'row2', share unknown\n"));
  const ChildResult run = tcsim({"run", "net:net.yaml", "-m", "lab-tiny", "--no-files", "-q"});
  EXPECT_THAT(run.output, HasSubstr("not simulated: attention_fwd_bwd row2 (share unknown)\n"));
}

}  // namespace
}  // namespace tcsim::cli
