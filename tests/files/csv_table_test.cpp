#include "sim/files/csv_table.hpp"

#include <gmock/gmock.h>

#include <array>

namespace tcsim::files {
namespace {

using ::testing::ElementsAre;

TEST(CsvLine, SplitsPlainAndQuotedFields) {
  bool unclosed = true;
  const auto fields = split_csv_line(R"(a,"b,c","d ""e""",,f"g)", unclosed);
  EXPECT_FALSE(unclosed);
  std::vector<std::string> texts;
  std::vector<int> columns;
  for (const CsvField& field : fields) {
    texts.push_back(field.text);
    columns.push_back(field.column);
  }
  EXPECT_THAT(texts, ElementsAre("a", "b,c", "d \"e\"", "", "f\"g"));
  EXPECT_THAT(columns, ElementsAre(1, 4, 10, 19, 20));
  (void)split_csv_line("a,\"b", unclosed);
  EXPECT_TRUE(unclosed);
}

TEST(CsvLine, HasNoTextBehindAClosingQuote) {
  const auto mistake = [](std::string_view line) {
    CsvTable table(line, "t.csv");
    CsvRow row;
    EXPECT_TRUE(table.next(row));
    const auto found = quote_mistake(row);
    return found ? std::to_string(found->field) + ": " + std::string(found->reason) : "";
  };
  EXPECT_EQ(mistake(R"(1,"2" ,"","3""4",5)"), "");
  EXPECT_EQ(mistake(R"(1,"2"3,4)"), "1: text stands behind the closing quote");
  EXPECT_EQ(mistake(R"(""x)"), "0: text stands behind the closing quote");
  EXPECT_EQ(mistake(R"(1,"2)"), "1: the quote is not closed");
}

TEST(CsvTable, GivesLinesWithoutMarkAndEnds) {
  CsvTable table("\xef\xbb\xbfone,two\r\n\n\"3", "t.csv");
  CsvRow row;
  ASSERT_TRUE(table.next(row));
  EXPECT_EQ(row.text, "one,two");
  EXPECT_TRUE(row.has_return);
  EXPECT_EQ(row.fields.at(0).text, "one");
  ASSERT_TRUE(table.next(row));
  EXPECT_EQ(row.text, "");
  EXPECT_FALSE(row.has_return);
  EXPECT_EQ(row.fields.size(), 1U);
  ASSERT_TRUE(table.next(row));
  EXPECT_TRUE(row.unclosed);
  EXPECT_EQ(table.mistake(2, "row", "is bad"), "t.csv:3:2: row: is bad");
  EXPECT_FALSE(table.next(row));
  EXPECT_EQ(table.line(), 3);
}

TEST(CsvTable, OfNothingHasNoLine) {
  CsvTable table("", "t.csv");
  CsvRow row;
  EXPECT_FALSE(table.next(row));
  EXPECT_EQ(table.place(1), "t.csv:1:1");
}

TEST(CsvTable, TellsAMissingFromAMisspeltColumn) {
  CsvTable table("gpu,kernal,notes\n", "t.csv");
  CsvRow row;
  ASSERT_TRUE(table.next(row));
  constexpr std::array<std::string_view, 3> kKnown{"gpu", "kernel", "grid"};
  const auto mistake = [&](std::string_view column, bool is_needed) {
    return table.column_mistake(row.fields, column, kKnown, is_needed);
  };
  EXPECT_EQ(mistake("gpu", true), "");
  EXPECT_EQ(mistake("kernel", false),
            "t.csv:1:5: header: column 'kernal' is unknown; did you mean \"kernel\"?");
  EXPECT_EQ(mistake("grid", true), "t.csv:1:1: header: column 'grid' is missing");
  EXPECT_EQ(mistake("grid", false), "");
}

}  // namespace
}  // namespace tcsim::files
