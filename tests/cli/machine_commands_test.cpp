#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "sim/cli/check_command.hpp"
#include "sim/cli/machine_command.hpp"
#include "sim/cli/peak_command.hpp"
#include "sim/config/load.hpp"
#include "tests/cli/command_output.hpp"
#include "tests/config/machine_text.hpp"
#include "tests/sanitizers.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/text_of.hpp"

namespace tcsim::cli {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;
using testing::StartsWith;

/// Standard output of `tcsim` with `words`.
std::string machine_output(const std::vector<std::string>& words) {
  return output_of(words, [](CLI::App& app, int& status) {
    add_machine_command(app, status);
    add_peak_command(app, status);
    add_check_command(app, status);
  });
}

std::string mistake_of(const std::vector<std::string>& words) {
  return test::refusal([&] { machine_output(words); });
}

TEST(PeakCommand, PrintsTheRatesAsJson) {
  const Json peak = Json::parse(machine_output({"peak", "v100", "-f", "json"}));
  EXPECT_EQ(peak["machine"], "v100-sxm2");
  EXPECT_EQ(peak["clock_mhz"], 1530);
  EXPECT_NEAR(peak["dram_gb_per_s"].get<double>(), 898, 0.1);
  EXPECT_EQ(peak["l2_bytes_per_cycle"], 2048);
  const Json& first = peak["rates"][0];
  EXPECT_EQ(first["unit"], "tensor");
  EXPECT_EQ(first["dtype"], "fp16");
  EXPECT_EQ(first["acc"], "fp32");
  EXPECT_FALSE(first["sparse"].get<bool>());
  EXPECT_TRUE(first["supported"].get<bool>());
  EXPECT_NEAR(first["tera_ops_per_s"].get<double>(), 125.3, 0.05);
  EXPECT_FALSE(peak["ridge_points"].empty());
}

TEST(PeakCommand, SaysNotSupportedWithNullAndNeverWithZero) {
  const Json peak = Json::parse(machine_output({"peak", "v100", "-f", "json", "--dtype", "int8"}));
  ASSERT_EQ(peak["rates"].size(), 3U);
  for (const Json& rate : peak["rates"]) {
    const bool supported = rate["unit"] == "cuda-core";
    EXPECT_EQ(rate["supported"].get<bool>(), supported);
    EXPECT_EQ(rate["tera_ops_per_s"].is_null(), !supported);
  }
  EXPECT_THAT(machine_output({"peak", "v100", "--dtype", "int8"}),
              HasSubstr("tensor     int8   int32  dense  not supported\n"));
}

TEST(PeakCommand, PrintsTheMultiplicationForPeople) {
  const std::string text = machine_output({"peak", "v100"});
  EXPECT_THAT(text, StartsWith("v100-sxm2 at 1530 MHz."));
  EXPECT_THAT(text, HasSubstr("80 SMs x 8 tensor cores x 64 FMA x 2 x 1.53 GHz = 125.3 TFLOPS\n"));
  EXPECT_THAT(text, HasSubstr("dram     898 GB/s"));
}

TEST(PeakCommand, WritesCsvWithEmptyCellsForWhatIsNotSupported) {
  const std::string csv = machine_output({"peak", "p100", "-f", "csv"});
  EXPECT_THAT(csv, StartsWith("unit,dtype,acc,kind,tera_ops_per_s,ops_per_dram_byte,formula\n"
                              "tensor,fp16,fp32,dense,,,\n"));
  EXPECT_THAT(csv, HasSubstr("cuda-core,fp32,fp32,dense,10.60864,"));
}

TEST(PeakCommand, TakesSettings) {
  const Json peak =
      Json::parse(machine_output({"peak", "v100", "--set", "clocks.sm_mhz=1380", "-f", "json"}));
  EXPECT_NEAR(peak["rates"][0]["tera_ops_per_s"].get<double>(), 113.05, 0.01);
  EXPECT_EQ(mistake_of({"peak", "v100", "--set", "clocks.sm_mhz=x", "--set", "clocks.sm=1"}),
            "--set #1: clocks.sm_mhz: expected an integer, got 'x'\n"
            "--set #2: clocks.sm: unknown key");
}

TEST(PeakCommand, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(mistake_of({"peak"}), "peak: no machine given; write tcsim peak MACHINE");
  EXPECT_EQ(mistake_of({"peak", "a100", "v100"}),
            "peak: several machines given; write tcsim peak MACHINE");
  EXPECT_EQ(mistake_of({"peak", "a100", "--dtype", "fp61"}),
            "--dtype: 'fp61' is not one of fp16, bf16, tf32, fp8, int8, int4, b1, fp64, fp32; did "
            "you mean \"fp16\"?");
  EXPECT_EQ(mistake_of({"peak", "a100", "-f", "xml"}),
            "--format: 'xml' is not one of text, json, csv, md");
  EXPECT_THROW(machine_output({"peak", "./none.yaml"}), IoError);
}

/// Processor time, so that a busy host cannot fail it.
TEST(PeakCommand, AnswersInLessThanFiftyMilliseconds) {
  if (kHasAddressSanitizer) GTEST_SKIP() << "a sanitizer slows it down";
  const std::clock_t start = std::clock();
  machine_output({"peak", "a100"});
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 0.05);
}

