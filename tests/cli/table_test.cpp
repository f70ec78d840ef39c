#include "sim/cli/table.hpp"

#include <gtest/gtest.h>

#include "tests/support/refusal.hpp"

namespace tcsim::cli {
namespace {

const Table sample_table{{"key", "value"}, {{"a", "1"}, {"longer", "x, \"y\" | z"}, {"none", ""}}};

TEST(Tables, AreAlignedAsTextWithoutTrailingBlanks) {
  EXPECT_EQ(render(sample_table, Format::kText),
            "key     value\n"
            "a       1\n"
            "longer  x, \"y\" | z\n"
            "none\n");
}

TEST(Tables, QuoteCsvCellsThatNeedIt) {
  EXPECT_EQ(render(sample_table, Format::kCsv),
            "key,value\na,1\nlonger,\"x, \"\"y\"\" | z\"\nnone,\n");
  EXPECT_EQ(render({{"", "b"}, {{"", "2"}}}, Format::kCsv), ",b\n,2\n");
}

TEST(Tables, AreArraysOfObjectsInJson) {
  EXPECT_EQ(render({{"key", "value"}, {{"a", "1"}}}, Format::kJson),
            "[\n  {\n    \"key\": \"a\",\n    \"value\": \"1\"\n  }\n]\n");
}

TEST(Tables, EscapeBarsInMarkdown) {
  EXPECT_EQ(render(sample_table, Format::kMarkdown),
            "| key | value |\n|---|---|\n| a | 1 |\n| longer | x, \"y\" \\| z |\n| none |  |\n");
}

TEST(Formats, NameTheOneThatACommandTakesBesides) {
  EXPECT_EQ(test::refusal([&] { parse_format("yml", "yaml"); }),
            "--format: 'yml' is not one of text, json, csv, md, yaml; did you mean \"yaml\"?");
}

TEST(Formats, AreFourWords) {
  EXPECT_EQ(parse_format("md"), Format::kMarkdown);
  EXPECT_EQ(test::refusal([&] { parse_format("yml"); }),
            "--format: 'yml' is not one of text, json, csv, md");
}

}  // namespace
}  // namespace tcsim::cli
