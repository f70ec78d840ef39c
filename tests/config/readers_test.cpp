// Every key is descriptive, or reaches its field and is read by whom the schema says.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>

#include "sim/config/error.hpp"
#include "sim/config/load.hpp"
#include "sim/config/schema.hpp"
#include "tests/config/changed_machine.hpp"
#include "tests/config/machine_text.hpp"

namespace tcsim::config {
namespace {

class EveryKey : public testing::TestWithParam<std::string> {};

/// Settings are printed from the struct, and a slot is made from the spelling of its field: so a
/// changed setting of this name, and of no other, proves that the value reached the field of this
/// name.
TEST_P(EveryKey, ReachesItsFieldAndNoOther) {
  const std::string path = GetParam();
  const Key& key = *find_key(path);
  const MachineFile base = read_machine("a100");
  const auto at = [&](const MachineFile& file) {
    for (const Setting& setting : file.settings)
      if (setting.key == path) return setting;
    throw std::runtime_error("not listed: " + path);
  };
  const MachineFile other = changed_a100(key, at(base));
  EXPECT_NE(at(base).value, at(other).value);
  ASSERT_EQ(base.settings.size(), other.settings.size());
  for (std::size_t i = 0; i < base.settings.size(); ++i) {
    const bool follows = base.settings[i].derived || other.settings[i].derived;
    if (other.settings[i].set != 0 || follows) continue;
    EXPECT_EQ(base.settings[i].value, other.settings[i].value) << base.settings[i].key;
  }
  EXPECT_EQ(canonical_text(base) == canonical_text(other), key.descriptive());
}

std::string sources_of(const std::string& reader) {
  static const std::map<std::string, std::vector<std::string>> places{
      {"sm", {"models/sm"}},
      {"memory", {"models/memory"}},
      {"dram", {"models/dram"}},
      {"gpu", {"sim/gpu"}},
      {"energy", {"models/energy", "sim/run/prepare/power.cpp"}},
      {"values", {"sim/config/numerics.cpp", "models/numerics/tensor_arithmetic.cpp"}},
      {"power", {"sim/run/prepare/power.cpp"}},
      {"collectives", {"sim/networks/collective.cpp", "sim/run/network_run.cpp"}},
      {"kernels",
       {"sim/config/target.cpp", "sim/config/peak.cpp", "models/sm/tensor_types.hpp",
        "models/sm/tensor_core.cpp"}},
      {"checks", {"sim/run/prepare/memory_needs.cpp", "sim/run/prepare/prepare.cpp"}},
      {"peak", {"sim/config/peak.cpp", "models/sm/tensor_types.hpp", "models/sm/tensor_core.cpp"}}};
  std::string text;
  for (const std::string& place : places.at(reader)) {
    if (place.ends_with("pp")) {
      text += source_text(place);
      continue;
    }
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::string(TC_TEST_SOURCE) + "/" + place)) {
      const std::string name = entry.path().filename();
      if (name != "params.hpp" && name != "validate.cpp" && (name.ends_with("pp")))
        text += source_text(entry.path().lexically_relative(TC_TEST_SOURCE).string());
    }
  }
  return text;
}

std::vector<std::string> readers(std::string_view list) {
  std::vector<std::string> names;
  while (!list.empty()) {
    const std::size_t comma = list.find(", ");
    names.emplace_back(list.substr(0, comma));
    list = comma == std::string_view::npos ? std::string_view{} : list.substr(comma + 2);
  }
  return names;
}

/// The field is taken out of a params struct in the sources of each named reader.
TEST_P(EveryKey, IsMentionedByThoseWhoReadIt) {
  const Key& key = *find_key(GetParam());
  const std::string field = GetParam().substr(GetParam().rfind('.') + 1);
  for (const std::string& reader : readers(key.read_by)) {
    const std::regex use("(\\.|->|::)" + field + "\\b");
    EXPECT_TRUE(std::regex_search(sources_of(reader), use))
        << field << " is not read by " << reader;
  }
}

std::vector<std::string> plain_keys() {
  std::vector<std::string> paths;
  for (const Key& key : keys())
    if (key.path != kInstructionsPath) paths.emplace_back(key.path);
  return paths;
}

INSTANTIATE_TEST_SUITE_P(All, EveryKey, testing::ValuesIn(plain_keys()), [](const auto& test) {
  std::string name = test.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '.' || c == '_'; }, 'X');
  return name;
});

TEST(DescriptiveKeys, AreThoseThatOnlyIdentifyTheProduct) {
  std::set<std::string> found;
  for (const Key& key : keys())
    if (key.descriptive() && !key.path.starts_with("descriptive.")) found.emplace(key.path);
  EXPECT_EQ(found, (std::set<std::string>{"name", "description", "chip", "compute_capability"}));
}

TEST(InstructionKeys, ReachTheRowOfTheirInstruction) {
  for (const std::string mnemonic : {"HMMA.16816.F32", "DMMA.884"}) {
    const std::string prefix = "sm.tensor.instructions." + mnemonic;
    const Machine machine =
        load_machine("a100", {prefix + ".latency_cycles=77", prefix + ".min_interval_cycles=66"});
    for (const auto& row : machine.sm.tensor.instructions) {
      const bool is_it = isa::opcode_info(row.opcode).mnemonic == mnemonic;
      EXPECT_EQ(row.latency_cycles == 77, is_it);
      EXPECT_EQ(row.min_interval_cycles == 66, is_it);
    }
  }
}

}  // namespace
}  // namespace tcsim::config
