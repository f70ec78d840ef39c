#include "sim/json/parse.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/config/error.hpp"
#include "sim/files/atomic_file.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_directory.hpp"

namespace tcsim::json {
namespace {

std::string parse_refusal(const std::string& text, const Limits& limits = {}) {
  return test::refusal([&] { return parse(text, "x.json", limits); });
}

TEST(JsonParse, GivesTheDocument) {
  const View view = parse(R"({"a": [1, 2.5, "b", null]})", "x.json");
  EXPECT_EQ(view.at("a").elements().at(1).get<double>(), 2.5);
  EXPECT_EQ(view.file(), "x.json");
}

TEST(JsonParse, SaysWhereATextIsNoDocument) {
  EXPECT_EQ(parse_refusal(""), "x.json:1:1: is no JSON document");
  EXPECT_EQ(parse_refusal("{\"a\": 1,\n \"b\": ]}"), "x.json:2:7: is no JSON document");
  EXPECT_EQ(parse_refusal("{} {}"), "x.json:1:4: is no JSON document");
  EXPECT_EQ(parse_refusal("[1e999]"), "x.json:1:6: the number 1e999 is too large");
  EXPECT_EQ(parse_refusal("[\"caf\xe9\"]"), "x.json:1:7: the text is not UTF-8");
  EXPECT_EQ(parse_refusal("[\"UTF-8 out_of_range"), "x.json:1:21: is no JSON document");
}

TEST(JsonParse, RefusesWhatWouldTakeTheStackOrTheTimeOfWhoeverReadsIt) {
  EXPECT_EQ(parse_refusal(std::string(80'000, '[')), "x.json:1:65: nested deeper than 64 levels");
  std::string deep;
  for (int i = 0; i < 80'000; ++i) deep += "{\"a\":";
  EXPECT_EQ(parse_refusal(deep), "x.json:1:321: nested deeper than 64 levels");
  EXPECT_EQ(parse_refusal("[[1]]", {.levels = 2}), "accepted");
  EXPECT_EQ(parse_refusal("[[[1]]]", {.levels = 2}), "x.json:1:3: nested deeper than 2 levels");
  std::string wide = "{";
  for (int i = 0; i < 5000; ++i) wide += fmt::format("\"{}\":0,", i);
  EXPECT_THAT(parse_refusal(wide + "\"a\":0}"),
              testing::EndsWith(": an object with more than 4096 keys"));
}

TEST(JsonParse, RefusesAKeyGivenTwiceInOneObject) {
  EXPECT_EQ(parse_refusal(R"({"a": 1, "b": {"a": 2}, "a": 3})"), "x.json:1:27: a: given twice");
  EXPECT_EQ(parse_refusal("{\"a\": 1,\n \"a\": 2}"), "x.json:2:4: a: given twice");
  EXPECT_EQ(parse_refusal(R"([{"a": 1}, {"a": 2}])"), "accepted");
}

TEST(JsonParse, NamesTheLineOfARecordAmongLines) {
  EXPECT_THAT([] { check_text("{\"a\":", "x.jsonl", {}, 12); },
              testing::ThrowsMessage<config::ConfigError>("x.jsonl:12:6: is no JSON document"));
  EXPECT_THAT([] { check_text("{\"a\":1,\"a\":1}", "x.jsonl", {}, 12); },
              testing::ThrowsMessage<config::ConfigError>("x.jsonl:12:10: a: given twice"));
}

TEST(JsonRead, ReadsAFile) {
  const test::TemporaryDirectory directory;
  const auto path = directory.path() / "a.json";
  EXPECT_THROW((void)read(path), IoError);
  files::write_atomically(path, "{\"a\": 3}\n");
  EXPECT_EQ(read(path).at("a").get<int>(), 3);
  EXPECT_EQ(read(path).file(), path.string());
}

}  // namespace
}  // namespace tcsim::json