TEST(MachineList, HasOneLinePerMachine) {
  const std::string text = machine_output({"machine", "list"});
  const auto machines = static_cast<std::ptrdiff_t>(config::machine_names().size());
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), machines + 1);
  EXPECT_THAT(text,
              HasSubstr("p100       GP100  pascal        56   1480    not supported       732"));
  const Json list = Json::parse(machine_output({"machine", "list", "-f", "json"}));
  ASSERT_EQ(list.size(), config::machine_names().size());
  EXPECT_EQ(list[0]["machine"], "a100");
  for (const Json& machine : list)
    EXPECT_EQ(machine["fp16_tensor_tflops"].is_null(), machine["machine"] == "p100");
}

TEST(MachineShow, NamesOriginAndSourceOfEachValue) {
  const std::string csv =
      machine_output({"machine", "show", "a100", "--set", "l2.ways=32", "-f", "csv"});
  EXPECT_THAT(csv, HasSubstr("\nl2.ways,32,,'--set #1,\n"));
  EXPECT_THAT(csv, HasSubstr("\ngpu.sms,108,,line 27,WP-A100\n"));
  const Json show = Json::parse(machine_output({"machine", "show", "a100", "-f", "json"}));
  EXPECT_EQ(show["machine"], "a100-sxm4-40gb");
  const auto lists = std::find_if(show["settings"].begin(), show["settings"].end(),
                                  [](const Json& row) { return row["key"] == "gpu.sms_per_gpc"; });
  ASSERT_NE(lists, show["settings"].end());
  EXPECT_EQ((*lists)["value"], Json::parse("[16,16,16,16,16,14,14]"));
  EXPECT_EQ((*lists)["origin"], "file");
}

TEST(MachineExplain, RefusesKeysOfInstructionsThatAreNone) {
  for (const char* key :
       {"sm.tensor.instructions.HMMA.16816.F33.latency_cycles",
        "sm.tensor.instructions.latency_cycles", "sm.tensor.instructions..latency_cycles"}) {
    const ChildResult result = tcsim({"machine", "explain", key});
    EXPECT_EQ(result.status, 2) << key;
    EXPECT_THAT(result.errors, StartsWith(std::string(key) + ": ")) << key;
  }
}

TEST(MachineExplain, TellsAKeyAndItsValues) {
  const std::string text =
      machine_output({"machine", "explain", "sm.shared_memory.load_latency_cycles"});
  EXPECT_THAT(
      text, StartsWith("sm.shared_memory.load_latency_cycles\n  Conflict-free 32-bit LDS: issue to "
                       "dependent issue.\n  integer, cycles, 1 to 1000; read by sm\n\nmachine    "
                       "value  source\na100       23     SUN22, ABD22, measured; 29 in LUO25\n"));
  EXPECT_THAT(
      machine_output(
          {"machine", "explain", "sm.tensor.instructions.HMMA.16816.F32.latency_cycles"}),
      HasSubstr(
          "16 x 8 x 16: 2048 multiply-adds over 256 per cycle of 1 core = 8 cycles; 4 + 2 + 4 "
          "registers occupy the ports for 5 cycles; minimum interval 1 -> issue interval 8, 8 for "
          "the "
          "same warp; sm.tensor.fp16_macs binds; latency 25 = interval + 17 of pipeline"));
  EXPECT_THAT(machine_output({"machine", "explain", "descriptive.tdp_w"}),
              HasSubstr("read by no model (descriptive)"));
}

