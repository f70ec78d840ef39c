#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "sim/errors/errors.hpp"
#include "tests/cli/network_run.hpp"

namespace tcsim::cli {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

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
  for (const std::string line : {"128", "256"}) {
    const ChildResult result =
        tcsim({"run", "net:kept.yaml", "-m", "lab-tiny", "--set", "l2.line_bytes=" + line, "--set",
               "sm.l1.line_bytes=" + line, "--set", "sm.instruction_fetch.line_bytes=" + line,
               "--set", "sm.l1.ways=16", "-f", "json", "--no-files", "-q"});
    ASSERT_EQ(result.status, 0) << result.errors;
    const Json second = Json::parse(result.output)["steps"][1]["result"];
    EXPECT_EQ(second["memory"]["dram_read_bytes"], 0) << line;
  }
}

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

/// Q, K and V are three tensors or one. The other parts of that one are in the L2 too.
TEST_F(NetworkRun, FindsThePartsOfATensorThatAStepUsesInTheL2) {
  const std::string head = "input: {tokens: 64, c: 64}\nlayers:\n";
  std::ofstream("joined.yaml") << "name: joined\n" + head +
                                      "  - {name: qkv, op: linear, out: 192, bias: false}\n"
                                      "  - {name: att, op: attention, heads: 1}\n";
  std::ofstream("separate.yaml")
      << "name: separate\n" + head +
             "  - {name: q, op: linear, out: 64, bias: false}\n"
             "  - {name: k, op: linear, out: 64, bias: false, from: input}\n"
             "  - {name: v, op: linear, out: 64, bias: false, from: input}\n"
             "  - {name: att, op: attention, heads: 1, from: [q, k, v]}\n";
  std::ofstream("last.yaml") << "name: last\n" + head +
                                    "  - {name: up, op: linear, out: 256, bias: false}\n"
                                    "  - {name: last, op: last_token}\n"
                                    "  - {name: fc, op: linear, out: 64, bias: false}\n";
  const auto bytes_read = [](const std::string& network, const std::string& layer) {
    const ChildResult result =
        tcsim({"run", "net:" + network + ".yaml", "-m", "lab-tiny", "--precision", "fp32",
               "--batch", "2", "-f", "json", "--no-files", "-q"});
    EXPECT_EQ(result.status, 0) << result.errors;
    std::vector<int> bytes;
    const Json run = Json::parse(result.output);
    for (const Json& step : run["steps"])
      if (step["layer"] == layer)
        bytes.push_back(step["result"]["memory"]["dram_read_bytes"].get<int>());
    return bytes;
  };
  EXPECT_EQ(bytes_read("separate", "att"), (std::vector{0, 0, 0}));
  EXPECT_EQ(bytes_read("joined", "att"), (std::vector{0, 0, 0}));
  EXPECT_EQ(bytes_read("last", "fc"), (std::vector{256 * 64 * 4})) << "its weights";
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
  const double delay_js = energy_j * pair["time_us"].get<double>() / 1e6;
  EXPECT_DOUBLE_EQ(pair["energy"]["energy_delay_js"], delay_js);
  EXPECT_DOUBLE_EQ(metrics["network_energy_delay_js"]["value"], 2 * delay_js);
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
