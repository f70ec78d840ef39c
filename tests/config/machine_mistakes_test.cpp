// Each mistake that a machine file can hold, with the exact message.

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/config/error.hpp"
#include "tests/config/machine_text.hpp"

namespace tcsim::config {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Mistake {
  const char* name;
  Edit edit;
  const char* at;  ///< the piece of the edited file where the message points, by line
  int column;
  const char* message;  ///< behind the position
};

void PrintTo(const Mistake& mistake, std::ostream* stream) { *stream << mistake.name; }

class MachineMistake : public testing::TestWithParam<Mistake> {};

TEST_P(MachineMistake, IsReportedWithItsPositionAndReason) {
  const Mistake& mistake = GetParam();
  const std::string text = edited(plain_a100(), {mistake.edit});
  EXPECT_THAT(mistakes_of(text),
              ElementsAre(fmt::format("m.yaml:{}:{}: {}", line_of(text, mistake.at), mistake.column,
                                      with_lines(mistake.message, text))));
}

// Of a shape that is none nothing follows: no rate, no instruction that lacks one.
INSTANTIATE_TEST_SUITE_P(
    Shapes, MachineMistake,
    testing::Values(
        Mistake{"Two",
                {"core: 8x4x8", "core: 8x4"},
                "    core: ",
                11,
                "sm.tensor.core: '8x4' is not a shape; expected m, n and k as in 8x4x8"},
        Mistake{"Zero",
                {"core: 8x4x8", "core: 0x4x8"},
                "    core: ",
                11,
                "sm.tensor.core: 0 is out of range; allowed are 1 to 256"},
        Mistake{"CapitalCrosses",
                {"core: 8x4x8", "core: 8X4X8"},
                "    core: ",
                11,
                "sm.tensor.core: '8X4X8' is not a shape; expected m, n and k as in 8x4x8"},
        Mistake{"Derived",
                {"core: 8x4x8", "core: derived"},
                "    core: ",
                11,
                "sm.tensor.core: 'derived' is not a shape; expected m, n and k as in 8x4x8"},
        Mistake{"Blanks",
                {"core: 8x4x8", "core: 8 x 4 x 8"},
                "    core: ",
                11,
                "sm.tensor.core: '8 x 4 x 8' is not a shape; expected m, n and k as in 8x4x8"}),
    [](const auto& test) { return std::string(test.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Values, MachineMistake,
    testing::Values(
        Mistake{"Word",
                {"max_ctas: 32", "max_ctas: many"},
                "max_ctas",
                15,
                "sm.residency.max_ctas: expected an integer, got 'many'"},
        Mistake{"Fraction",
                {"max_ctas: 32", "max_ctas: 32.5"},
                "max_ctas",
                15,
                "sm.residency.max_ctas: expected an integer, got '32.5'"},
        Mistake{"Exponent",
                {"max_ctas: 32", "max_ctas: 3e1"},
                "max_ctas",
                15,
                "sm.residency.max_ctas: expected an integer, got '3e1'"},
        Mistake{"Nothing",
                {"max_ctas: 32", "max_ctas:"},
                "max_ctas",
                5,
                "sm.residency.max_ctas: expected an integer, got nothing"},
        Mistake{"Quoted",
                {"max_ctas: 32", "max_ctas: \"32\""},
                "max_ctas",
                15,
                "sm.residency.max_ctas: expected an integer, got the text \"32\"; leave out the "
                "quotes"},
        Mistake{"List",
                {"max_ctas: 32", "max_ctas: [32]"},
                "max_ctas",
                15,
                "sm.residency.max_ctas: expected an integer, got [32]"},
        Mistake{"Octal",
                {"max_ctas: 32", "max_ctas: 040"},
                "max_ctas",
                15,
                "sm.residency.max_ctas: 040 has a leading zero, which some readers take for octal; "
                "write 40"},
        Mistake{"Hexadecimal",
                {"max_ctas: 32", "max_ctas: 0x20"},
                "max_ctas",
                15,
                "sm.residency.max_ctas: hexadecimal 0x20 is not accepted; write 32"},
        Mistake{"Separator",
                {"registers: 65536", "registers: 65_536"},
                "registers:",
                16,
                "sm.residency.registers: 65_536 has a separator; write 65536"},
        Mistake{"Negative",
                {"max_ctas: 32", "max_ctas: -1"},
                "max_ctas",
                15,
                "sm.residency.max_ctas: -1 is out of range; allowed are 1 to 1024"},
        Mistake{"TooLarge",
                {"max_ctas: 32", "max_ctas: 99999999999"},
                "max_ctas",
                15,
                "sm.residency.max_ctas: 99999999999 is out of range; allowed are 1 to 1024"},
        Mistake{"UnitOfACount",
                {"max_ctas: 32", "max_ctas: 32 ctas"},
                "max_ctas",
                15,
                "sm.residency.max_ctas: expected an integer, got '32 ctas'"},
        Mistake{"DecimalBytes",
                {"bytes: 40 MiB", "bytes: 40MB"},
                "bytes: 40MB",
                10,
                "l2.bytes: 40MB is not a number of bytes; write 40 MiB or 41943040"},
        Mistake{"OtherUnit",
                {"sm_mhz: 1410", "sm_mhz: 1410 ns"},
                "sm_mhz",
                11,
                "clocks.sm_mhz: 1410 ns is not a number of MHz; units are MHz, GHz"},
        Mistake{"NumberIsAWord",
                {"t_cl_ns: 14.2", "t_cl_ns: .inf"},
                "t_cl_ns",
                12,
                "dram.t_cl_ns: expected a number, got '.inf'"},
        Mistake{"TextIsAList",
                {"chip: GA100", "chip: [GA100]"},
                "chip",
                7,
                "chip: expected text, got [GA100]"},
        Mistake{"UnknownWord",
                {"slice_hash: xor_fold", "slice_hash: xor_flod"},
                "slice_hash",
                15,
                "l2.slice_hash: 'xor_flod' is not one of xor_fold, modulo, polynomial; did you "
                "mean \"xor_fold\"?"},
        Mistake{"UnknownScheduling",
                {"scheduling: fr_fcfs", "scheduling: frfcfs"},
                "scheduling: frfcfs",
                15,
                "dram.scheduling: 'frfcfs' is not one of fr_fcfs, fcfs, par_bs; did you mean "
                "\"fr_fcfs\"?"},
        Mistake{"UnknownAddressMapping",
                {"address_mapping: pseudo_random", "address_mapping: row_bank_colum"},
                "address_mapping",
                20,
                "dram.address_mapping: 'row_bank_colum' is not one of pseudo_random, "
                "row_bank_column, bank_permutation; did you mean \"row_bank_column\"?"},
        Mistake{"UnknownPlacement",
                {"cta_placement: breadth_first", "cta_placement: round_robbin"},
                "cta_placement",
                18,
                "launch.cta_placement: 'round_robbin' is not one of breadth_first, depth_first, "
                "round_robin; did you mean \"round_robin\"?"},
        Mistake{"UnknownReplacement",
                {"sector_bytes: 32\n    ways: 32\n    replacement: lru",
                 "sector_bytes: 32\n    ways: 32\n    replacement: srip"},
                "replacement: srip",
                18,
                "sm.l1.replacement: 'srip' is not one of lru, random, tree_plru, srrip; did you "
                "mean \"srrip\"?"},
        Mistake{"ScalarForAList",
                {"sms_per_gpc: [16, 16, 16, 16, 16, 14, 14]", "sms_per_gpc: 108"},
                "sms_per_gpc",
                16,
                "gpu.sms_per_gpc: expected a list of integers, got '108'"},
        Mistake{"EmptyList",
                {"sms_per_gpc: [16, 16, 16, 16, 16, 14, 14]", "sms_per_gpc: []"},
                "sms_per_gpc",
                16,
                "gpu.sms_per_gpc: expected 1 to 16 integers, got 0"},
        Mistake{"WordInAList",
                {"[16, 16, 16, 16, 16, 14, 14]", "[16, 16, 16, 16, 16, 28, x]"},
                "sms_per_gpc",
                41,
                "gpu.sms_per_gpc: expected an integer, got 'x'"}),
    [](const auto& test) { return std::string(test.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Keys, MachineMistake,
    testing::Values(
        Mistake{"Misspelt",
                {"  l2_mhz: 1410", "  l2_mhz: 1410\n  l2_mhzz: 1410"},
                "l2_mhzz",
                3,
                "clocks.l2_mhzz: unknown key; did you mean \"l2_mhz\"?"},
        Mistake{"InTheWrongSection",
                {"  sub_cores: 4", "  sub_cores: 4\n  max_warps: 65"},
                "max_warps: 65",
                3,
                "sm.max_warps: unknown key; did you mean \"sm.residency.max_warps\"?"},
        Mistake{"LikeNothing",
                {"  sub_cores: 4", "  sub_cores: 4\n  wings: 2"},
                "wings",
                3,
                "sm.wings: unknown key"},
        Mistake{"GivenTwice",
                {"  sub_cores: 4", "  sub_cores: 4\n  sub_cores: 8"},
                "sub_cores: 8",
                3,
                "sm.sub_cores: given twice, first at line {sub_cores: 4}"},
        Mistake{"MergeKey",
                {"  sub_cores: 4", "  sub_cores: 4\n  <<: {banks: 2}"},
                "<<",
                3,
                "sm.<<: merge keys are not supported; write the keys out"},
        Mistake{"ListAsKey",
                {"  sub_cores: 4", "  sub_cores: 4\n  ? [a]\n  : 1"},
                "? [a]",
                5,
                "sm: a key must be a word; got [a]"},
        Mistake{
            "UnknownInstruction",
            {"\"DMMA.884\"", "\"DMMA.885\""},
            "DMMA.885",
            7,
            "sm.tensor.instructions.DMMA.885: unknown MMA instruction; did you mean \"DMMA.884\"?"},
        Mistake{"ShapeBeyondTheRegisters",
                {"\"DMMA.884\"", "\"MMA.M64N64K64.F32.F16\""},
                "MMA.M64",
                7,
                "sm.tensor.instructions.MMA.M64N64K64.F32.F16: no such MMA: fragments of A, B and "
                "C take 64 + 64 + 128 = 256 registers of a thread, which has 240 for them"},
        Mistake{"NoMmaInstruction",
                {"\"DMMA.884\"", "\"FFMA\""},
                "FFMA",
                7,
                "sm.tensor.instructions.FFMA: unknown MMA instruction"},
        Mistake{"ProductOfAWarpgroup",
                {"\"DMMA.884\"", "\"HGMMA.64x128x16.F32\""},
                "HGMMA",
                7,
                "sm.tensor.instructions.HGMMA.64x128x16.F32: a product of a warpgroup, timed by "
                "the rate of its type and the keys of sm.group_tensor"},
        Mistake{
            "InstructionTwice",
            {"\"DMMA.884\"", "\"HMMA.1688.F32\""},
            "\"HMMA.1688.F32\": {latency_cycles: 26",
            7,
            "sm.tensor.instructions.HMMA.1688.F32: given twice, first at line {\"HMMA.1688.F32\"}"},
        Mistake{
            "UnknownInInstruction",
            {"\"DMMA.884\": {latency_cycles: 26", "\"DMMA.884\": {latency_cycles: 26, latency: 5"},
            "DMMA",
            40,
            "sm.tensor.instructions.DMMA.884.latency: unknown key"},
        Mistake{"NothingInInstruction",
                {"{latency_cycles: 26}", "\n        latency_cycles:\n\n"},
                "latency_cycles:\n",
                9,
                "sm.tensor.instructions.DMMA.884.latency_cycles: expected an integer, got nothing"},
        Mistake{"InstructionIsANumber",
                {"{latency_cycles: 26}", "26"},
                "DMMA",
                19,
                "sm.tensor.instructions.DMMA.884: expected a mapping with the keys latency_cycles, "
                "min_interval_cycles; got '26'"},
        Mistake{"SecondDocument",
                {"dram_data_pj_per_bit: 4.64\n", "dram_data_pj_per_bit: 4.64\n---\nother: 1\n"},
                "other: 1",
                1,
                "a second document starts here; a file holds one document"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(MachineMistakes, AMissingKeyNamesItsMappingAndTheValueOfThePreset) {
  const std::string text = edited(plain_a100(), {{"  sub_cores: 4\n", ""}, {"chip: GA100\n", ""}});
  EXPECT_THAT(mistakes_of(text),
              ElementsAre("m.yaml:2:1: chip: missing; the a100 preset has 7",
                          fmt::format("m.yaml:{}:1: sm.sub_cores: missing; the a100 preset has 7",
                                      line_of(text, "\nsm:") + 1)));
}

TEST(MachineMistakes, AMissingSectionIsReportedOnce) {
  const std::string text =
      edited(plain_a100(), {{"  barrier:\n    base_cycles: 21\n    per_warp_cycles: 2\n", ""}});
  EXPECT_THAT(mistakes_of(text),
              ElementsAre(fmt::format("m.yaml:{}:1: sm.barrier: missing; a mapping with the keys "
                                      "base_cycles, per_warp_cycles",
                                      line_of(text, "\nsm:") + 1)));
}

TEST(MachineMistakes, AnMmaWhoseFragmentsNoWindowReadsIsRefused) {
  const std::string text = edited(
      plain_a100(), {{"\"DMMA.884\": {latency_cycles: 26}", "\"MMA.M64N64K16.F32.F16\": {}"}});
  EXPECT_THAT(mistakes_of(text),
              testing::Contains(testing::HasSubstr(
                  "sm.tensor.instructions: MMA.M64N64K16.F32.F16 reads 160 registers")));
  EXPECT_THAT(mistakes_of(text, {"sm.register_file.read_ports_per_bank=4"}), IsEmpty());
}

TEST(MachineMistakes, AnInstructionKeyThatIsLeftOutIsDerived) {
  for (const std::string row : {"{min_interval_cycles: 2}", "{}", "{latency_cycles: derived}"})
    EXPECT_THAT(mistakes_of(edited(plain_a100(), {{"{latency_cycles: 26}", row}})), IsEmpty());
}

TEST(MachineMistakes, ANumberWhereASectionBelongsHidesTheKeysOfTheSection) {
  const std::string text =
      edited(plain_a100(),
             {{"  barrier:\n    base_cycles: 21\n    per_warp_cycles: 2\n", "  barrier: 3\n"}});
  EXPECT_THAT(mistakes_of(text),
              ElementsAre(fmt::format(
                  "m.yaml:{}:12: sm.barrier: expected a mapping with the keys base_cycles, "
                  "per_warp_cycles; got '3'",
                  line_of(text, "barrier: 3"))));
}

TEST(MachineMistakes, NothingWhereASectionBelongsIsReportedAtItsName) {
  const std::string text =
      edited(plain_a100(),
             {{"  barrier:\n    base_cycles: 21\n    per_warp_cycles: 2\n", "  barrier:\n\n\n"}});
  EXPECT_THAT(mistakes_of(text),
              ElementsAre(fmt::format(
                  "m.yaml:{}:3: sm.barrier: expected a mapping with the keys base_cycles, "
                  "per_warp_cycles; got nothing",
                  line_of(text, "barrier:\n\n"))));
}

TEST(MachineMistakes, APathIsNoName) {
  const std::string text = plain_a100() + "clocks.sm_mhz: 700\n";
  EXPECT_THAT(mistakes_of(text),
              ElementsAre(fmt::format("m.yaml:{}:1: clocks.sm_mhz: unknown key; write the names of "
                                      "a path as nested mappings",
                                      line_of(text, "clocks.sm_mhz"))));
}

TEST(MachineMistakes, AreAllReportedInOneRunInTheOrderOfTheFile) {
  const std::string text = edited(plain_a100(), {{"bytes: 40 MiB", "bytes: 40MB"},
                                                 {"chip: GA100", "chip: {}"},
                                                 {"  sub_cores: 4\n", ""},
                                                 {"max_ctas: 32", "max_cats: 32"}});
  EXPECT_THAT(
      mistakes_of(text),
      ElementsAre(
          fmt::format("m.yaml:{}:7: chip: expected text, got a mapping", line_of(text, "chip: {}")),
          fmt::format("m.yaml:{}:1: sm.sub_cores: missing; the a100 preset has 7",
                      line_of(text, "\nsm:") + 1),
          fmt::format("m.yaml:{}:3: sm.residency.max_ctas: missing; the a100 preset has 7",
                      line_of(text, "  residency:")),
          fmt::format("m.yaml:{}:5: sm.residency.max_cats: unknown key; did you mean \"max_ctas\"?",
                      line_of(text, "max_cats")),
          fmt::format(
              "m.yaml:{}:10: l2.bytes: 40MB is not a number of bytes; write 40 MiB or 41943040",
              line_of(text, "40MB"))));
}

TEST(MachineMistakes, TabsAreNamedLineByLine) {
  EXPECT_THAT(mistakes_of("a:\n\tb: 1\n  \tc: 2\n"),
              ElementsAre("m.yaml:2:1: a tab indents this line; YAML requires spaces",
                          "m.yaml:3:3: a tab indents this line; YAML requires spaces"));
}

TEST(MachineMistakes, TextThatIsNoYamlIsReportedWhereItStopsBeingYaml) {
  EXPECT_THAT(mistakes_of("gpu:\n  sms: [1, 2\n"),
              ElementsAre("m.yaml:3:1: not YAML: end of sequence flow not found"));
}

TEST(MachineMistakes, AliasesAreRefused) {
  EXPECT_THAT(mistakes_of("gpu: &all\n  - *all\n"),
              ElementsAre("m.yaml:2:5: not YAML: aliases are not supported; repeat the value"));
}

TEST(MachineMistakes, TooDeepAFileIsNamedSo) {
  const std::string deep(3000, '[');
  EXPECT_THAT(mistakes_of(deep), ElementsAre("m.yaml:1:1: nested too deeply"));
  EXPECT_THAT(mistakes_of(plain_a100(), {"name=" + deep}),
              ElementsAre("--set #1: name: '" + deep + "' is nested too deeply"));
}

TEST(MachineMistakes, AStrayCommaIsNoDocument) {  // yaml-cpp sees empty ones without end
  EXPECT_THAT(
      mistakes_of(", a: 1\n"),
      ::testing::Contains("m.yaml:1:1: a second document starts here; a file holds one document"));
}

TEST(MachineMistakes, AFileThatIsNoMappingIsReported) {
  EXPECT_THAT(
      mistakes_of("- 1\n"),
      ElementsAre(
          "m.yaml:1:1: expected a mapping with the keys name, description, chip, architecture, "
          "compute_capability, features, libraries, descriptive, gpu, clocks, numerics, sm, noc, "
          "tlb, l2, dram, launch, nvlink, energy; got [1]"));
  EXPECT_EQ(mistakes_of("").size(), 1U);
}

TEST(MachineMistakes, ThePlainMachineHasNone) { EXPECT_THAT(mistakes_of(plain_a100()), IsEmpty()); }

TEST(ConfigErrors, JoinTheirMessagesByLines) {
  EXPECT_STREQ(ConfigError({"a: b", "c: d"}).what(), "a: b\nc: d");
}

}  // namespace
}  // namespace tcsim::config
