#include "sim/mma/json_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tcsim::mma {
namespace {

using ::testing::ThrowsMessage;

void expect_refused(const std::string& text, const std::string& message) {
  EXPECT_THAT([&] { JsonLine(text, "x.jsonl", 7); }, ThrowsMessage<InputError>(message)) << text;
}

TEST(JsonLine, RefusesWhatIsNoObject) {
  expect_refused("{\"a\":1", "x.jsonl:7:7: not a JSON object");
  expect_refused("[1]", "x.jsonl:7:1: expected a JSON object, got array");
}

TEST(JsonLine, RefusesANumberThatNoTypeHolds) {  // found by tests/fuzz
  expect_refused("{\"a\":4294967296e309}", "x.jsonl:7:1: a number is too large for any type");
}

}  // namespace
}  // namespace tcsim::mma
