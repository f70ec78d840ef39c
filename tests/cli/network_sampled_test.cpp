#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/network_run.hpp"

namespace tcsim::cli {
namespace {

using ::testing::EndsWith;

using SampledNetwork = NetworkRun;

TEST_F(SampledNetwork, ReuseChangesNoFigure) {
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
TEST_F(SampledNetwork, SampledTellsLikeStepsFromEachOther) {
  std::ofstream("repeated.yaml") << "name: repeated\ninput: {tokens: 64, c: 256}\n"
                                    "blocks:\n  b: {layers: [{name: l, op: linear, out: 256}]}\n"
                                    "layers:\n  - {name: x, block: b, repeat: 12}\n";
  const Json exact = run({"--set", "l2.bytes=2097152"});
  const Json sampled = run({"--set", "l2.bytes=2097152", "--fidelity", "sampled"});
  EXPECT_EQ(exact["reused_steps"], 0);
  EXPECT_FALSE(exact.contains("sampling"));
  ASSERT_GE(sampled["sampling"]["told_steps"].get<int>(), 4);
  EXPECT_EQ(sampled["fidelity"], "sampled");
  EXPECT_EQ(sampled["sampling"]["requested_error"], 0.02);
  const double half_width = sampled["sampling"]["half_width"].get<double>();
  EXPECT_LE(half_width, 0.02);
  const double time_us = exact["time_us"].get<double>();
  EXPECT_NEAR(sampled["time_us"].get<double>(), time_us, (half_width + 1e-9) * time_us);
  const double dram = exact["dram_bytes"].get<double>();
  EXPECT_NEAR(sampled["dram_bytes"].get<double>(), dram, 0.05 * dram);
}

TEST_F(SampledNetwork, RecordsSayWhichStepsAreToldAndHowSurely) {
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
TEST_F(SampledNetwork, SampledKnowsWhatDirtyLinesCost) {
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
TEST_F(SampledNetwork, SampledWritesBackWhatEveryStepDoes) {
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
TEST_F(SampledNetwork, ToldStepsWriteNoLessThanNothing) {
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

TEST_F(SampledNetwork, ToldStepsTakeTheEnergyOfTheirOwnBytes) {
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

TEST_F(SampledNetwork, IsForetoldAsItRuns) {
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

}  // namespace
}  // namespace tcsim::cli
