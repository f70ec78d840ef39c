#include "sim/mma/json_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tcsim::mma {
namespace {

using ::testing::ThrowsMessage;

void expect_refused(const std::string& text, const std::string& message) {
  EXPECT_THAT([&] { JsonLine(text, "x.jsonl", 7); }, ThrowsMessage<UsageError>(message)) << text;
}

TEST(JsonLine, RefusesWhatIsNoObject) {
  expect_refused("{\"a\":1", "x.jsonl:7:7: is no JSON document");
  expect_refused("[1]", "x.jsonl:7:1: expected a JSON object, got array");
}

TEST(JsonLine, RefusesANumberThatNoTypeHolds) {  // found by tests/fuzz
  expect_refused("{\"a\":4294967296e309}", "x.jsonl:7:19: the number 4294967296e309 is too large");
}

TEST(JsonLine, RefusesALevelTooDeepBeforeAnybodyWalksIt) {
  expect_refused("{\"a\":" + std::string(80'000, '['), "x.jsonl:7:13: nested deeper than 8 levels");
}

TEST(JsonLine, HoldsAnIntegerToWhatAnIntHolds) {
  const JsonLine line(R"({"a":18446744073709551615,"b":-2147483648})", "x.jsonl", 7);
  EXPECT_THAT(
      [&] { (void)line.integer("a"); },
      ThrowsMessage<UsageError>("x.jsonl:7:6: a: expected an integer, got 18446744073709551615"));
  EXPECT_EQ(line.integer("b"), -2147483648);
}

}  // namespace
}  // namespace tcsim::mma
