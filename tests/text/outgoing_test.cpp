#include "sim/text/outgoing.hpp"

#include <gtest/gtest.h>

namespace tcsim::text {
namespace {

TEST(VisibleText, KeepsWhatIsMeantToBeRead) {
  const std::string text = "time  2.5 us\n\ta \u00b5s, \u4e2d, \U0001f600\n";
  EXPECT_EQ(visible(text), text);
}

TEST(VisibleText, ShowsWhatATerminalWouldObey) {
  EXPECT_EQ(visible("a\x1b[2J"), "a\\u001b[2J");
  EXPECT_EQ(visible("a\rb\x7f\b"), "a\\u000db\\u007f\\u0008");
  EXPECT_EQ(visible("\u009b2J"), "\\u009b2J");    // CSI as one character
  EXPECT_EQ(visible("\u202egpj"), "\\u202egpj");  // right to left
  EXPECT_EQ(visible("\xe9\x9b"
                    "2J"),
            "\\xe9\\x9b2J");  // CSI of Latin-1
}

TEST(VisibleText, TakesNoBrokenUtf8ForACharacter) {
  EXPECT_EQ(visible("\xc0\x9b"), "\\xc0\\x9b");           // too long a form
  EXPECT_EQ(visible("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // half of a pair
  EXPECT_EQ(visible("\xf5\x80\x80\x80"), "\\xf5\\x80\\x80\\x80");
  EXPECT_EQ(visible("\xe4\xb8"), "\\xe4\\xb8");  // cut off
}

TEST(VisibleText, IsWholeButForACharacterThatIsCutOff) {
  EXPECT_EQ(whole_characters(""), 0U);
  EXPECT_EQ(whole_characters("abc"), 3U);
  EXPECT_EQ(whole_characters("a\u4e2d"), 4U);
  EXPECT_EQ(whole_characters("a\xe4\xb8"), 1U);
  EXPECT_EQ(whole_characters("a\xf0\x9f\x98"), 1U);
  EXPECT_EQ(whole_characters("a\x80\x80\x80\x80"), 5U);  // of no character
}

TEST(ShortenedText, KeepsWholeCharacters) {
  EXPECT_EQ(shortened("abcdef", 6), "abcdef");
  EXPECT_EQ(shortened("abcdefg", 6), "abc...");
  EXPECT_EQ(shortened("ab\u00e9defg", 6), "ab...");
}

TEST(OneLine, HasNoBreak) { EXPECT_EQ(one_line("a\nb\tc\u2028d"), "a\\u000ab\\u0009c\\u2028d"); }

TEST(Xml, HasNoMarkupInTextAndAttributes) {
  EXPECT_EQ(xml("<script>\"&'"), "&lt;script&gt;&quot;&amp;&#39;");
  EXPECT_EQ(xml("a\x01"), "a\\u0001");  // XML has no such character
}

TEST(Markdown, HasNoMarkupAndNoHtml) {
  EXPECT_EQ(markdown("<img src=x onerror=y>"), "&lt;img src=x onerror=y>");
  EXPECT_EQ(markdown("[x](http://y)|`z`*"), "\\[x\\](http://y)\\|\\`z\\`\\*");
  EXPECT_EQ(markdown("a\n# b"), "a\\\\u000a# b");
  EXPECT_EQ(markdown("&lt;"), "&amp;lt;");
}

TEST(Markdown, BlockCannotBeEndedFromWithin) {
  EXPECT_EQ(markdown_block("a\n"), "```\na\n```\n");
  EXPECT_EQ(markdown_block("```\n<script>"), "````\n```\n<script>\n````\n");
}

TEST(CsvField, IsQuotedWhereARowWouldBreak) {
  EXPECT_EQ(csv_field("plain"), "plain");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("a\nb"), "\"a\nb\"");
  EXPECT_EQ(csv_field("say \"x\""), "\"say \"\"x\"\"\"");
}

TEST(CsvField, IsNoFormula) {
  EXPECT_EQ(csv_field("=HYPERLINK(\"x\")"), "\"'=HYPERLINK(\"\"x\"\")\"");
  for (const char* text : {"=1", "+a", "-2+3", "@SUM(A1)", "\uff1d1", "-inf+1"})
    EXPECT_EQ(csv_field(text), std::string("'") + text) << text;
  EXPECT_EQ(csv_field("\t=1"), "'\t=1");
}

TEST(CsvField, KeepsNumbersAndTheDash) {
  for (const char* text : {"-1", "+1.5", "-2e-7", "-inf", "-"}) EXPECT_EQ(csv_field(text), text);
}

TEST(CsvField, IsReadBackWithoutTheApostropheOfAFormula) {
  for (const char* text : {"=1", "+a", "-2+3", "@SUM(A1)", "\uff1d1", "\t=1", "-1", "-", "a", ""})
    EXPECT_EQ(from_csv_field(csv_field(text)), text);
  for (const char* text : {"'", "'a", "'-1", "'-"}) EXPECT_EQ(from_csv_field(text), text);
}

TEST(CsvField, ShowsControlCharacters) { EXPECT_EQ(csv_field("a\x1b[2J"), "a\\u001b[2J"); }

}  // namespace
}  // namespace tcsim::text
