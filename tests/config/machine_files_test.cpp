#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "sim/config/error.hpp"
#include "sim/config/load.hpp"
#include "sim/config/schema.hpp"
#include "tests/config/machine_text.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_directory.hpp"

namespace tcsim::config {
namespace {

using testing::ElementsAre;

TEST(MachineFiles, AreThoseThatTheDocumentLists) {
  std::istringstream lines(source_text("docs/machines.md"));
  std::vector<std::string> listed;
  for (std::string line; std::getline(lines, line);)
    if (const std::size_t end = line.find(".yaml` |"); line.starts_with("| `") && end != line.npos)
      listed.push_back(line.substr(3, end - 3));
  EXPECT_THAT(machine_names(), testing::UnorderedElementsAreArray(listed));
  EXPECT_GE(listed.size(), 12U);
}

class ShippedMachine : public testing::TestWithParam<std::string> {};

TEST_P(ShippedMachine, LoadsWithoutMistakes) {
  const Machine machine = load_machine(GetParam());
  EXPECT_FALSE(machine.name.empty());
  EXPECT_GT(machine.gpu.sms, 0);
}

TEST_P(ShippedMachine, ListsEveryKeyInTheOrderOfTheSchema) {
  std::vector<std::string> listed;
  for (const Setting& setting : read_machine(GetParam()).settings)
    if (!setting.key.starts_with(kInstructionsPath)) listed.push_back(setting.key);
  std::vector<std::string> expected;
  for (const Key& key : keys())
    if (key.path != kInstructionsPath) expected.emplace_back(key.path);
  EXPECT_EQ(listed, expected);

  std::map<std::string, int> last_lines;  // of the machine's own file and of each base
  for (const Setting& setting : read_machine(GetParam()).settings) {
    if (setting.line == 0) continue;  // left out
    int& last_line = last_lines[setting.base];
    EXPECT_GE(setting.line, last_line) << setting.key;
    last_line = setting.line;
  }
}

TEST_P(ShippedMachine, GivesTheSourceOfEveryValue) {
  for (const Setting& setting : read_machine(GetParam()).settings)
    EXPECT_GE(setting.source.size(), 2U) << setting.key << " at line " << setting.line;
}

TEST_P(ShippedMachine, NamesOnlySourcesThatTheDocumentationLists) {
  const std::string document = source_text("docs/machines.md");
  std::istringstream lines(document);
  std::set<std::string> known{"project", "assumption", "as", "no", "one", "interval", "left"};
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("| `")) known.insert(line.substr(3, line.find('`', 3) - 3));
  for (const Setting& setting : read_machine(GetParam()).settings) {
    const std::string first = setting.source.substr(0, setting.source.find_first_of(" ,:;"));
    EXPECT_TRUE(known.contains(first)) << setting.key << ": " << setting.source;
  }
}

INSTANTIATE_TEST_SUITE_P(All, ShippedMachine, testing::ValuesIn(machine_names()),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::erase_if(name, [](unsigned char c) { return !std::isalnum(c); });
                           return name;
                         });

/// microarchitecture.md 7.2, SM cycles: RRZE (GA10x: on an A40), JIA18, JIA19, MT4G (TU102: 176
/// near and 230 far). The mean way is a little over a third
/// of the spread, and half as far to the slices of the own partition.
TEST(MachineFiles, AddUpToTheMeasuredUnloadedL2Hits) {
  const std::map<std::string, double> measured{
      {"p100", 234},      {"v100", 212},    {"t4", 188},       {"a100", 205},
      {"a100-80gb", 205}, {"h100", 280},    {"h200", 280},     {"a6000", 250},
      {"rtx3090", 250},   {"rtx3070", 250}, {"titan-rtx", 196}};
  for (const auto& [name, total] : measured) {
    const Machine machine = load_machine(name);
    const double l2_cycles =
        machine.noc.request_latency_cycles + machine.l2.hit_latency_cycles +
        machine.noc.response_latency_cycles +
        machine.noc.distance_spread_cycles * (machine.l2.partitions == 1 ? 0.365 : 0.1865);
    const double sm_cycles = l2_cycles * machine.clocks.sm_mhz / machine.clocks.l2_mhz;
    EXPECT_NEAR(machine.sm.l1.hit_latency_cycles + sm_cycles, total, 1) << name;
  }
}

