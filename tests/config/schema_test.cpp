#include "sim/config/schema.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "sim/config/json_schema.hpp"
#include "sim/config/number.hpp"
#include "tests/support/temporary_directory.hpp"

namespace tcsim::config {
namespace {

using testing::ElementsAre;

TEST(Schema, KeysAreUniqueAndLieInSections) {
  std::set<std::string_view> seen;
  for (const Key& key : keys()) {
    EXPECT_TRUE(seen.insert(key.path).second) << key.path;
    EXPECT_FALSE(key.sentence.empty()) << key.path;
    EXPECT_EQ(key.sentence.back(), '.') << key.path;
    const std::size_t dot = key.path.rfind('.');
    if (dot != std::string_view::npos) {
      EXPECT_TRUE(is_section(key.path.substr(0, dot))) << key.path;
    }
    EXPECT_FALSE(is_section(key.path)) << key.path;
  }
  for (const Section& section : sections())
    EXPECT_FALSE(children(section.path).empty()) << section.path;
}

TEST(Schema, UnitsAreInTheNamesAndKnownToTheReader) {
  for (const Key& key : keys()) {
    if (key.unit.empty()) continue;
    EXPECT_FALSE(accepted_units(key.unit).empty()) << key.path;
    std::string wanted(key.unit);
    const std::size_t slash = wanted.find('/');
    if (slash != std::string::npos) wanted.replace(slash, 1, "_per_");
    std::transform(wanted.begin(), wanted.end(), wanted.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    EXPECT_NE(key.path.find(wanted), std::string_view::npos) << key.path << " in " << key.unit;
  }
}

TEST(Schema, ChildrenAreTheNextWordsInOrder) {
  EXPECT_THAT(children("sm.barrier"), ElementsAre("base_cycles", "per_warp_cycles"));
  EXPECT_THAT(children(""),
              ElementsAre("name", "description", "chip", "architecture", "compute_capability",
                          "features", "libraries", "descriptive", "gpu", "clocks", "numerics", "sm",
                          "noc", "tlb", "l2", "dram", "launch", "nvlink", "energy"));
  EXPECT_TRUE(children("nothing").empty());
}

TEST(Schema, FindsKeysByPath) {
  ASSERT_NE(find_key("l2.ways"), nullptr);
  EXPECT_EQ(kind_name(*find_key("l2.ways")), "integer");
  EXPECT_EQ(kind_name(*find_key("dram.t_cl_ns")), "number");
  EXPECT_EQ(kind_name(*find_key("gpu.sms_per_gpc")), "list of integers");
  EXPECT_EQ(kind_name(*find_key("libraries")), "list of texts");
  EXPECT_EQ(find_key("l2"), nullptr);
  EXPECT_THAT(allowed_words(*find_key("l2.slice_hash")),
              ElementsAre("xor_fold", "modulo", "polynomial"));
}

/// A mapping must be given if a key in it must be.
bool must_be_given(const std::string& path) {
  return path == kInstructionsPath || std::ranges::any_of(keys(), [&path](const Key& key) {
           return key.fallback.empty() && (key.path == path || key.path.starts_with(path + "."));
         });
}

TEST(JsonSchema, HoldsEveryKeyAndNoOther) {
  const auto schema = nlohmann::json::parse(machine_json_schema());
  for (const Key& key : keys()) {
    const nlohmann::json* node = &schema;
    const nlohmann::json* complete = &schema.at("else");  // of a file without a base
    std::string_view rest = key.path;
    std::string path;
    while (!rest.empty()) {
      const std::string name(rest.substr(0, rest.find('.')));
      path += (path.empty() ? "" : ".") + name;
      EXPECT_FALSE(node->at("additionalProperties").get<bool>());
      const auto required = complete->at("required").get<std::vector<std::string>>();
      EXPECT_EQ(std::ranges::count(required, name), must_be_given(path) ? 1 : 0) << path;
      node = &node->at("properties").at(name);
      if (is_section(path)) complete = &complete->at("properties").at(name);
      rest = name.size() == rest.size() ? std::string_view{} : rest.substr(name.size() + 1);
    }
    EXPECT_TRUE(node->contains("description")) << key.path;
  }
}

/// The same good and bad files go to the reader and, through the schema, to an independent checker.
TEST(JsonSchema, AgreesWithAnIndependentCheckerOnGoodAndBadMachines) {
  const test::TemporaryDirectory folder;
  const std::filesystem::path file = folder.path() / "schema.json";
  std::ofstream(file) << machine_json_schema();
  const std::string source = TC_TEST_SOURCE;
  const int status = std::system(("/usr/bin/python3 " + source + "/tests/config/check_schema.py " +
                                  file.string() + " " + source + "/configs")
                                     .c_str());
  if (WIFEXITED(status) && (WEXITSTATUS(status) == 77 || WEXITSTATUS(status) == 127))
    GTEST_SKIP() << "no modules jsonschema and yaml for /usr/bin/python3: scripts/install_packages "
                    "brings them";
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace tcsim::config
