#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "models/isa/opcode.hpp"
#include "sim/config/error.hpp"
#include "sim/config/load.hpp"
#include "tests/config/machine_text.hpp"

namespace tcsim::config {
namespace {

using testing::ElementsAre;

TEST(Overrides, ReplaceTheValueOfTheFile) {
  const MachineFile file = read_machine("a100", {"clocks.sm_mhz=1.2GHz", "l2.slice_hash=modulo"});
  EXPECT_EQ(file.machine.clocks.sm_mhz, 1200);
  EXPECT_EQ(file.machine.l2.slice_hash, "modulo");
  EXPECT_EQ(file.machine.clocks.l2_mhz, 1410);
}

TEST(Overrides, ReachTheInstructionsOfTheMachine) {
  const MachineFile file =
      read_machine("a100", {"sm.tensor.instructions.HMMA.16816.F32.latency_cycles=33"});
  for (const auto& row : file.machine.sm.tensor.instructions)
    EXPECT_EQ(row.latency_cycles == 33, row.opcode == isa::Opcode::kHmma16816F32);
}

TEST(Overrides, AddAnMmaThatTheFileDoesNotList) {
  const MachineFile file =
      read_machine("a100", {"sm.tensor.instructions.MMA.M32N8K16.F32.F16.latency_cycles=derived"});
  const auto& rows = file.machine.sm.tensor.instructions;
  EXPECT_EQ(rows.size(), read_machine("a100").machine.sm.tensor.instructions.size() + 1);
  EXPECT_EQ(rows.back().opcode, isa::parse_opcode("MMA.M32N8K16.F32.F16"));
  EXPECT_FALSE(rows.back().latency_cycles.has_value());
}

TEST(Overrides, AreNamedAsTheOriginOfTheirValue) {
  const MachineFile file = read_machine("a100", {"l2.ways=32", "clocks.sm_mhz=1000"});
  for (const Setting& setting : file.settings) {
    const int expected = setting.key == "clocks.sm_mhz" ? 2 : setting.key == "l2.ways" ? 1 : 0;
    EXPECT_EQ(setting.set, expected) << setting.key;
    EXPECT_EQ(setting.source.empty(), expected != 0) << setting.key;
  }
}

TEST(Overrides, CanSupplyAKeyThatTheFileLacks) {
  EXPECT_TRUE(
      mistakes_of(edited(plain_a100(), {{"  sub_cores: 4\n", ""}}), {"sm.sub_cores=4"}).empty());
}

struct BadSetting {
  const char* name;
  const char* setting;
  const char* message;
};

void PrintTo(const BadSetting& value, std::ostream* stream) { *stream << value.name; }

class BadOverride : public testing::TestWithParam<BadSetting> {};

TEST_P(BadOverride, IsRefused) {
  EXPECT_THAT(mistakes_of(plain_a100(), {GetParam().setting}), ElementsAre(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Settings, BadOverride,
    testing::Values(
        BadSetting{"NoEquals", "clocks.sm_mhz",
                   "--set #1: expected key.path=value, got 'clocks.sm_mhz'"},
        BadSetting{"NoKey", "=5", "--set #1: expected key.path=value, got '=5'"},
        BadSetting{"NoValue",
                   "clocks.sm_mhz=", "--set #1: clocks.sm_mhz: expected an integer, got nothing"},
        BadSetting{"TwoValues", "libraries=[cuda-cores] [cublas-ampere]",
                   "--set #1: libraries: '[cuda-cores] [cublas-ampere]' is more than one value"},
        BadSetting{"Misspelt", "clocks.sm_mzh=5",
                   "--set #1: clocks.sm_mzh: unknown key; did you mean \"clocks.sm_mhz\"?"},
        BadSetting{"WordAlone", "load_latency_cycles=5",
                   "--set #1: load_latency_cycles: unknown key; did you mean "
                   "\"sm.constant_cache.load_latency_cycles\"?"},
        BadSetting{"Section", "sm.l1=5",
                   "--set #1: sm.l1: is a mapping; set the keys in it one by one"},
        BadSetting{"Instructions", "sm.tensor.instructions={}",
                   "--set #1: sm.tensor.instructions: is a mapping; set the keys in it one by one"},
        BadSetting{"InstructionThatTheMachineLacks",
                   "sm.tensor.instructions.HMMA.884.F32.F32.STEP0.latency_cycles=5",
                   "--set #1: sm.tensor.instructions.HMMA.884.F32.F32.STEP0.latency_cycles: "
                   "the machine has no HMMA.884.F32.F32.STEP0; "
                   "sm.tensor.instructions.HMMA.884.F32.F32.STEP0.latency_cycles=derived adds it"},
        BadSetting{"ShapeThatNoMmaHas",
                   "sm.tensor.instructions.MMA.M24N8K16.F32.F16.latency_cycles=derived",
                   "--set #1: sm.tensor.instructions.MMA.M24N8K16.F32.F16.latency_cycles: no such "
                   "MMA: m is 24, not 8, 16, 32 or 64"},
        BadSetting{"MisspeltInstruction",
                   "sm.tensor.instructions.HMMA.16816.F3.min_interval_cycles=5",
                   "--set #1: sm.tensor.instructions.HMMA.16816.F3.min_interval_cycles: unknown "
                   "MMA instruction; did you mean \"HMMA.16816.F32\"?"},
        BadSetting{"MisspeltKeyOfAnInstruction",
                   "sm.tensor.instructions.HMMA.16816.F32.latency_cycle=5",
                   "--set #1: sm.tensor.instructions.HMMA.16816.F32.latency_cycle: unknown key; "
                   "did you mean \"sm.tensor.instructions.HMMA.16816.F32.latency_cycles\"?"},
        BadSetting{"KeyOfNoInstruction", "sm.tensor.instructions.latency_cycles=derived",
                   "--set #1: sm.tensor.instructions.latency_cycles: unknown key; did you mean "
                   "\"sm.tensor.instructions.DMMA.884.latency_cycles\"?"},
        BadSetting{"NoYaml", "gpu.sms_per_gpc=[1",
                   "--set #1: gpu.sms_per_gpc: '[1' is not YAML: end of sequence flow not found"},
        BadSetting{"Bytes", "l2.bytes=40MB",
                   "--set #1: l2.bytes: 40MB is not a number of bytes; write 40 MiB or 41943040"},
        BadSetting{"Range", "l2.partitions=3",
                   "--set #1: l2.partitions: 3 is out of range; allowed are 1 to 2"},
        BadSetting{"Word", "sm.issue_policy=greedy",
                   "--set #1: sm.issue_policy: 'greedy' is not one of greedy_then_youngest, "
                   "greedy_then_oldest, "
                   "loose_round_robin, two_level"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(Overrides, GivenTwiceAreRefused) {
  EXPECT_THAT(mistakes_of(plain_a100(), {"l2.ways=32", "clocks.sm_mhz=1", "l2.ways=16"}),
              ElementsAre("--set #3: l2.ways: given twice, first in --set #1"));
}

TEST(Overrides, MistakesFollowThoseOfTheFile) {
  EXPECT_THAT(mistakes_of(edited(plain_a100(), {{"sms: 108", "sms: x"}}), {"foo=1"}),
              ElementsAre(with_lines("m.yaml:{sms: 108}:8: gpu.sms: expected an integer, got 'x'",
                                     plain_a100()),
                          "--set #1: foo: unknown key"));
}

}  // namespace
}  // namespace tcsim::config