/// The same for misses to DRAM, at the clock of the measurement: RRZE (V100), LUO25 (A100, near),
/// A40 (RRZE), all less what a chase waits on average for rows that others left open, 8 to 11
/// cycles; MT4G (P100, T4, TU102), RRZE less half a crossing (H100).
TEST(MachineFiles, AddUpToTheMeasuredUnloadedMisses) {
  const std::map<std::string, std::pair<double, int>> measured{
      {"p100", {415, 1480}},  {"v100", {417, 1380}},    {"t4", {490, 1590}},
      {"a100", {464, 1410}},  {"a6000", {538.7, 1740}}, {"titan-rtx", {496, 1545}},
      {"h100", {562.5, 1980}}};
  const std::map<std::string, double> hits{{"p100", 234},     {"v100", 212}, {"t4", 188},
                                           {"a100", 205},     {"h100", 280}, {"a6000", 250},
                                           {"titan-rtx", 196}};
  for (const auto& [name, miss] : measured) {
    const Machine machine = load_machine(name);
    const double burst_ns =
        machine.dram.burst_length_beats / 2.0 * 1000 / machine.clocks.memory_mhz;
    const double dram_ns = machine.dram.t_rcd_read_ns + machine.dram.t_cl_ns + burst_ns;
    const double controller_cycles =  // the key counts in cycles of the L2
        1.0 * machine.dram.controller_latency_cycles * machine.clocks.sm_mhz /
        machine.clocks.l2_mhz;
    const double total = hits.at(name) + controller_cycles + dram_ns * miss.second / 1000.0;
    EXPECT_NEAR(total, miss.first, 2) << name;
  }
}

TEST(MachineFiles, AWordWithoutAPathNamesAShippedMachine) {
  const std::string message = test::refusal([&] { return load_machine("v1000"); });
  EXPECT_THAT(message, testing::StartsWith("v1000: no such machine; did you mean \"v100\"? "
                                           "(machines: a100, a100-80gb, a6000, "));
  EXPECT_THAT(message, testing::EndsWith(", v100; or give a path ending in .yaml)"));
}

TEST(MachineFiles, AFileThatCannotBeReadIsNoMistakeInAMachine) {
  EXPECT_THROW((void)load_machine("./none.yaml"), IoError);
  EXPECT_THROW((void)load_machine("./"), IoError);
}

class OtherFolder : public testing::Test {
 protected:
  void SetUp() override {
    std::ofstream(folder_.path() / "mine.yaml")
        << edited(plain_a100(), {{"name: a100-sxm4-40gb", "name: mine"}});
    setenv("TCSIM_CONFIGS", folder_.path().c_str(), 1);
  }
  void TearDown() override { unsetenv("TCSIM_CONFIGS"); }
  const test::TemporaryDirectory folder_;
};

TEST_F(OtherFolder, IsReadWhenTheEnvironmentNamesIt) {
  EXPECT_THAT(machine_names(), ElementsAre("mine"));
  EXPECT_EQ(load_machine("mine").name, "mine");
}

TEST_F(OtherFolder, IsThere) {
  setenv("TCSIM_CONFIGS", (folder_.path() / "mine.yaml").c_str(), 1);
  EXPECT_THAT(test::refusal<IoError>([] { return machine_names(); }),
              testing::EndsWith("mine.yaml: no such folder"));
}

TEST_F(OtherFolder, MayHoldNoMachine) {
  std::filesystem::remove(folder_.path() / "mine.yaml");
  EXPECT_EQ(test::refusal([] { return load_machine("mine"); }),
            "mine: no such machine (give a path ending in .yaml)");
}

TEST_F(OtherFolder, HoldsAsMachinesItsFilesThatAreNotHidden) {
  std::filesystem::create_directory(folder_.path() / "folder.yaml");
  std::filesystem::create_symlink("user@host.1", folder_.path() / ".#mine.yaml");
  std::filesystem::create_symlink("nowhere", folder_.path() / "nothing.yaml");
  std::filesystem::create_symlink("mine.yaml", folder_.path() / "same.yaml");
  std::ofstream(folder_.path() / "._mine.yaml") << "\xff\xfe";
  EXPECT_THAT(machine_names(), ElementsAre("mine", "same"));
}

TEST_F(OtherFolder, MayHoldAFileThatIsNoTextWhereAMachineIsLookedFor) {
  std::ofstream(folder_.path() / "a.yaml") << "\xff\xfe";
  EXPECT_EQ(shipped_word(read_machine("mine")), "mine");
}

TEST_F(OtherFolder, HasNoMachineWithOtherLibraryFiles) {
  std::string words;
  for (const std::string& word : load_machine("mine").libraries) words += word + ", ";
  EXPECT_EQ(shipped_word(read_machine("mine", {"libraries=[" + words + "./more.yaml]"})), "");
}

