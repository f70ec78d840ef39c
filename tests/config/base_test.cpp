// Machine files that build on another one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "sim/config/error.hpp"
#include "sim/config/load.hpp"
#include "sim/config/machine_text.hpp"
#include "tests/config/machine_text.hpp"
#include "tests/support/temporary_directory.hpp"

namespace tcsim::config {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

class BasedMachine : public testing::Test {
 protected:
  static void write(const std::string& file, const std::string& text) {
    std::ofstream(file) << text;
  }
  static std::vector<std::string> mistakes(const std::string& file,
                                           const std::vector<std::string>& overrides = {}) {
    try {
      read_machine(file, overrides);
    } catch (const ConfigError& error) {
      return error.messages();
    }
    return {};
  }
  static Setting setting(const MachineFile& file, const std::string& key) {
    return *std::ranges::find(file.settings, key, &Setting::key);
  }

  test::TemporaryHome home_;
};

TEST_F(BasedMachine, HasTheValuesOfItsBaseButForWhatItSays) {
  write("half.yaml",
        "base: a100\nname: half\ngpu:\n  sms: 54  # half\n  sms_per_gpc: [16, 16, 16, 6]\n"
        "sm:\n  tensor:\n    instructions:\n      \"HMMA.16816.F32\": {latency_cycles: 30}\n");
  const MachineFile half = read_machine("half.yaml");
  const MachineFile a100 = read_machine("a100");
  EXPECT_EQ(half.machine.name, "half");
  EXPECT_EQ(half.machine.gpu.sms, 54);
  EXPECT_EQ(half.machine.l2.bytes, a100.machine.l2.bytes);
  EXPECT_EQ(half.settings.size(), a100.settings.size());
  EXPECT_EQ(setting(half, "gpu.sms").source, "half");
  EXPECT_EQ(setting(half, "gpu.sms").base, "");
  EXPECT_EQ(setting(half, "gpu.sms").line, 4);
  EXPECT_EQ(setting(half, "l2.bytes").source, setting(a100, "l2.bytes").source);
  EXPECT_THAT(setting(half, "l2.bytes").base, EndsWith("a100.yaml"));
  EXPECT_EQ(setting(half, "l2.bytes").line, setting(a100, "l2.bytes").line);
  EXPECT_EQ(setting(half, "sm.tensor.instructions.HMMA.16816.F32.latency_cycles").value, "30");
  // Nobody has measured it, whatever its base is called in tables.
  EXPECT_TRUE(half.machine.descriptive.measured_as.empty());
}

TEST_F(BasedMachine, HasItsSourcesBehindApostrophesAndQuotes) {
  write("own.yaml",
        "base: a100\nname: own\ndescription: \"a \\\" # b\"  # one\n"
        "descriptive: {board: Tom's}  # two\nlibraries: ['it''s # x']  # three\n"
        "clocks: {sm_mhz: 1200}  # 'four' # more\n");
  const MachineFile own = read_machine("own.yaml");
  EXPECT_EQ(setting(own, "description").source, "one");
  EXPECT_EQ(setting(own, "descriptive.board").source, "two");
  EXPECT_EQ(setting(own, "libraries").source, "three");
  EXPECT_EQ(setting(own, "clocks.sm_mhz").source, "'four' # more");
}

TEST_F(BasedMachine, IsHashedAsTheCompleteFileIs) {
  write("same.yaml", "base: a100\nname: other\n");
  EXPECT_EQ(canonical_text(read_machine("same.yaml")), canonical_text(read_machine("a100")));
  write("less.yaml", "base: a100\nname: other\nclocks: {sm_mhz: 1200}\n");
  EXPECT_EQ(canonical_text(read_machine("less.yaml")),
            canonical_text(read_machine("a100", {"clocks.sm_mhz=1200"})));
}

TEST_F(BasedMachine, MayBuildOnOneThatBuildsOnAnotherAndTakesOverridesLast) {
  std::filesystem::create_directory("more");
  write("one.yaml", "base: v100\nname: one\nclocks: {sm_mhz: 1000, l2_mhz: 900}\n");
  write("more/two.yaml", "base: ../one.yaml\nname: two\nclocks: {sm_mhz: 1100}\n");
  const Machine two = read_machine("more/two.yaml", {"clocks.memory_mhz=500"}).machine;
  EXPECT_EQ(two.clocks.sm_mhz, 1100);
  EXPECT_EQ(two.clocks.l2_mhz, 900);
  EXPECT_EQ(two.clocks.memory_mhz, 500);
  EXPECT_EQ(two.gpu.sms, 80);
}

TEST_F(BasedMachine, IsReportedWithEveryMistakeWhereItStands) {
  write("base.yaml", edited(plain_a100(), {{"ways: 16", "ways: many"}}));
  write("bad.yaml", "base: base.yaml\nname: bad\nl2:\n  slicess: 3\n  partitions: 7\n");
  const std::vector<std::string> found = mistakes("bad.yaml", {"gpu.wings=2"});
  ASSERT_EQ(found.size(), 4U);
  EXPECT_THAT(found[0], testing::MatchesRegex("base.yaml:[0-9]+:[0-9]+: l2.ways: expected an "
                                              "integer, got 'many'"));
  EXPECT_EQ(found[1], "bad.yaml:4:3: l2.slicess: unknown key; did you mean \"slices\"?");
  EXPECT_EQ(found[2], "bad.yaml:5:15: l2.partitions: 7 is out of range; allowed are 1 to 2");
  EXPECT_THAT(found[3], HasSubstr("--set #1: gpu.wings: unknown key"));
}

TEST_F(BasedMachine, ReportsAContradictionWithItsBaseAtItsOwnKey) {
  write("odd.yaml", "base: a100\nname: odd\ngpu: {sms: 54}\n");
  EXPECT_THAT(mistakes("odd.yaml"), ElementsAre(HasSubstr("odd.yaml:3:12: gpu.sms: ")));
}

TEST_F(BasedMachine, NeedsABaseThatIsThere) {
  for (const auto& [base, reason] : std::vector<std::pair<std::string, std::string>>{
           {"a10", "m.yaml:1:7: base: a10: no such machine; did you mean \"a100\"?"},
           {"gone.yaml", "m.yaml:1:7: base: gone.yaml: "},
           {"m.yaml", "m.yaml:1:7: base: m.yaml: leads back to m.yaml"},
           {"[a100]", "m.yaml:1:7: base: expected the name or file of a machine, got [a100]"},
           {"", "m.yaml:1:1: base: expected the name or file of a machine, got nothing"}}) {
    write("m.yaml", "base: " + base + "\nname: m\n");
    EXPECT_THAT(mistakes("m.yaml"), ElementsAre(HasSubstr(reason))) << base;
  }
  write("m.yaml", "base: a100\nname: m\nbase: v100\n");
  EXPECT_THAT(mistakes("m.yaml"), ElementsAre("m.yaml:3:1: base: given twice, first at line 1"));
  write("m.yaml", "base: a100\n");
  EXPECT_THAT(mistakes("m.yaml"),
              ElementsAre("m.yaml:1:1: name: missing; a machine with a base needs its own name"));
}

TEST_F(BasedMachine, EndsAChainThatIsTooLong) {
  write("0.yaml", "base: a100\nname: m\n");
  for (int i = 1; i < 8; ++i)
    write(std::to_string(i) + ".yaml", "base: " + std::to_string(i - 1) + ".yaml\nname: m\n");
  EXPECT_TRUE(mistakes("6.yaml").empty());
  EXPECT_THAT(mistakes("7.yaml"),
              testing::Contains(HasSubstr("base: more than 8 files build on each other")));
}

/// Every shipped machine, and one with a base and overrides.
TEST_F(BasedMachine, IsTheSameAsTheCompleteFileThatIsWrittenOfIt) {
  write("less.yaml", "base: h100\nname: less\ndescription: \"less: a # test\"\nl2: {ways: 8}\n");
  std::vector<std::string> names = machine_names();
  names.emplace_back("less.yaml");
  for (const std::string& name : names) {
    const MachineFile file = read_machine(name, {"launch.overhead_us=2.5"});
    write("whole.yaml", machine_text(file.settings));
    const MachineFile whole = read_machine("whole.yaml");
    EXPECT_EQ(canonical_text(whole), canonical_text(file)) << name;
    ASSERT_EQ(whole.settings.size(), file.settings.size()) << name;
    for (std::size_t i = 0; i < whole.settings.size(); ++i) {
      EXPECT_EQ(whole.settings[i].value, file.settings[i].value) << file.settings[i].key;
      EXPECT_EQ(whole.settings[i].source,
                file.settings[i].set > 0 ? "--set" : file.settings[i].source)
          << name << " " << file.settings[i].key;
    }
  }
}

}  // namespace
}  // namespace tcsim::config