TEST(MachineExplain, PrintsTheReferenceOfTheDocumentation) {
  EXPECT_THAT(test::text_of(TCSIM_DOCS "/machines.md"),
              HasSubstr(machine_output({"machine", "explain", "-f", "md"})))
      << "docs/machines.md is old; write its table of keys anew: tcsim machine explain -f md";
}

TEST(MachineExplain, TellsAnInstructionInEveryFormat) {
  const auto told = [](const char* format) {
    return machine_output(
        {"machine", "explain", "sm.tensor", "HMMA.16816.F32", "-m", "a100", "-f", format});
  };
  EXPECT_THAT(told("text"), StartsWith("HMMA.16816.F32 on a100-sxm4-40gb: 2048 multiply-adds"));
  EXPECT_EQ(Json::parse(told("json"))[0]["macs"], 2048);
  EXPECT_THAT(told("csv"), StartsWith("machine,quantity,value\n"));
  EXPECT_THAT(told("csv"), HasSubstr("\na100-sxm4-40gb,derived.pass,8x4x8\n"));
  EXPECT_THAT(told("md"), HasSubstr("a100-sxm4-40gb | macs | 2048 |"));
}

TEST(MachineExplain, TellsSectionsInstructionsAndEverything) {
  EXPECT_THAT(machine_output({"machine", "explain", "sm.barrier"}),
              HasSubstr("sm.barrier.per_warp_cycles"));
  const Json instruction = Json::parse(machine_output(
      {"machine", "explain", "sm.tensor.instructions.DMMA.884.latency_cycles", "-f", "json"}));
  const Json& derivation = instruction["values"][0]["derivation"];
  EXPECT_EQ(derivation["macs"], 256);
  EXPECT_EQ(derivation["macs_per_cycle_per_sub_core"], 16);
  EXPECT_EQ(derivation["rate_cycles"], 16);
  EXPECT_EQ(derivation["operand_registers"], 8);
  EXPECT_EQ(instruction["values"][0]["value"], 26);
  const Json all = Json::parse(machine_output({"machine", "explain", "-f", "json"}));
  EXPECT_GT(all.size(), 130U);
}

TEST(MachineExplain, RefusesAnUnknownKey) {
  EXPECT_EQ(mistake_of({"machine", "explain", "l2.wayz"}),
            "l2.wayz: unknown key; did you mean \"l2.ways\"?");
  EXPECT_EQ(mistake_of({"machine", "explain", "max_warps"}),
            "max_warps: unknown key; did you mean \"sm.residency.max_warps\"?");
}

TEST(MachineDiff, ListsTheKeysThatDiffer) {
  const Json diff =
      Json::parse(machine_output({"machine", "diff", "a100", "a100-80gb", "-f", "json"}));
  std::vector<std::string> keys;
  for (const Json& row : diff["differences"]) keys.push_back(row["key"]);
  EXPECT_THAT(
      keys, testing::ElementsAre("name", "description", "descriptive.memory_type",
                                 "descriptive.memory_gb", "descriptive.base_mhz",
                                 "descriptive.measured_as", "clocks.memory_mhz", "dram.t_rtw_ns"));
  EXPECT_EQ(diff["differences"][5]["b"][0], "A100-80GB");
  EXPECT_EQ(diff["differences"][6]["a"], 1215);
  EXPECT_EQ(diff["differences"][6]["b"], 1593);
  EXPECT_EQ(machine_output({"machine", "diff", "t4", "t4"}), "t4 and t4 agree in every key\n");
}

TEST(MachineDiff, ShowsInstructionsThatOneMachineLacks) {
  const std::string csv = machine_output({"machine", "diff", "v100", "t4", "-f", "csv"});
  EXPECT_THAT(
      csv, HasSubstr("sm.tensor.instructions.HMMA.884.F32.F32.STEP0.latency_cycles,10,-,cycles\n"));
  EXPECT_THAT(csv, HasSubstr("sm.tensor.instructions.HMMA.1688.F32.latency_cycles,-,14,cycles\n"));
}

TEST(MachineSchema, IsJson) {
  EXPECT_EQ(Json::parse(machine_output({"machine", "schema"}))["type"], "object");
}

TEST(MachineCommand, AsksForItsWords) {
  EXPECT_EQ(
      mistake_of({"machine"}),
      "machine: nothing given; write tcsim machine list, show, new, explain, area, schema or diff");
  EXPECT_EQ(mistake_of({"machine", "show"}),
            "machine show: nothing given; write tcsim machine show MACHINE");
  EXPECT_EQ(mistake_of({"machine", "diff", "a100"}),
            "machine diff: 1 word given; write tcsim machine diff A B");
}

