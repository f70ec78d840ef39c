#include "sim/config/strict_map.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "sim/config/error.hpp"

namespace tcsim::config {
namespace {

using ::testing::ElementsAre;

/// The mistakes that `read` finds in `text`, and those of its keys.
std::vector<std::string> mistakes_of(const std::string& text,
                                     const std::function<void(StrictMap&)>& read) {
  try {
    Mistakes mistakes("m.yaml");
    const TreeFile tree = parse_yaml("m.yaml", text, mistakes);
    StrictMap map(tree.root, "", mistakes);
    read(map);
    map.finish();
    mistakes.finish();
  } catch (const ConfigError& error) {
    return error.messages();
  }
  return {};
}

TEST(StrictMap, ReadsWhatIsThere) {
  const std::string text =
      "name: a\ncount: 3\nshare: 0.5\nis_on: true\nkind: two\nkinds: [two, one]\nsides: 4x8\n"
      "numbers: [1, 4]\nwords: [x, y]\nword: x\ninner: {depth: 2}\n";
  EXPECT_THAT(mistakes_of(text,
                          [](StrictMap& map) {
                            EXPECT_EQ(map.text("name"), "a");
                            EXPECT_EQ(map.integer("count", 1, 9), 3);
                            EXPECT_EQ(map.number("share", 0, 1), 0.5);
                            EXPECT_TRUE(map.flag("is_on"));
                            EXPECT_EQ(map.word("kind", {"one", "two"}), 1U);
                            EXPECT_THAT(map.words("kinds", {"one", "two"}), ElementsAre(1, 0));
                            EXPECT_THAT(map.sizes("sides", 2), ElementsAre(4, 8));
                            EXPECT_THAT(map.integers("numbers", 0, 9), ElementsAre(1, 4));
                            EXPECT_THAT(map.texts("words"), ElementsAre("x", "y"));
                            EXPECT_THAT(map.texts("word"), ElementsAre("x"));
                            auto inner = map.section("inner");
                            EXPECT_EQ(inner->integer("depth", 0, 9), 2);
                            EXPECT_TRUE(map.is_sound());
                          }),
              ElementsAre());
}

TEST(StrictMap, TakesWhatStandsForAnAbsentKey) {
  EXPECT_THAT(mistakes_of("note: ''\n",
                          [](StrictMap& map) {
                            EXPECT_EQ(map.text("name", /*required=*/false), "");
                            EXPECT_EQ(map.text("note", /*required=*/false), "");
                            EXPECT_EQ(map.integer("count", 1, 9, 4), 4);
                            EXPECT_EQ(map.number("share", 0, 1, 0.25), 0.25);
                            EXPECT_TRUE(map.flag("is_on", true));
                            EXPECT_EQ(map.word("kind", {"one", "two"}, 1), 1U);
                            EXPECT_TRUE(map.list("items").empty());
                            EXPECT_TRUE(map.texts("words").empty());
                            EXPECT_FALSE(map.section("inner", /*required=*/false));
                          }),
              ElementsAre());
}

TEST(StrictMap, NamesEveryMistakeWithItsPlace) {
  EXPECT_THAT(mistakes_of("count: 12\nshare: much\nkind: tow\nitems: []\ncuont: 1\ncount: 2\n",
                          [](StrictMap& map) {
                            EXPECT_EQ(map.text("name"), "");
                            EXPECT_EQ(map.integer("count", 1, 9), 1);
                            EXPECT_EQ(map.number("share", 0, 1), 0);
                            EXPECT_EQ(map.word("kind", {"one", "two"}), 0U);
                            EXPECT_TRUE(map.list("items").empty());
                            EXPECT_FALSE(map.is_sound());
                          }),
              ElementsAre("m.yaml:1:1: name: missing",
                          "m.yaml:1:8: count: 12 is out of range; allowed are 1 to 9",
                          "m.yaml:2:8: share: expected a number, got 'much'",
                          "m.yaml:3:7: kind: 'tow' is not one of one, two; did you mean \"two\"?",
                          "m.yaml:4:8: items: expected a list of at least one item, got []",
                          "m.yaml:5:1: cuont: unknown key; did you mean \"count\"?",
                          "m.yaml:6:1: count: given twice, first at line 1"));
}

TEST(StrictMap, RefusesWhatIsNoMapping) {
  const auto nothing = [](StrictMap&) {};
  EXPECT_THAT(mistakes_of("[1]", nothing), ElementsAre("m.yaml:1:1: expected a mapping, got [1]"));
  EXPECT_THAT(mistakes_of("", nothing), ElementsAre("m.yaml:1:1: expected a mapping, got nothing"));
  EXPECT_THAT(mistakes_of("[a]: 1\n", nothing),
              ElementsAre("m.yaml:1:1: expected a word as key, got [a]"));
}

}  // namespace
}  // namespace tcsim::config