TEST_F(OtherFolder, HasNoPresetToNameForAMissingKey) {
  std::ofstream(folder_.path() / "less.yaml") << edited(plain_a100(), {{"  sub_cores: 4\n", ""}});
  try {
    (void)load_machine("less");
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.messages(), ElementsAre(testing::EndsWith(":1: sm.sub_cores: missing")));
  }
}

TEST(MachineFiles, AMissingKeyIsAnsweredFromAShippedMachineOfItsArchitecture) {
  struct Lacking {
    std::string machine;
    Edit edit;
    std::string answer;
  };
  for (const Lacking& lacking :
       {Lacking{"configs/rtx3090.yaml", {"\n  bytes: 6 MiB ", "\n#"}, "the a100 preset has 40 MiB"},
        Lacking{"configs/h100.yaml", {"\n  bytes: 50 MiB ", "\n#"}, "the h100 preset has 50 MiB"},
        Lacking{"configs/h100.yaml",
                {"\narchitecture: hopper ", "\n#"},
                "the a100 preset has ampere"}}) {
    const test::TemporaryDirectory folder;
    const std::filesystem::path path = folder.path() / "less.yaml";
    std::ofstream(path) << edited(source_text(lacking.machine), {lacking.edit});
    try {
      (void)load_machine(path.string());
      ADD_FAILURE() << lacking.answer;
    } catch (const ConfigError& error) {
      EXPECT_THAT(error.messages(), ElementsAre(testing::EndsWith(": missing; " + lacking.answer)));
    }
  }
}

TEST(CanonicalText, HoldsWhatModelsReadAndNothingElse) {
  const std::string text = canonical_text(read_machine("a100"));
  EXPECT_NE(text.find("l2.bytes 41943040\n"), std::string::npos);
  EXPECT_NE(text.find("sm.tensor.instructions.DMMA.884.latency_cycles 26\n"), std::string::npos);
  EXPECT_EQ(text.find("descriptive"), std::string::npos);
  EXPECT_EQ(text, canonical_text(read_machine("a100", {"l2.bytes=41943040"})));
  EXPECT_EQ(text, canonical_text(read_machine("a100", {"descriptive.tdp_w=1"})));
  EXPECT_NE(text, canonical_text(read_machine("a100", {"l2.bytes=20 MiB"})));
}

TEST(MachineFile, WithoutTensorCoresHasNoInstructionsOfThem) {
  for (const std::string& name : machine_names()) {
    const MachineFile machine = read_machine(name, {"sm.tensor.cores_per_sub_core=0"});
    EXPECT_TRUE(machine.machine.sm.tensor.instructions.empty()) << name;
    EXPECT_TRUE(std::ranges::none_of(machine.settings, [](const Setting& setting) {
      return setting.key.starts_with(kInstructionsPath);
    })) << name;
  }
}

TEST(WrittenValue, FindsKeysOfInstructionsByTheirMnemonic) {
  const std::string text = source_text("configs/a100.yaml");
  EXPECT_EQ(written_value(text, "sm.tensor.instructions.DMMA.884.latency_cycles"), "26");
  EXPECT_EQ(written_value(text, "gpu.sms_per_gpc"), "[16, 16, 16, 16, 16, 14, 14]");
  EXPECT_EQ(written_value(text, "gpu.wings"), std::nullopt);
  EXPECT_EQ(written_value(text, "gpu"), std::nullopt);
}

TEST(MachineFile, AProductOfAWarpgroupTakesNoMoreCyclesThanItsTurnCounts) {
  const auto rate = [](int macs) {
    return load_machine(
        "h100", {"sm.tensor.cores_per_sub_core=1", "sm.tensor.fp16_macs=" + std::to_string(macs)});
  };
  EXPECT_NO_THROW(rate(4));
  EXPECT_THAT(test::refusal([&] { rate(1); }), testing::HasSubstr("cycles; at most 65535"));
}

TEST(MachineFile, AnMmaTakesNoMoreCyclesThanADecodedInstructionHolds) {
  const auto fill = [](int cycles) {
    return load_machine(
        "a100", {"sm.tensor.core=16x1x1", "sm.tensor.organisation=weight_stationary",
                 "sm.tensor.fill_cycles=" + std::to_string(cycles), "sm.tensor.drain_cycles=1"});
  };
  EXPECT_NO_THROW(fill(510));
  EXPECT_THAT(test::refusal([&] { fill(511); }), testing::HasSubstr("cycles; at most 65535"));
}

}  // namespace
}  // namespace tcsim::config