TEST(CheckCommand, NamesTheSoundFilesAndCountsTheirValues) {
  const std::string file = std::string(TC_TEST_SOURCE) + "/configs/a100.yaml";
  const std::size_t values = config::read_machine(file).settings.size();
  EXPECT_THAT(machine_output({"check", file}),
              StartsWith(file + ": machine a100-sxm4-40gb, " + std::to_string(values) +
                         " values, no mistakes\n"));
}

TEST(CheckCommand, KnowsFilesByTheirKeys) {
  const test::TemporaryHome home;
  const auto check = [](const std::string& file, const std::string& text) {
    std::ofstream(file) << text;
    return machine_output({"check", file});
  };
  const std::string network = "name: n\ninput: {tokens: 8, c: 8}\nlayers:\n  - {name: a, op: ";
  EXPECT_EQ(check("n.yaml", network + "relu}\n"), "n.yaml: network n, 1 layer, no mistakes\n");
  EXPECT_EQ(
      check("s.yaml", "name: s\nmachines: [lab-tiny]\nworkloads: [\"gemm:64\", \"gemm:32\"]\n"),
      "s.yaml: sweep s, 2 points, no mistakes\n");
  EXPECT_EQ(check("l.csv", "op,dtype_in,dtype_acc,params\ngemm,fp16,fp32,m=8;n=8;k=8\n"),
            "l.csv: list of 1 workload, no mistakes\n");
  EXPECT_EQ(machine_output({"check", "csv:l.csv"}), "csv:l.csv: list of 1 workload, no mistakes\n");
  ASSERT_EQ(std::system("gzip l.csv"), 0);
  EXPECT_EQ(machine_output({"check", "l.csv.gz"}), "l.csv.gz: list of 1 workload, no mistakes\n");
  EXPECT_EQ(check("r.json", "{\"workload\": \"gemm:64\", \"machine\": \"v100\"}\n"),
            "r.json: request of gemm:64, no mistakes\n");
  const std::string library = std::string(TC_TEST_SOURCE) + "/configs/libraries/cutlass-3.yaml";
  EXPECT_EQ(machine_output({"check", library}), library + ": library cutlass-3, no mistakes\n");
  EXPECT_EQ(check("own.yaml", "base: cublas-ampere\nname: own\n"),
            "own.yaml: library own, no mistakes\n");
  EXPECT_EQ(check("more.yaml", "base: own.yaml\nname: more\n"),
            "more.yaml: library more, no mistakes\n");
  EXPECT_THAT(check("m.yaml", "base: a100\nname: m\n"), StartsWith("m.yaml: machine m, "));
  EXPECT_THAT(machine_output({"check", "net:lenet"}), StartsWith("net:lenet: network lenet, "));
  std::ofstream("bad.yaml") << network << "reluu}\n";
  EXPECT_THAT(mistake_of({"check", "bad.yaml"}),
              StartsWith("bad.yaml:4:19: layers.op: 'reluu' is not one of"));
  EXPECT_EQ(mistake_of({"check", "m.onnx"}), "m.onnx: an ONNX model; tcsim import onnx reads it");
  std::ofstream("make.py") << "print(1)\n";
  EXPECT_EQ(mistake_of({"check", "make.py"}),
            "make.py: no file that tcsim check reads; those end in .yaml, .yml, .json or .csv");
  EXPECT_THAT(mistake_of({"check", "makes.py"}), StartsWith("makes.py: no such machine"));
  std::ofstream("stats.json") << R"({"schema_version": 1, "workload": "gemm:64", "kernels": []})";
  EXPECT_EQ(mistake_of({"check", "stats.json"}),
            "stats.json: a result of a run; tcsim show reads it");
  std::ofstream("lab.yaml") << "lab: 1\ntitle: x\n";
  EXPECT_EQ(mistake_of({"check", "lab.yaml"}),
            "lab.yaml: a lab; tcsim lab list and tcsim lab start read it");
  std::ofstream("plan.json") << R"({"schema_version": 1, "spec": "name: a", "points": []})";
  EXPECT_EQ(mistake_of({"check", "plan.json"}),
            "plan.json: a plan of a sweep; tcsim sweep status reads it");
}

TEST(CheckCommand, NamesTheKeysThatCannotActAndThoseThatBind) {
  const std::string text = machine_output({"check", "h100"});
  EXPECT_THAT(text,
              HasSubstr("\n  note: sm.tensor.fp16_macs = 512 does not bind on HMMA.1688.F32, "));
  EXPECT_THAT(text, HasSubstr("sm.tensor.operand_registers_per_cycle or sm"));
  EXPECT_THAT(text, HasSubstr("HMMA.16816.F32: 6 cycles >= 4"));
  EXPECT_THAT(machine_output({"check", "a100"}),
              Not(HasSubstr("sm.tensor.fp16_macs = 256 does not bind:")));
}

TEST(MachineExplain, TellsOnWhichMachinesAKeyDoesNotAct) {
  const std::string text = machine_output({"machine", "explain", "sm.tensor.fp16_macs"});
  EXPECT_THAT(text, HasSubstr("\nh100: 512 does not bind on HMMA.1688.F32, "));
  EXPECT_THAT(text, Not(HasSubstr("\na100: 256 does not bind:")));
  const Json values = Json::parse(
      machine_output({"machine", "explain", "sm.tensor.fp16_macs", "-f", "json"}))["values"];
  const auto of = [&](const char* machine) {
    return *std::ranges::find_if(values,
                                 [&](const Json& row) { return row["machine"] == machine; });
  };
  EXPECT_TRUE(of("v100")["does_not_act"].empty());
  EXPECT_EQ(of("h100")["does_not_act"].size(), 1U);
}

class BadFiles : public testing::Test {
 protected:
  void SetUp() override {
    write(first_, config::edited(config::plain_a100(), {{"max_ctas: 32", "max_ctas: x"}}));
    write(second_, config::edited(config::plain_a100(), {{"sub_cores: 4", "sub_cores: y"}}));
  }
  static void write(const std::string& file, const std::string& text) {
    std::ofstream stream(file);
    stream << text;
  }
  static std::string line(const std::string& piece) {
    return ":" + std::to_string(config::line_of(config::plain_a100(), piece));
  }
  const test::TemporaryDirectory folder_;
  const std::string first_ = (folder_.path() / "first.yaml").string();
  const std::string second_ = (folder_.path() / "second.yaml").string();
};

TEST_F(BadFiles, AreAllReportedInOneRun) {
  EXPECT_EQ(mistake_of({"check", first_, "a100", second_}),
            first_ + line("max_ctas") +
                ":15: sm.residency.max_ctas: expected an integer, got 'x'\n" + second_ +
                line("sub_cores") + ":14: sm.sub_cores: expected an integer, got 'y'");
}

TEST_F(BadFiles, OutweighFilesThatCannotBeRead) {
  EXPECT_EQ(mistake_of({"check", "./none.yaml", first_}),
            first_ + line("max_ctas") +
                ":15: sm.residency.max_ctas: expected an integer, got 'x'\n./none.yaml: cannot "
                "read: No such file or directory");
  EXPECT_THROW(machine_output({"check", "./none.yaml"}), IoError);
  EXPECT_EQ(mistake_of({"check"}), "check: no file given; write tcsim check FILE...");
}

TEST(MachineArea, AddsUpToTheDie) {
  const Json area = Json::parse(machine_output({"machine", "area", "v100", "-f", "json"}));
  double sum = 0;
  for (const Json& unit : area["units"]) sum += unit["mm2"].get<double>();
  EXPECT_NEAR(sum, area["area_mm2"].get<double>(), 1e-6);
  EXPECT_NEAR(sum, 795, 1);
}

TEST(MachineArea, SaysWhatACoreOfAnotherShapeTakes) {
  const Json core = Json::parse(machine_output(
      {"machine", "area", "lab-tiny", "--set", "sm.tensor.core=4x4x16", "-f", "json"}))["core"];
  EXPECT_EQ(core["rows"], 4);
  EXPECT_EQ(core["products"]["int8"], 32);
  EXPECT_EQ(core["block"]["fp16"], 8);
  EXPECT_GT(core["gates"], 100000);
}

TEST(MachineArea, IsKnownOfChipsAlone) {
  EXPECT_THAT(machine_output({"machine", "area", "lab-tiny"}),
              HasSubstr("lab-tiny is no product, so no die area is known\n"));
  EXPECT_THAT(machine_output({"machine", "area", "lab-tiny", "--set", "chip=GX1"}),
              HasSubstr("no areas are known for chip GX1\n"));
  EXPECT_THAT(machine_output({"machine", "area", "lab-tiny"}), HasSubstr("gate equivalents"));
  EXPECT_EQ(machine_output({"machine", "area", "lab-tiny", "-f", "csv"}),
            "unit,number,each mm2,mm2\n");
}

TEST(MachineCommand, WritesAMachineThatBuildsOnAnother) {
  const test::TemporaryHome home;
  EXPECT_EQ(machine_output({"machine", "new", "mine", "--from", "a100", "--set", "l2.ways=8",
                            "--set", "sm.tensor.instructions.HMMA.16816.F32.latency_cycles=30"}),
            "mine.yaml: builds on a100\n");
  const Json shown = Json::parse(machine_output({"machine", "show", "mine.yaml", "-f", "json"}));
  EXPECT_EQ(shown["machine"], "mine");
  const Json differences = Json::parse(
      machine_output({"machine", "diff", "a100", "mine.yaml", "-f", "json"}))["differences"];
  std::vector<std::string> keys;
  for (const Json& one : differences) keys.push_back(one["key"]);
  EXPECT_THAT(keys, testing::UnorderedElementsAre(
                        "name", "description", "descriptive.measured_as", "l2.ways",
                        "sm.tensor.instructions.HMMA.16816.F32.latency_cycles"));
  EXPECT_THAT(machine_output({"machine", "show", "mine.yaml"}), HasSubstr("a100.yaml:"));
  EXPECT_EQ(mistake_of({"machine", "new", "mine", "--from", "a100"}),
            "machine new: mine.yaml: the file already exists");
}

/// A complete file may lie in another folder than the one that it was made from.
TEST(MachineCommand, ShowsPathsOfLibrariesThatHoldInAnyFolder) {
  const test::TemporaryHome home;
  std::filesystem::create_directory("boards");
  std::ofstream("boards/m.yaml") << "base: a100\nname: m\nlibraries: [./mine.yaml, cuda-cores]\n";
  EXPECT_THAT(
      machine_output({"machine", "show", "boards/m.yaml", "-f", "yaml"}),
      HasSubstr("libraries: [\"" + (std::filesystem::current_path() / "boards/mine.yaml").string() +
                "\",\"cuda-cores\"]"));
}

TEST(MachineCommand, WritesANewMachineWithTheDescriptionThatIsGiven) {
  const test::TemporaryHome home;
  machine_output({"machine", "new", "mine", "--from", "a100", "--set", "description=half as wide"});
  const Json shown = Json::parse(machine_output({"machine", "show", "mine.yaml", "-f", "json"}));
  EXPECT_THAT(shown["settings"].dump(), HasSubstr(R"("half as wide")"));
  EXPECT_EQ(mistake_of({"machine", "new", "other", "--from", "a100", "--set", "name=mine"}),
            "--set #1: name: the machine's name is other, the word after machine new");
  EXPECT_EQ(mistake_of({"machine", "new", "other.yaml", "--from", "a100"}),
            "machine new: 'other.yaml' is the name of a file; the name of the machine is other");
  EXPECT_FALSE(std::filesystem::exists("other.yaml"));
}

TEST(MachineCommand, RefusesNewMachinesWithoutANameOrABase) {
  const test::TemporaryHome home;
  EXPECT_THAT(mistake_of({"machine", "new", "mine"}), HasSubstr("--from is missing"));
  EXPECT_THAT(mistake_of({"machine", "new", "../mine", "--from", "a100"}),
              HasSubstr("machine new: '../mine' names a file, and may have letters"));
  EXPECT_THAT(mistake_of({"machine", "new", "--from", "a100"}), HasSubstr("nothing given"));
  EXPECT_THAT(mistake_of({"machine", "new", "mine", "--from", "a10"}),
              HasSubstr("did you mean \"a100\"?"));
  EXPECT_TRUE(std::filesystem::is_empty("."));
}

TEST(MachineCommand, ShowsAMachineAsACompleteFile) {
  const test::TemporaryHome home;
  std::ofstream("whole.yaml") << machine_output(
      {"machine", "show", "a100", "-f", "yaml", "--set", "l2.ways=8"});
  EXPECT_THAT(machine_output({"machine", "diff", "a100", "whole.yaml", "-f", "csv"}),
              testing::EndsWith("l2.ways,16,8,\n"));
}

}  // namespace
}  // namespace tcsim::cli
